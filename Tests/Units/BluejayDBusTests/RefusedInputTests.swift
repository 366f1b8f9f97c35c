import TestSupport
import Testing

@testable import BluejayDBus

@Suite("Invalid input", .timeLimit(.minutes(15)))
struct RefusedInputTests {
    struct Case: CustomTestStringConvertible, Swift.Sendable {
        let testDescription: String
        let value: BusValue
        init(_ description: String, _ value: BusValue) {
            testDescription = description
            self.value = value
        }
    }

    static let values = [
        Case("NUL in a string", .string("a\0b")),
        Case(
            "NUL in a string in a variant in an array",
            .array([.variant(.string("\0"))], element: "v")
        ),
        Case("NUL in a signature", .signature("s\0")),
        Case("no signature", .signature("!")),
        Case("unfinished signature", .signature("a")),
        Case("array with elements of two types", .array([.byte(1), .string("a")], element: "y")),
        Case("array with elements of another type", .array([.string("a")], element: "v")),
        Case("array without a valid element type", .array([], element: "!")),
        Case("array without an element type", .array([], element: "")),
        Case("array with two element types", .array([], element: "ss")),
        Case("array of a dictionary entry", .array([], element: "{sv")),
        Case("array with a NUL in its type", .array([], element: "s\0")),
        Case("array of a bad array", .array([.array([], element: "!")], element: "a!")),
        Case("structure without fields", .structure([])),
        Case("structure without fields in a variant", .variant(.structure([]))),
        Case(
            "variant of an array without a valid element type",
            .variant(.array([], element: "!"))
        ),
        Case("variant of an array without an element type", .variant(.array([], element: ""))),
        Case("variant of a bad dictionary", .variant(.dictionary([], key: "v", value: "s"))),
        Case("dictionary with a container as key", .dictionary([], key: "as", value: "s")),
        Case("dictionary without a value type", .dictionary([], key: "s", value: "")),
        Case("dictionary with two value types", .dictionary([], key: "s", value: "ss")),
        Case("two dictionaries in one", .dictionary([], key: "s", value: "v}a{sv")),
        Case(
            "dictionary with a key of another type",
            .dictionary([BusEntry(.byte(1), .string("a"))], key: "s", value: "s")
        ),
        Case(
            "dictionary with a value of another type",
            .dictionary([BusEntry(.string("k"), .string("a"))], key: "s", value: "v")
        ),
        Case("33 nested arrays", nestedArray(33)),
        Case("33 nested structures", nestedStructure(33)),
        Case("33 nested structures in a variant", .variant(nestedStructure(33))),
        Case("65 nested variants", nestedVariant(65)),
        Case("a closed descriptor", .fileDescriptor(BusFileDescriptor(owning: -1))),
    ]

    @Test("An invalid value fails the call in a later iteration and leaves the connection usable")
    func badValues() throws {
        let fixture = try BusFixture()
        let (client, echo) = (try fixture.connect(), try fixture.connectEcho())
        for bad in Self.values {
            for arguments in [[bad.value], [.byte(1), .variant(.byte(2)), bad.value]] {
                var results: [CallResult] = []
                let call = MethodCall.test(echo, "Do", arguments)
                client.call(call, timeout: .seconds(25)) { results.append($0) }
                #expect(results.isEmpty, "\(bad.testDescription)")
                try fixture.loop.wait(for: "a failure: \(bad.testDescription)") {
                    !results.isEmpty
                }
                let names = results.map(\.errorName)
                #expect(names == [errorPrefix + "InvalidArgs"], "\(bad.testDescription)")
            }
        }
        let result = try fixture.result(client, .test(echo, "Do", [.byte(1)]))
        #expect(result == .success([.byte(1)]))
    }

    static let calls: [MethodCall] = [
        call(destination: ""), call(destination: "nodots"), call(destination: "org..example"),
        call(destination: "org.exa\0mple"), call(destination: "org.example "),
        call(destination: "org." + String(repeating: "a", count: 252)),
        call(interface: ""), call(interface: "nodots"), call(interface: "org.1example"),
        call(interface: "org.example\0"), call(interface: "org.exämple"),
        call(member: ""), call(member: "a.b"), call(member: "1a"), call(member: "a\0"),
        call(member: String(repeating: "a", count: 256)),
    ]

