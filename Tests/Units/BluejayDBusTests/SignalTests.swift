import TestSupport
import TestTraits
import Testing

@testable import BluejayDBus

@Suite("Signals", .timeLimit(.minutes(15)))
struct SignalTests {
    let fixture: BusFixture
    let client: BusConnection
    let server: BusConnection

    init() throws {
        fixture = try BusFixture()
        client = try fixture.connect()
        server = try fixture.connect()
    }

    private static let changed = MatchRule(interface: "org.example.Test", member: "Changed")

    private func emit(_ argument: String = "", at path: ObjectPath = "/test") throws {
        try server.emit(path, "org.example.Test", "Changed", [.string(argument)])
    }

    /// Returns the number of match rules of a connection.
    private func ruleCount(_ connection: BusConnection) throws -> Int? {
        let call = MethodCall(
            to: "org.freedesktop.DBus",
            at: "/org/freedesktop/DBus",
            "org.freedesktop.DBus.Debug.Stats",
            "GetConnectionStats",
            [.string(connection.uniqueName ?? "")]
        )
        return try fixture.result(client, call).get().first?.namedValues?["MatchRules"]?.integer
    }

    @Test("A thousand signals arrive in the order in which they were sent")
    func order() throws {
        var record: [String] = []
        client.subscribe(Self.changed) { record.append((try? $0.arguments())?.first?.text ?? "") }
        try fixture.settle(client)
        for number in 0..<1000 { try emit("\(number)") }
        try fixture.loop.wait(for: "all signals") { record.count == 1000 }
        #expect(record == (0..<1000).map(String.init))
    }

    struct Filter: CustomTestStringConvertible, Swift.Sendable {
        let testDescription: String
        let rule: MatchRule
        let expected: [String]
    }

    static let filters = [
        Filter(
            testDescription: "the path itself",
            rule: MatchRule(path: "/org/bluez/hci1"),
            expected: ["/org/bluez/hci1 Changed a"]
        ),
        Filter(
            testDescription: "hci1 and its children, not hci10",
            rule: MatchRule(pathNamespace: "/org/bluez/hci1"),
            expected: [
                "/org/bluez/hci1 Changed a", "/org/bluez/hci1/dev_A Changed a",
                "/org/bluez/hci1/dev_A/service0001 Gone b",
            ]
        ),
        Filter(
            testDescription: "the first argument",
            rule: MatchRule(interface: "org.example.Test", firstArgument: "b"),
            expected: ["/org/bluez/hci1/dev_A/service0001 Gone b", "/org/bluez Changed b"]
        ),
        Filter(
            testDescription: "the member and the first argument",
            rule: MatchRule(
                interface: "org.example.Test",
                member: "Changed",
                firstArgument: "it's"
            ),
            expected: ["/org/bluez/hci10 Changed it's"]
        ),
        Filter(
            testDescription: "another interface",
            rule: MatchRule(interface: "org.example.Other", member: "Changed"),
            expected: []
        ),
        Filter(
            testDescription: "a sender by its well-known name",
            rule: MatchRule(sender: "org.example.Server", member: "Gone"),
            expected: ["/org/bluez/hci1/dev_A/service0001 Gone b"]
        ),
        Filter(
            testDescription: "a sender that does not exist",
            rule: MatchRule(sender: "org.example.Nobody", interface: "org.example.Test"),
            expected: []
        ),
    ]

    @Test("A match rule receives exactly the signals that it describes", arguments: filters)
    func rules(filter: Filter) throws {
        var owned = false
        server.requestName("org.example.Server") { owned = $0 == nil }
        try fixture.loop.wait(for: "the name") { owned }
        var record: [String] = []
        client.subscribe(filter.rule) { message in
            guard message.interface?.hasPrefix("org.example.") == true else { return }
            let argument = (try? message.arguments())?.first?.text ?? ""
            record.append("\(message.path ?? "/") \(message.member ?? "") \(argument)")
        }
        try fixture.settle(client)
        let sent: [(ObjectPath, String, String)] = [
            ("/org/bluez/hci1", "Changed", "a"),
            ("/org/bluez/hci1/dev_A", "Changed", "a"),
            ("/org/bluez/hci10", "Changed", "it's"),
            ("/org/bluez/hci1/dev_A/service0001", "Gone", "b"),
            ("/org/bluez", "Changed", "b"),
        ]
        for (path, member, argument) in sent {
            try server.emit(path, "org.example.Test", member, [.string(argument)])
        }
        try fixture.settle(server, client)
        #expect(record == filter.expected)
    }

