import Testing

@testable import BluejayDoctor

private func user(_ id: Int, _ name: String, in groups: Set<String> = []) -> UserEvidence {
    var user = UserEvidence()
    user.id = id
    user.name = name
    user.groups = groups
    return user
}

private let anna = user(1000, "anna", in: ["anna", "sudo"])

@Suite("Access to bluetoothd by the policy of the bus")
struct BusPolicyTests {
    private static func access(_ text: String, _ user: UserEvidence = anna) -> BusPolicy.Access {
        BusPolicy(text: text).access(of: user)
    }

    @Test("The policy of Debian allows every user")
    func debian() {
        let policy = BusPolicy(text: FakeComputer.debianPolicy)
        #expect(
            policy.rules == [
                BusPolicy.Rule(.user("root"), true), BusPolicy.Rule(.group("bluetooth"), true),
                BusPolicy.Rule(.everybody, true),
            ]
        )
        #expect(policy.access(of: anna) == .everybody)
        #expect(policy.access(of: user(0, "root")) == .thisUser)
        #expect(
            policy.access(of: user(1000, "anna", in: ["bluetooth"])) == .throughGroup("bluetooth")
        )
    }

    private static let groupOnly = """
        <busconfig>
          <policy context='default'><deny send_destination='org.bluez'/></policy>
          <policy group='bluetooth'><allow send_destination = 'org.bluez' /></policy>
          <policy user="0"><allow send_destination="org.bluez"></allow></policy>
        </busconfig>
        """

    @Test("A policy for a group denies other users")
    func group() {
        #expect(Self.access(Self.groupOnly) == .groupsOnly(["bluetooth"]))
        let member = user(7, "bert", in: ["bluetooth"])
        #expect(Self.access(Self.groupOnly, member) == .throughGroup("bluetooth"))
        #expect(Self.access(Self.groupOnly, user(0, "toor")) == .thisUser)
        #expect(Self.access(Self.groupOnly, UserEvidence()) == .groupsOnly(["bluetooth"]))
    }

    @Test("A rule for the console requires a local session")
    func console() {
        let text = """
            <policy at_console="true"><allow send_destination="org.bluez"/></policy>
            <policy context="default"><deny send_destination="org.bluez"/></policy>
            """
        #expect(Self.access(text) == .atConsole)
    }

    @Test(
        "The rank of a rule precedes its position, and a later rule of equal rank wins",
        arguments: [
            ("default", "default", BusPolicy.Access.nobody),
            ("mandatory", "default", .everybody),
        ]
    )
    func order(first: String, second: String, access: BusPolicy.Access) {
        let text = """
            <policy context="\(first)"><allow send_destination="org.bluez"/></policy>
            <policy context="\(second)"><deny send_destination="*"/></policy>
            """
        #expect(Self.access(text) == access)
    }

    @Test(
        "Rules for other services, owners, interfaces or message types are ignored",
        arguments: [
            #"<allow send_destination="org.bluez.obex"/>"#, #"<allow own="org.bluez"/>"#,
            #"<allow send_destination="org.bluez" send_interface="org.bluez.Agent1"/>"#,
            #"<allow send_destination="org.bluez" send_type="signal"/>"#,
            #"<allow receive_sender="org.bluez"/>"#, "<allow/>", "<allow send_destination/>",
            #"<!-- -> <allow send_destination="org.bluez"/> -->"#,
            #"</policy><allow send_destination="org.bluez"/><policy>"#,
        ]
    )
    func others(rule: String) {
        #expect(Self.access("<policy context=\"default\">\(rule)</policy>") == .nobody)
    }

    @Test("A truncated policy file is evaluated up to its end")
    func broken() {
        let begun = #"<policy context="default"><allow send_destination="org.bluez""#
        let whole = begun + "/></policy><!-- "
        for length in 0...whole.count {
            let text = String(whole.prefix(length))
            let access: BusPolicy.Access = text.hasPrefix(begun) ? .everybody : .nobody
            #expect(Self.access(text) == access, "\(text)")
        }
    }
}
