import BluejayCommandLine
import Foundation
import MeshPeer
import TestSupport
import Testing

@testable import mesh_node

@Suite("Parts of mesh-node")
struct MeshNodeTests {
    private static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    private static let other = UUID(uuid: (0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    private static let text = "01020304-0506-0708-090A-0B0C0D0E0F10"

    // MARK: Identities

    @Test("An identity has random bytes and a name, and fits into 24 bytes")
    func identity() throws {
        var numbers = SeededGenerator(seed: 1)
        let identity = NodeIdentity(name: "Ann", using: &numbers)
        #expect(NodeIdentity(identity.data) == identity)
        #expect(NodeIdentity(name: "Ann", using: &numbers).tag != identity.tag)
        let long = NodeIdentity(name: "äöüäöüäöüäö", using: &numbers)
        #expect(long.name == "äöüäöüäöüä" && long.data.count == 24)
    }

    @Test(
        "Data of another program is not an identity",
        arguments: [[], [1, 2, 3, 4], [1, 2, 3, 4, 0xFF]]
    )
    func foreign(bytes: [UInt8]) {
        #expect(NodeIdentity(Data(bytes)) == nil)
    }

    // MARK: Peers

    @Test("A peer has the roles that it gained and did not lose")
    func roles() {
        var roster = Roster()
        let changes = [
            roster.set(.peripheral, of: Self.id, to: true),
            roster.set(.central, of: Self.id, to: true),
            roster.set(.central, of: Self.id, to: true),
        ]
        #expect(changes == [true, true, false])
        #expect(roster.present.map(\.roles) == [[.central, .peripheral]])
        _ = roster.set(.central, of: Self.id, to: false)
        #expect(roster.present.map(\.roles) == [[.peripheral]])
        _ = roster.set(.peripheral, of: Self.id, to: false)
        #expect(roster.present.isEmpty && roster.peer(Self.id).roles.isEmpty)
    }

    @Test("A peer keeps the name of its identity after leaving")
    func names() {
        var roster = Roster()
        #expect(roster.peer(Self.id).name == Self.text)
        roster.identify(Self.id, Data([1, 2, 3, 4] + Array("Ben".utf8)))
        _ = roster.set(.central, of: Self.id, to: true)
        _ = roster.set(.central, of: Self.id, to: false)
        #expect(roster.peer(Self.id).name == "Ben")
        roster.identify(Self.other, Data([1]))
        #expect(roster.peer(Self.other).name == Self.other.uuidString)
    }

    @Test("A peer is greeted once per visit")
    func greeting() {
        var roster = Roster()
        #expect(!roster.needsGreeting(Self.id))
        _ = roster.set(.central, of: Self.id, to: true)
        #expect(roster.needsGreeting(Self.id))
        roster.recordGreeting(of: Self.id)
        _ = roster.set(.peripheral, of: Self.id, to: true)
        #expect(!roster.needsGreeting(Self.id))
        _ = roster.set(.central, of: Self.id, to: false)
        _ = roster.set(.peripheral, of: Self.id, to: false)
        _ = roster.set(.central, of: Self.id, to: true)
        #expect(roster.needsGreeting(Self.id))
    }

    @Test("A peer that sent two messages counts once, even after leaving")
    func speakers() {
        var roster = Roster()
        for id in [Self.other, Self.id, Self.other] { roster.recordMessage(from: id) }
        #expect(roster.speakers.map(\.id) == [Self.other, Self.id])
    }

    // MARK: Files

    @Test("A file arrives byte for byte, in parts of any size", arguments: [1, 13, 14, 1000, 5000])
    func parts(length: Int) throws {
        let bytes = Data((0..<3000).map { UInt8(truncatingIfNeeded: $0 * 7) })
        let file = SentFile(name: "notes.txt", bytes: bytes)
        var receiver = SentFile.Receiver()
        var rest = file.stream
        var received: SentFile?
        while !rest.isEmpty {
            #expect(received == nil)
            received = try receiver.receive(Data(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        #expect(received == file)
        #expect(receiver.progress == (3000, 3000))
    }

    @Test("An empty file without a name arrives")
    func empty() throws {
        var receiver = SentFile.Receiver()
        let file = SentFile(name: "", bytes: Data())
        let received = try receiver.receive(file.stream)
        #expect(received == file)
    }

    static let wrong: [([UInt8], SentFile.Failure)] = [
        ([0x47], .notAFile),
        (Array("fine".utf8), .notAFile),
        (Array("file".utf8) + [1, 0, 0x10, 0, 0, 0, 0, 0, 0], .tooLarge),
        (Array("file".utf8) + [1, 0, 0, 0, 0, 0, 0, 0, 0, 9], .damaged),
        (Array("file".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 0, 9], .damaged),
    ]

    @Test("Bytes that are not a file are rejected", arguments: wrong)
    func refused(bytes: [UInt8], failure: SentFile.Failure) {
        var receiver = SentFile.Receiver()
        #expect(throws: failure) { _ = try receiver.receive(Data(bytes)) }
    }

    @Test(
        "A received file cannot choose its folder",
        arguments: [
            ("notes.txt", "notes.txt"), ("../../etc/passwd", "passwd"), ("/", "file"),
            ("..", "file"), (".bashrc", "bashrc"), ("a\u{1B}[2J\n.txt", "a2J.txt"), ("", "file"),
        ]
    )
    func safeName(name: String, safe: String) {
        #expect(SentFile.safeName(name) == safe)
    }

    // MARK: Output

    private static let ben = Peer(
        id: id,
        name: "Ben",
        identity: Data([1, 2]),
        roles: [.central, .peripheral]
    )
    private static let transfer = Transfer(
        number: 1,
        direction: .to,
        peer: ben,
        file: "a.txt",
        transferredCount: 50,
        total: 200
    )

    @Test("A bar with long names fits into a row of 100 columns")
    func longNames() {
        let file = String(repeating: "a", count: 255)
        let transfer = Transfer(number: 1, direction: .from, peer: Self.ben, file: file)
        #expect(transfer.title == String(repeating: "a", count: 23) + "… from Ben")
        let stranger = Peer(id: Self.id, name: Self.text)
        let long = Transfer(number: 1, direction: .from, peer: stranger, file: file)
        #expect(long.bar().count <= 100)
    }

    static let lines: [(NodeEvent, String?)] = [
        (.peer(ben), "● Ben  central and peripheral  \(text)"),
        (.peer(Peer(id: id, name: text, roles: [.central])), "● \(text)  central"),
        (.peer(Peer(id: id, name: "Ben")), "○ Ben  gone"),
        (.received("hi\u{1B}[2J", from: ben), "Ben: hi\u{FFFD}[2J"),
        (.sent("hi", peers: 2), "> hi  (to 2)"),
        (.unsent("hi", to: ben, reason: "full"), "not sent to Ben: hi (full)"),
        (.progress(transfer), nil), (.advertising(false, name: "Ann"), nil),
        (
            .transferred(transfer, checksum: 1, path: nil),
            "a.txt to Ben  [#####···············]  25 %"
        ),
        (.notTransferred(transfer, reason: "lost"), "a.txt to Ben failed: lost"),
    ]

    @Test("Each event has a line of text", arguments: lines)
    func line(event: NodeEvent, line: String?) {
        #expect(event.text(on: Terminal(isInteractive: false, hasColor: false)) == line)
    }

    static let objects: [(NodeEvent, String)] = [
        (
            .peer(ben),
            #"{"event":"peer","identity":"0102","name":"Ben","peer":"\#(text)","#
                + #""roles":["central","peripheral"]}"#
        ),
        (
            .received("hi", from: ben),
            #"{"event":"received","name":"Ben","peer":"\#(text)","text":"hi"}"#
        ),
        (.sent("hi", peers: 2), #"{"event":"sent","peers":2,"text":"hi"}"#),
        (.scanning(true), #"{"event":"scanning","isActive":true}"#),
        (
            .transferred(transfer, checksum: 0xABC, path: "/tmp/a.txt"),
            #"{"bytes":50,"checksum":"00000abc","direction":"to","event":"transferred","#
                + #""file":"a.txt","name":"Ben","path":"/tmp/a.txt","peer":"\#(text)","total":200}"#
        ),
    ]

    @Test("Each event is one JSON object", arguments: objects)
    func object(event: NodeEvent, line: String) throws {
        #expect(try JSONLines().line(event.object) == line)
    }

    static let arguments = [
        (["--name", ""], "--name takes 1 to 20 bytes"),
        (["--name", "äöüäöüäöüäö"], "--name takes 1 to 20 bytes"),
        (["--expect", "-1"], "--expect takes a number from 0 to 100"),
        (["--send", "/nowhere"], "--send cannot read /nowhere"),
        (["--for", "0"], "--for takes a number of seconds above 0"),
    ]

    @Test("An invalid argument is rejected with the reason", arguments: arguments)
    func refused(arguments: [String], reason: String) async throws {
        let (lines, status) = try await runProgram("mesh-node", arguments, isErrorOutput: true)
        #expect(status == 64)
        #expect(lines.joined(separator: "\n").contains(reason))
    }
}