    private static func call(
        destination: String = "org.example",
        interface: String = "org.example.Test",
        member: String = "Do"
    ) -> MethodCall {
        MethodCall(to: destination, at: "/test", interface, member)
    }

    @Test("An invalid name fails the call in a later iteration and leaves the connection usable")
    func badNames() throws {
        let fixture = try BusFixture()
        let client = try fixture.connect()
        for call in Self.calls {
            #expect(
                try fixture.result(client, call).errorName == errorPrefix + "InvalidArgs",
                "\(call)"
            )
        }
        #expect(try fixture.result(client, .bus("GetId")).errorName == nil)
    }

    @Test("More arguments than a signature can name are rejected")
    func tooManyArguments() throws {
        let fixture = try BusFixture()
        let (client, echo) = (try fixture.connect(), try fixture.connectEcho())
        let most = [BusValue](repeating: .byte(1), count: 255)
        #expect(try fixture.result(client, .test(echo, "Do", most)) == .success(most))
        let more = most + [.byte(1)]
        let refused = try fixture.result(client, .test(echo, "Do", more))
        #expect(refused.errorName == errorPrefix + "InvalidArgs")
        #expect(client.isOpen)
    }

    @Test("An invalid signal is rejected")
    func badSignals() throws {
        let fixture = try BusFixture()
        let client = try fixture.connect()
        #expect(throws: BusError.self) { try client.emit("/test", "nodots", "Changed") }
        #expect(throws: BusError.self) { try client.emit("/test", "org.example.Test", "a.b") }
        #expect(throws: BusError.self) { try client.emit("/test", "org.example.Test", "a\0") }
        for bad in Self.values {
            #expect(throws: BusError.self, "\(bad.testDescription)") {
                try client.emit("/test", "org.example.Test", "Changed", [bad.value])
            }
        }
        try client.emit("/test", "org.example.Test", "Changed", [.byte(1)])
        try fixture.settle(client)
        #expect(client.isOpen)
    }

    @Test("An invalid reply reaches the caller as an error")
    func badAnswers() throws {
        let fixture = try BusFixture()
        let (client, server) = (try fixture.connect(), try fixture.connect())
        var answer: (MethodInvocation) -> Void = { _ in }
        server.onMethodCall = { [unowned server] message in
            answer(MethodInvocation(message, on: server))
            return true
        }
        for bad in Self.values {
            answer = { $0.reply([bad.value]) }
            #expect(
                try fixture.result(client, .test(server)).errorName == errorPrefix + "Failed",
                "\(bad.testDescription)"
            )
        }
        answer = { $0.fail("nodots", "text") }
        #expect(try fixture.result(client, .test(server)).errorName == errorPrefix + "Failed")
        answer = { $0.fail("org.example.Error", "te\0xt") }
        let expected = BusError(name: "org.example.Error", message: "")
        #expect(try fixture.result(client, .test(server)) == .failure(expected))
    }

    @Test(
        "Malformed text is not an object path",
        arguments: ["", "a", "a/b", "/a/", "//", "/a//b", "/a-b", "/ä", "/a\0", "/a b", "/a/\0"]
    )
    func badPaths(text: String) {
        #expect(ObjectPath(text) == nil)
    }

    @Test("The bus rejects an invalid match rule, and the connection stays usable")
    func badRule() throws {
        let fixture = try BusFixture()
        let client = try fixture.connect()
        let subscriptions = [
            client.subscribe(MatchRule(interface: "no'dots")) { _ in },
            client.subscribe(MatchRule(sender: "a\0b")) { _ in },
        ]
        try fixture.settle(client)
        for subscription in subscriptions { subscription.cancel() }
        try fixture.settle(client)
        #expect(client.isOpen)
    }
}
