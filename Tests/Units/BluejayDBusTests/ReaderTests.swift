import Foundation
import TestSupport
import Testing

@testable import BluejayDBus

@Suite("Reading in place", .timeLimit(.minutes(15)))
struct ReaderTests {
    /// Returns a message as received.
    private func message(
        _ arguments: [BusValue],
        path: ObjectPath = "/org/bluez/hci0/dev_A"
    ) throws -> BusMessage {
        try BusMessage.signal(
            path: path,
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged",
            arguments: arguments
        )
    }

    private func changed(
        _ properties: BusProperties,
        interface: String = "org.bluez.GattCharacteristic1"
    ) throws -> BusMessage {
        try message([.string(interface), .properties(properties), .strings([])])
    }

    /// Returns the value of a notification, extracted in both ways of a client.
    private func notified(_ message: BusMessage) -> Data? {
        let value = stepByStep(message)
        let interface = "org.bluez.GattCharacteristic1"
        #expect(message.reader.onlyChange(of: interface, to: "Value")?.data() == value)
        return value
    }

    private func stepByStep(_ message: BusMessage) -> Data? {
        var arguments = message.reader
        guard arguments.isString("org.bluez.GattCharacteristic1"), arguments.next(),
            var changed = arguments.enter(), var entry = changed.enter(), !changed.next(),
            entry.isString("Value"), entry.next(), entry.openVariant()
        else { return nil }
        return entry.data()
    }

    // `#expect` does not accept a mutating call.
    private func next(_ reader: inout BusReader) -> Bool { reader.next() }

    @Test("The value of a notification is read from its message, and from no other message")
    func notification() throws {
        let value = BusValue.bytes([1, 2, 3])
        #expect(notified(try changed([("Value", value)])) == Data([1, 2, 3]))
        #expect(notified(try changed([("Value", .bytes([]))])) == Data())
        #expect(notified(try changed([("Value", value), ("Notifying", .boolean(true))])) == nil)
        #expect(notified(try changed([("Values", value)])) == nil)
        #expect(notified(try changed([("Valu", value)])) == nil)
        #expect(notified(try changed([("Value", .string("abc"))])) == nil)
        #expect(notified(try changed([("Value", .array([.uint16(1)], element: "q"))])) == nil)
        #expect(notified(try changed([])) == nil)
        #expect(notified(try changed([("Value", value)], interface: "org.bluez.Device1")) == nil)
        #expect(notified(try message([])) == nil)
        #expect(notified(try message([.byte(1), value])) == nil)
    }

    @Test(
        "Properties are read by name; variants are unwrapped, and the first of equal names is used"
    )
    func namedValues() throws {
        let properties: BusProperties = [
            ("A", .byte(1)), ("B", .variant(.variant(.string("b")))), ("A", .byte(2)),
            ("C", .properties([("D", .bytes([1]))])),
        ]
        let expected: [String: BusValue] = [
            "A": .byte(1), "B": .string("b"), "C": .properties([("D", .bytes([1]))]),
        ]
        #expect(try message([.properties(properties)]).reader.namedValues() == expected)
        let wrapped = BusValue.variant(.variant(.properties(properties)))
        #expect(try message([wrapped]).reader.namedValues() == expected)
        let text = BusEntry(.string("A"), .string("a"))
        let texts = BusValue.dictionary([text], key: "s", value: "s")
        #expect(try message([texts]).reader.namedValues() == ["A": .string("a")])
        #expect(try message([.properties([])]).reader.namedValues() == [:])
        #expect(try message([]).reader.namedValues() == nil)
        let others: [BusValue] = [
            .byte(1), .string("A"), .strings(["A"]), .bytes([1]), .structure([.properties([])]),
            .variant(.byte(1)), .dictionary([BusEntry(.byte(1), .byte(1))], key: "y", value: "y"),
        ]
        for other in others {
            #expect(try message([other]).reader.namedValues() == nil, "\(other)")
        }
    }

    @Test("A value outlives its message")
    func copied() throws {
        var data: Data?
        do { data = notified(try changed([("Value", .bytes(Array(0..<200)))])) }
        #expect(data == Data(0..<200))
        var reader = try message([.string("Grüße"), .bytes([7])]).reader
        #expect(reader.string() == "Grüße")
        reader.next()
        #expect(reader.bytes() == [7])
    }

