internal import BluejayBlueZ

// Permissions for calls to bluetoothd.

extension Diagnosis {
    private static let permissionTitle = "permissions"

    static func permissions(_ evidence: Evidence) -> [Finding] {
        // A given bus has its own policy, and a container has the policy of its host.
        let isOwnBus = !evidence.bus.isFromEnvironment && evidence.machine.container == nil
        switch evidence.bus.reachability {
        case .busUnreachable, .busNotResponding, .busAccessDenied: return []
        case .daemonAccessDenied(let text):
            return [
                .trouble(
                    .permissions,
                    permissionTitle,
                    "the bus denies \(evidence.user.displayName) access to bluetoothd (\(text))",
                    mend: isOwnBus ? remedyForDenial(evidence) : remedyForExternalDenial(evidence)
                )
            ]
        case .reachable, .daemonNotResponding:
            let reason = isOwnBus ? reason(evidence) : nil
            let text = "\(evidence.user.displayName) has access to bluetoothd" + (reason ?? "")
            return [.good(.permissions, permissionTitle, text)]
        case .daemonNotRunning:
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
        case .everybody: ": \(files(evidence)) allows every user"
        case .thisUser: ": \(files(evidence)) allows this user"
        case .throughGroup(let name): " as a member of the group \(name)"
        case .atConsole, .groupsOnly, .nobody: nil
        }
    }

    /// The permissions by the policy files, when bluetoothd is not running.
    private static func expectation(_ evidence: Evidence) -> [Finding] {
        let called = evidence.user.displayName
        if let reason = reason(evidence) {
            return [
                .good(.permissions, permissionTitle, "\(called) has access to bluetoothd\(reason)")
            ]
        }
        switch access(evidence) {
        case .atConsole:
            let text = "\(files(evidence)) allows the user of a local session"
            return [.note(.permissions, permissionTitle, text)]
        case .everybody, .thisUser, .throughGroup, .groupsOnly, .nobody:
            return [
                .trouble(
                    .permissions,
                    permissionTitle,
                    "\(files(evidence)) denies \(called) access to bluetoothd",
                    mend: remedyForDenial(evidence)
                )
            ]
        }
    }

    private static func remedyForDenial(_ evidence: Evidence) -> String {
        switch access(evidence) {
        case .everybody, .thisUser, .throughGroup:
            "`sudo systemctl reload dbus`: \(files(evidence)) allows this user, so the bus uses "
                + "an older version"
        case .groupsOnly(let groups):
            join(groups, evidence.user)
        case .atConsole:
            "run this in a local session, or as root"
        case .nobody:
            evidence.policies.isEmpty
                ? "`sudo apt install --reinstall bluez` restores the missing bus policy"
                : "allow it in \(evidence.policies.last?.path ?? "the policy"), then "
                    + "`sudo systemctl reload dbus`"
        }
    }

    private static func join(_ groups: [String], _ user: UserEvidence) -> String {
        if let group = groups.first(where: user.groupsOnFile.contains) {
            return "log out and in again: this session predates the membership in \(group)"
        }
        let name = user.name ?? "$USER"
        return "`sudo adduser \(name) \(groups.first ?? "bluetooth")`, then log in again"
    }

    private static func remedyForExternalDenial(_ evidence: Evidence) -> String {
        evidence.bus.isFromEnvironment
            ? "allow it in the policy of that bus, or `unset DBUS_SYSTEM_BUS_ADDRESS`"
            : "run the container as a user that the policy of the host allows, such as root"
    }
}

extension UserEvidence {
    /// The user as part of a sentence.
    fileprivate var displayName: String {
        name ?? id.map { "user \($0)" } ?? "this user"
    }
}
