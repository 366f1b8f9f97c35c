internal import BluejayBlueZ

// Permissions for calls to bluetoothd.

extension Diagnosis {
    private static let permissionTitle = "permissions"

    static func permissions(_ evidence: Evidence) -> [Finding] {
        // A given bus has its own policy, and a container has the policy of its host.
        let isOwnBus = !evidence.bus.isGiven && evidence.machine.container == nil
        switch evidence.bus.reach {
        case .noBus, .silentBus, .refusingBus: return []
        case .refusingDaemon(let text):
            return [
                .trouble(
                    .permissions,
                    permissionTitle,
                    "the bus does not let \(evidence.user.called) speak to bluetoothd (\(text))",
                    mend: isOwnBus ? mendRefusal(evidence) : mendForeignRefusal(evidence)
                )
            ]
        case .daemon, .silentDaemon:
            let reason = isOwnBus ? reason(evidence) : nil
            let text = "\(evidence.user.called) may speak to bluetoothd" + (reason ?? "")
            return [.good(.permissions, permissionTitle, text)]
        case .noDaemon:
            return isOwnBus && !evidence.policies.isEmpty ? expectation(evidence) : []
        }
    }

    private static func access(_ evidence: Evidence) -> BusPolicy.Access {
        BusPolicy(evidence.policies.flatMap(\.policy.rules)).access(of: evidence.user)
    }

    private static func files(_ evidence: Evidence) -> String {
        evidence.policies.map(\.path).joined(separator: " and ")
    }

    private static func reason(_ evidence: Evidence) -> String? {
        switch access(evidence) {
        case .everybody: ": \(files(evidence)) lets everybody"
        case .thisUser: ": \(files(evidence)) lets this user"
        case .throughGroup(let name): ", being in the group \(name)"
        case .atConsole, .groupsOnly, .nobody: nil
        }
    }

    /// The permissions by the policy files, when bluetoothd is not running.
    private static func expectation(_ evidence: Evidence) -> [Finding] {
        let called = evidence.user.called
        if let reason = reason(evidence) {
            return [
                .good(.permissions, permissionTitle, "\(called) may speak to bluetoothd\(reason)")
            ]
        }
        switch access(evidence) {
        case .atConsole:
            let text = "\(files(evidence)) lets who sits at this computer speak to bluetoothd"
            return [.note(.permissions, permissionTitle, text)]
        case .everybody, .thisUser, .throughGroup, .groupsOnly, .nobody:
            return [
                .trouble(
                    .permissions,
                    permissionTitle,
                    "\(files(evidence)) does not let \(called) speak to bluetoothd",
                    mend: mendRefusal(evidence)
                )
            ]
        }
    }

    private static func mendRefusal(_ evidence: Evidence) -> String {
        switch access(evidence) {
        case .everybody, .thisUser, .throughGroup:
            "`sudo systemctl reload dbus`: \(files(evidence)) lets this user, so the bus has read "
                + "something else"
        case .groupsOnly(let groups):
            join(groups, evidence.user)
        case .atConsole:
            "run this in a session at the computer itself, or as root"
        case .nobody:
            evidence.policies.isEmpty
                ? "`sudo apt install --reinstall bluez` brings the policy of the bus back, which is missing"
                : "allow it in \(evidence.policies.last?.path ?? "the policy"), then "
                    + "`sudo systemctl reload dbus`"
        }
    }

    private static func join(_ groups: [String], _ user: UserEvidence) -> String {
        if let group = groups.first(where: user.groupsOnFile.contains) {
            return "log out and in again: this session is older than the membership in \(group)"
        }
        let name = user.name ?? "$USER"
        return "`sudo adduser \(name) \(groups.first ?? "bluetooth")`, then log in again"
    }

    private static func mendForeignRefusal(_ evidence: Evidence) -> String {
        evidence.bus.isGiven
            ? "allow it in the policy of that bus, or `unset DBUS_SYSTEM_BUS_ADDRESS`"
            : "run the container as a user that the policy of the host lets; root is one"
    }
}

extension UserEvidence {
    /// The user as part of a sentence.
    fileprivate var called: String {
        name ?? id.map { "user \($0)" } ?? "this user"
    }
}
