import BluejayGLib
import TestSupport
import Testing

@testable import BluejayDBus

@Suite("Built-in replies of a connection", .timeLimit(.minutes(15)))
struct BuiltInTests {
    let fixture: BusFixture
    let client: BusConnection
    let server: BusConnection

    init() throws {
        fixture = try BusFixture()
        client = try fixture.connect()
        server = try fixture.connect()
    }

    private func ask(_ interface: String, _ member: String) throws -> CallResult {
        let call = MethodCall(to: server.uniqueName ?? "", at: "/some/object", interface, member)
        return try fixture.result(client, call)
    }

    private func unknown(_ interface: String, _ member: String) -> CallResult {
        let text =
            "Method \"\(member)\" with signature \"\" on interface \"\(interface)\" doesn't exist\n"
        return .failure(BusError(name: errorPrefix + "UnknownMethod", message: text))
    }

    private static let peer = "org.freedesktop.DBus.Peer"

    @Test("A ping receives a reply before any handler")
    func ping() throws {
        #expect(try ask(Self.peer, "Ping") == .success([]))
        var record: [String] = []
        server.onMethodCall = {
            record.append($0.member ?? "")
            return false
        }
        #expect(try ask(Self.peer, "Ping") == .success([]))
        #expect(record == [])
    }

    @Test("GetMachineId returns the same value as the bus")
    func machine() throws {
        let ours = try ask(Self.peer, "GetMachineId")
        let bus = MethodCall(
            to: "org.freedesktop.DBus",
            at: "/org/freedesktop/DBus",
            Self.peer,
            "GetMachineId"
        )
        let other = try fixture.result(client, bus)
        switch (ours, other) {
        case (.success(let mine), .success(let others)): #expect(mine == others)
        // A container may lack an identity, which neither end knows then.
        case (.failure(let mine), .failure(let others)): #expect(mine.name == others.name)
        default: Issue.record("\(ours), and the bus: \(other)")
        }
    }

    @Test("An unhandled call receives an error with the text of libdbus")
    func unhandled() throws {
        let text = "Unknown method invoked on org.freedesktop.DBus.Peer interface"
        let noPeer = BusError(name: errorPrefix + "UnknownMethod", message: text)
        #expect(try ask(Self.peer, "Other") == .failure(noPeer))
        let test = "org.example.Test"
        #expect(try ask(test, "Do") == unknown(test, "Do"))
        server.onMethodCall = { _ in false }
        #expect(try ask(test, "Do") == unknown(test, "Do"))
        server.onMethodCall = { _ in true }
        #expect(try ask(Self.peer, "Other") == .failure(noPeer))
    }

    @Test("A connection without objects has an empty tree")
    func introspection() throws {
        let answer = try ask("org.freedesktop.DBus.Introspectable", "Introspect")
        let document = Introspection.document([], children: [])
        #expect(document.hasSuffix("<node>\n</node>\n"))
        #expect(answer == .success([.string(document)]))
    }

    @Test("A call without an expected reply receives none")
    func noReply() throws {
        var record: [UInt32] = []
        client.messageFilter = {
            record.append($0.replySerial)
            return false
        }
        for member in ["Ping", "Other"] {
            let call = MethodCall(to: server.uniqueName ?? "", at: "/", Self.peer, member)
            let message = try BusMessage.methodCall(call)
            message.setNoReplyExpected()
            client.send(message)
        }
        try fixture.settle(server, client)
        // The reply to `settle` only.
        #expect(record.count == 1)
    }

    @Test("The message filter receives each call first, and calls that it takes receive no reply")
    func monitor() throws {
        var record: [String] = []
        server.messageFilter = {
            guard $0.kind == .methodCall else { return false }
            record.append($0.member ?? "")
            return true
        }
        var results: [CallResult] = []
        for (interface, member) in [(Self.peer, "Ping"), ("org.example.Test", "Do")] {
            let call = MethodCall(to: server.uniqueName ?? "", at: "/", interface, member)
            client.call(call, timeout: .seconds(5)) { results.append($0) }
        }
        try fixture.loop.wait(for: "both calls") { record.count == 2 }
        try fixture.settle(server, client)
        #expect(record == ["Ping", "Do"])
        #expect(results == [])
        fixture.loop.clock.advance(by: .seconds(5))
        #expect(results == [.failure(.noReply), .failure(.noReply)])
    }
}
