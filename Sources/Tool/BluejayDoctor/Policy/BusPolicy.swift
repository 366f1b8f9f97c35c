/// The part of a bus's policy that controls sending to bluetoothd.
package struct BusPolicy: Equatable, Swift.Sendable {
    /// The users that a rule applies to.
    package enum Subject: Equatable, Swift.Sendable {
        /// `context="default"`, which all other rules override.
        case everybody
        /// A user by name or number.
        case user(String)
        case group(String)
        /// Users logged in at the console (true), or all others.
        case console(Bool)
        /// `context="mandatory"`, which overrides all other rules.
        case mandatory
    }

    /// A rule that allows or denies all messages to bluetoothd.
    package struct Rule: Equatable, Swift.Sendable {
        package var subject: Subject
        package var isAllowed: Bool

        package init(_ subject: Subject, _ isAllowed: Bool) {
            self.subject = subject
            self.isAllowed = isAllowed
        }
    }

    /// The rules in the order of the files.
    package var rules: [Rule]

    package init(_ rules: [Rule]) {
        self.rules = rules
    }

    /// The reason for allowing or denying a user access.
    package enum Access: Equatable {
        /// All users are allowed.
        case everybody
        /// This user is allowed by name.
        case thisUser
        /// This user is allowed as a member of a group.
        case throughGroup(String)
        /// Users at the console are allowed; the files do not identify them.
        case atConsole
        /// Members of these groups are allowed, but this user is not a member.
        case groupsOnly([String])
        /// No rule allows this user.
        case nobody
    }

    /// Returns the policy's decision for a user.
    ///
    /// The last matching rule counts, in this order: default rules, then those for groups, users and the
    /// console, and finally mandatory rules (dbus-daemon(1), `<policy>`). Without a matching rule, the system
    /// bus denies access.
    package func access(of user: UserEvidence) -> Access {
        var access: Access?
        for rank in 0...4 {
            for rule in rules where Self.rank(rule.subject) == rank {
                guard let reason = Self.reason(rule.subject, user) else { continue }
                access = rule.isAllowed ? reason : nil
            }
        }
        if let access { return access }
        let groups = rules.compactMap { rule -> String? in
            guard case .group(let name) = rule.subject, rule.isAllowed else { return nil }
            return name
        }
        if !groups.isEmpty { return .groupsOnly(groups) }
        return rules.contains(Rule(.console(true), true)) ? .atConsole : .nobody
    }

    private static func rank(_ subject: Subject) -> Int {
        switch subject {
        case .everybody: 0
        case .group: 1
        case .user: 2
        case .console: 3
        case .mandatory: 4
        }
    }

    /// Returns `nil` for a rule that does not match the user, or whose match the files cannot decide.
    private static func reason(_ subject: Subject, _ user: UserEvidence) -> Access? {
        switch subject {
        case .everybody, .mandatory: .everybody
        case .group(let name): user.groups.contains(name) ? .throughGroup(name) : nil
        case .user("*"): .everybody
        case .user(let name):
            name == user.name || Int(name) == user.id && user.id != nil
                || name == "root" && user.id == 0 ? .thisUser : nil
        case .console: nil
        }
    }
}
