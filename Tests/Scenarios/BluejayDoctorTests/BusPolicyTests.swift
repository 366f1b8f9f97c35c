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

@Suite("Who may send to bluetoothd, as the bus's policy says")
struct BusPolicyTests {
    private static func access(_ text: String, _ user: UserEvidence = anna) -> BusPolicy.Access {
        BusPolicy(text: text).access(of: user)
    }

    @Test("Debian lets everybody, in the group or not")
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

    @Test("Where only a group may, who is not in it may not")
    func group() {
        #expect(Self.access(Self.groupOnly) == .groupsOnly(["bluetooth"]))
        let member = user(7, "bert", in: ["bluetooth"])
        #expect(Self.access(Self.groupOnly, member) == .throughGroup("bluetooth"))
        #expect(Self.access(Self.groupOnly, user(0, "toor")) == .thisUser)
        #expect(Self.access(Self.groupOnly, UserEvidence()) == .groupsOnly(["bluetooth"]))
    }

    @Test("Who sits at the computer is not in the files")
    func console() {
        let text = """
            <policy at_console="true"><allow send_destination="org.bluez"/></policy>
            <policy context="default"><deny send_destination="org.bluez"/></policy>
            """
        #expect(Self.access(text) == .atConsole)
    }

    @Test(
        "The rank of a rule counts before its place, and of two in one rank the later counts",
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
        "What concerns another service, or a part of what can be sent, says nothing",
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

    @Test("A file that breaks off is read as far as it goes")
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