    @Test("Only the getter of its type reads a value")
    func types() throws {
        var reader = try message([
            .boolean(true), .string("s"), .objectPath("/a/b"), .byte(255), .int16(-1),
            .uint16(.max), .int32(.min), .uint32(.max), .int64(.min), .uint64(7), .uint64(.max),
            .bytes([1]), .variant(.string("v")), .structure([.byte(1)]),
        ]).reader
        var record: [String] = []
        repeat {
            let texts = [
                reader.boolean().map { "\($0)" }, reader.string(), reader.path()?.text,
                reader.integer().map { "\($0)" }, reader.bytes().map { "\($0)" },
            ]
            record.append(texts.compactMap(\.self).joined(separator: "|"))
        } while reader.next()
        #expect(
            record == [
                "true", "s", "/a/b", "255", "-1", "65535", "-2147483648", "4294967295",
                "-9223372036854775808", "7", "", "[1]", "", "",
            ]
        )
        #expect(reader.kind == .end)
        #expect(next(&reader) == false)
        #expect(reader.value() == nil)
        #expect(reader.string() == nil)
    }

    @Test("A reader enters containers level by level")
    func containers() throws {
        let inner = BusValue.structure([.string("x"), .strings(["a", "b"])])
        var reader = try message([inner, .strings([]), .byte(1)]).reader
        #expect(reader.kind == .structure)
        var fields = try #require(reader.enter())
        #expect(fields.isString("x"))
        #expect(!fields.isString("xy"))
        #expect(!fields.isString(""))
        #expect(next(&fields) == true)
        #expect(fields.kind == .array)
        var texts = try #require(fields.enter())
        var found: [String] = []
        while let text = texts.string() {
            found.append(text)
            texts.next()
        }
        #expect(found == ["a", "b"])
        #expect(next(&fields) == false)
        #expect(next(&reader) == true)
        let empty = try #require(reader.enter())
        #expect(empty.kind == .end)
        #expect(next(&reader) == true)
        #expect(reader.kind == .byte)
        #expect(reader.enter()?.kind == nil)
        let opened = reader.openVariant()
        #expect(!opened)
    }

    @Test("Any argument can be read as a value without moving the reader")
    func values() throws {
        let values = ValueRoundTripTests.basics + ValueRoundTripTests.containers
        var reader = try message(values).reader
        for value in values {
            #expect(reader.value() == value)
            #expect(reader.value() == value)
            reader.next()
        }
        #expect(reader.kind == .end)
    }

    @Test("The position of a string in a list is found without a copy")
    func position() throws {
        var reader = try message([.string("b"), .string(""), .objectPath("/b")]).reader
        #expect(reader.position(in: ["a", "bb", "b", "b"]) == 2)
        #expect(reader.position(in: ["", "bb", "B"]) == nil)
        #expect(reader.position(in: []) == nil)
        reader.next()
        #expect(reader.position(in: ["b", ""]) == 1)
        reader.next()
        #expect(reader.position(in: ["/b"]) == nil)
    }

    @Test("A path is compared in place")
    func paths() throws {
        let message = try message([.objectPath("/a/b")], path: "/org/bluez/hci1/dev_A")
        #expect(message.hasPath("/org/bluez/hci1/dev_A"))
        #expect(!message.hasPath("/org/bluez/hci1/dev_AB"))
        #expect(!message.hasPath("/org/bluez/hci1"))
        #expect(message.hasPath(inNamespace: "/org/bluez/hci1/dev_A"))
        #expect(message.hasPath(inNamespace: "/org/bluez/hci1"))
        #expect(message.hasPath(inNamespace: "/"))
        #expect(!message.hasPath(inNamespace: "/org/bluez/hci"))
        #expect(!message.hasPath(inNamespace: "/org/bluez/hci1/dev_A/service1"))
        #expect(message.path == "/org/bluez/hci1/dev_A")
        #expect(message.reader.isPath("/a/b"))
        #expect(!message.reader.isPath("/a"))
        #expect(!message.reader.isString("/a/b"))
    }
}

@Suite("Prepared calls", .timeLimit(.minutes(15)))
struct PreparedCallTests {
    let fixture: BusFixture
    let client: BusConnection
    let echo: BusConnection

    init() throws {
        fixture = try BusFixture()
        client = try fixture.connect()
        echo = try fixture.connectEcho()
    }

    /// Makes the call and returns the arguments that arrived.
    private func echoed(
        _ call: CallTemplate,
        _ write: ((inout BusWriter) -> Void)? = nil
    ) throws -> CallResult {
        var result: ReplyResult?
        if let write {
            client.call(call, writing: write, timeout: .seconds(25)) { result = $0 }
        } else {
            client.call(call, timeout: .seconds(25)) { result = $0 }
        }
        #expect(result == nil, "the reply arrives in a later iteration")
        try fixture.loop.wait(for: "the answer") { result != nil }
        return (result ?? .failure(.noReply)).flatMap { message in
            Result { () throws(BusError) in try message.arguments() }
        }
    }