    @Test("Two overlapping rules deliver each signal once to each subscription")
    func overlap() throws {
        var record: [String] = []
        client.subscribe(Self.changed) { _ in record.append("all") }
        client.subscribe(MatchRule(path: "/a")) { _ in record.append("a") }
        client.subscribe(MatchRule(path: "/b")) { _ in record.append("b") }
        try fixture.settle(client)
        try emit(at: "/a")
        try emit(at: "/b")
        try emit(at: "/c")
        try fixture.settle(server, client)
        #expect(record == ["all", "a", "all", "b", "all"])
    }

    @Test("Subscriptions with different rules receive a signal in the order of subscription")
    func orderOfRules() throws {
        var record: [Int] = []
        let rules = [
            MatchRule(interface: "org.example.Test"), Self.changed,
            MatchRule(interface: "org.example.Test", member: "Gone"), MatchRule(member: "Changed"),
            Self.changed, MatchRule(interface: "org.example.Test"),
            MatchRule(interface: "org.example.Test", member: "Change"),
        ]
        for (number, rule) in rules.enumerated() {
            client.subscribe(rule) { _ in record.append(number) }
        }
        try fixture.settle(client)
        try emit()
        try fixture.settle(server, client)
        #expect(record == [0, 1, 3, 4, 5])
    }

    @Test(
        "Equal rules are added to the bus once, and removed with the last subscription",
        .pitfall(.matchRuleCost)
    )
    func counted() throws {
        var record: [String] = []
        let before = try #require(try ruleCount(client))
        let first = client.subscribe(Self.changed) { _ in record.append("first") }
        let second = client.subscribe(Self.changed) { _ in record.append("second") }
        let other = client.subscribe(MatchRule(path: "/other")) { _ in }
        #expect(try ruleCount(client) == before + 2)
        first.cancel()
        first.cancel()
        other.cancel()
        #expect(try ruleCount(client) == before + 1)
        try emit()
        try fixture.settle(server, client)
        #expect(record == ["second"])
        second.cancel()
        #expect(try ruleCount(client) == before)
        let third = client.subscribe(Self.changed) { _ in record.append("third") }
        try fixture.settle(client)
        try emit()
        try fixture.settle(server, client)
        #expect(record == ["second", "third"])
        third.cancel()
    }

    @Test("A subscription lasts as long as the connection, even if its token is released")
    func notHeld() throws {
        var count = 0
        client.subscribe(Self.changed) { _ in count += 1 }
        try fixture.settle(client)
        try emit()
        try fixture.settle(server, client)
        #expect(count == 1)
    }

    @Test("A handler that cancels itself receives no further signal")
    func cancelsItself() throws {
        var count = 0
        var subscription: SignalSubscription?
        subscription = client.subscribe(Self.changed) { _ in
            count += 1
            subscription?.cancel()
        }
        try fixture.settle(client)
        for _ in 1...3 { try emit() }
        try fixture.settle(server, client)
        #expect(count == 1)
        withExtendedLifetime(subscription) {}
    }

    @Test("A handler cancelled by an earlier one does not receive the current signal")
    func cancelledByAnother() throws {
        var record: [String] = []
        var second: SignalSubscription?
        client.subscribe(Self.changed) { _ in
            record.append("first")
            second?.cancel()
        }
        second = client.subscribe(Self.changed) { _ in record.append("second") }
        client.subscribe(Self.changed) { _ in record.append("third") }
        try fixture.settle(client)
        try emit()
        try fixture.settle(server, client)
        #expect(record == ["first", "third"])
    }

    @Test("A handler added in a handler receives the next signal, not the current one")
    func addedInHandler() throws {
        var record: [String] = []
        client.subscribe(Self.changed) { [client] _ in
            record.append("first")
            guard record.count == 1 else { return }
            client.subscribe(Self.changed) { _ in record.append("second") }
        }
        try fixture.settle(client)
        try emit()
        try emit()
        try fixture.settle(server, client)
        #expect(record == ["first", "first", "second"])
    }

    @Test("Changes of name ownership are reported with the old and the new owner")
    func ownerChanges() throws {
        let bus = "org.freedesktop.DBus"
        let name = "org.example.Server"
        var record: [[String]] = []
        client.subscribe(
            MatchRule(sender: bus, interface: bus, member: "NameOwnerChanged", firstArgument: name)
        ) { record.append(((try? $0.arguments()) ?? []).compactMap(\.text)) }
        try fixture.settle(client)
        server.requestName("org.example.Unrelated") { _ in }
        server.requestName(name) { _ in }
        try fixture.loop.wait(for: "the name") { record.count == 1 }
        let owner = server.uniqueName ?? ""
        server.close()
        try fixture.loop.wait(for: "its end") { record.count == 2 }
        #expect(record == [[name, "", owner], [name, owner, ""]])
    }
}
