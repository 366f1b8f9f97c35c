/// The part of a bus's policy that says who may send to bluetoothd.
package struct BusPolicy: Equatable, Swift.Sendable {
    /// Whom a rule is for.
    package enum Subject: Equatable, Swift.Sendable {
        /// `context="default"`, which all others may overrule.
        case everybody
        /// By name or number.
        case user(String)
        case group(String)
        /// Whoever sits at the computer (true), or does not.
        case console(Bool)
        /// `context="mandatory"`, which overrules all others.
        case mandatory
    }

    /// Who may or may not send to bluetoothd whatever it be.
    package struct Rule: Equatable, Swift.Sendable {
        package var subject: Subject
        package var isAllowed: Bool

        package init(_ subject: Subject, _ isAllowed: Bool) {
            self.subject = subject
            self.isAllowed = isAllowed
        }
    }

    /// In the order of the files.
    package var rules: [Rule]

    package init(_ rules: [Rule]) {
        self.rules = rules
    }

    /// Why a user may send to bluetoothd, or why not.
    package enum Access: Equatable {
        /// Everybody may.
        case everybody
        /// This user may, by name.
        case thisUser
        /// This user may, being in a group.
        case throughGroup(String)
        /// Whoever sits at the computer may; who that is the files do not say.
        case atConsole
        /// The members of these groups may, and this user is in none of them.
        case groupsOnly([String])
        /// There is no rule that lets this user.
        case nobody
    }

    /// What the policy says of a user.
    ///
    /// Of the rules that fit, the last one counts: those for everybody come first, then those of groups, of
    /// users, of the console, and the mandatory ones (dbus-daemon(1), `<policy>`). Without any the system
    /// bus refuses.
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

    /// Nil for a rule that does not concern the user, or of which the files do not say whether it does.
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