    @Test("A value as long as the previous one is sent with its own bytes")
    func valuesOfOneLength() throws {
        let type = BusValue.properties([("type", .string("request"))])
        let call = try BytesCallTemplate(.test(echo), type)
        // Equal, changed and zero lengths; the indices of a slice do not begin at 0.
        let values: [Data] = [
            Data([1, 2, 3]), Data([4, 5, 6]), Data([9, 9, 7, 8, 9])[2...4], Data(), Data(),
            Data(repeating: 1, count: 512), Data(repeating: 2, count: 512), Data([1, 2, 3]),
        ]
        for value in values {
            var result: ReplyResult?
            client.call(call, value, timeout: .seconds(25)) { result = $0 }
            try fixture.loop.wait(for: "the answer") { result != nil }
            #expect(try result?.get().arguments() == [.bytes(Array(value)), type])
        }
    }

    @Test("Values of calls that wait together stay separate")
    func valuesAtOnce() throws {
        let call = try BytesCallTemplate(.test(echo), .properties([]))
        var results: [BusValue?] = []
        for value in UInt8(0)..<50 {
            client.call(call, Data([value, value]), timeout: .seconds(25)) { result in
                results.append(try? result.get().arguments().first)
            }
        }
        try fixture.loop.wait(for: "the answers") { results.count == 50 }
        #expect(results == (UInt8(0)..<50).map { .bytes([$0, $0]) })
    }

    @Test("A template can be called repeatedly, each time with other arguments")
    func again() throws {
        let options = try ValidatedValue(.properties([("type", .string("request"))]))
        let call = try CallTemplate(.test(echo))
        for round in UInt8(0)..<3 {
            let value = [UInt8](repeating: round, count: 200 * Int(round))
            let result = try echoed(call) { writer in
                writer.data(Data(value))
                writer.append(options)
            }
            #expect(
                result == .success([.bytes(value), .properties([("type", .string("request"))])])
            )
        }
        #expect(try echoed(call) == .success([]))
    }

    @Test("The fixed arguments of a template precede those of one call")
    func fixedArguments() throws {
        let call = try CallTemplate(.test(echo, "Do", [.string("first")]))
        #expect(try echoed(call) == .success([.string("first")]))
        let result = try echoed(call) {
            $0.string("Grüße")
            $0.bytes([1, 2])
            $0.uint16(517)
            $0.boolean(true)
            $0.append(.variant(.byte(1)))
        }
        #expect(
            result
                == .success([
                    .string("first"), .string("Grüße"), .bytes([1, 2]), .uint16(517),
                    .boolean(true), .variant(.byte(1)),
                ])
        )
    }

    @Test("A value that D-Bus cannot represent fails the call in a later iteration")
    func refused() throws {
        #expect(throws: BusError.self) {
            try CallTemplate(MethodCall(to: "no dots", at: "/", "nodots", "a.b"))
        }
        #expect(throws: BusError.self) { try ValidatedValue(.structure([])) }
        #expect(throws: BusError.self) { try ValidatedValue(.array([], element: "ss")) }
        #expect(throws: BusError.self) { try ValidatedValue(.string("a\0b")) }
        let call = try CallTemplate(.test(echo))
        let invalid = errorPrefix + "InvalidArgs"
        let nul = try echoed(call) {
            $0.string("a\0b")
            $0.string("b")
        }
        #expect(nul.errorName == invalid)
        #expect(try echoed(call) { $0.append(.structure([])) }.errorName == invalid)
        #expect(try echoed(call) { $0.string("still") } == .success([.string("still")]))
    }

    @Test("A call from a template can be cancelled, times out and fails with its bus")
    func ends() throws {
        let server = try fixture.connect()
        let held = HeldCalls(server)
        let call = try CallTemplate(.test(server))
        var record: [String] = []
        func place(_ name: String) -> CallID {
            client.call(call, timeout: .seconds(5)) { result in
                if case .failure(let error) = result { record.append("\(name) \(error.name)") }
            }
        }
        let first = place("first")
        _ = place("second")
        try fixture.loop.wait(for: "the calls") { held.count == 2 }
        client.cancel(first)
        fixture.loop.clock.advance(by: .seconds(5))
        #expect(record == ["second " + errorPrefix + "NoReply"])
        _ = place("third")
        client.close()
        #expect(record.last == "third " + errorPrefix + "Disconnected")
    }
}
