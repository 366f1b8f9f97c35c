import TestSupport
import Testing

@testable import BluejayDBus

@Suite("The layout of message bodies", .timeLimit(.minutes(15)))
struct MessageBodyTests {
    private func message(_ arguments: [BusValue]) throws -> BusMessage {
        try BusMessage.signal(path: "/a", interface: "a.b", member: "C", arguments: arguments)
    }

    static let values =
        ValueRoundTripTests.basics + ValueRoundTripTests.arrays + ValueRoundTripTests.containers

    @Test("libdbus stores a body contiguously, so that strings and bytes are found in it")
    func inOnePiece() throws {
        #expect(MessageBody.isContiguous)
        let found: [[BusValue]] = [
            [.string("a")], [.objectPath("/a"), .byte(1)], [.bytes([1])],
            [.properties([("a", .byte(1))])],
            [.dictionary([BusEntry(.objectPath("/a"), .byte(1))], key: "o", value: "y")],
        ]
        for arguments in found {
            #expect(MessageBody.inPlace(try message(arguments)) != nil)
        }
        let others: [[BusValue]] = [
            [], [.byte(1)], [.bytes([])], [.properties([])], [.variant(.string("a"))],
            [.structure([.string("a")])], [.strings(["a"])],
        ]
        for arguments in others {
            #expect(MessageBody.inPlace(try message(arguments)) == nil)
        }
    }

    @Test("Arguments are the same in place and in a copy", arguments: values)
    func copy(value: BusValue) throws {
        // After a number the value is read in a copy, after a text in place.
        let copied = try message([.byte(1), value, .uint16(2), value])
        let lying = try message([.string("a"), value, .uint16(2), value])
        #expect(try copied.arguments().dropFirst() == [value, .uint16(2), value])
        #expect(try lying.arguments().dropFirst() == [value, .uint16(2), value])
        #expect(try message([value]).arguments() == [value])
    }

    @Test("A message without arguments has none, also through its reader")
    func nothing() throws {
        let message = try message([])
        #expect(try message.arguments() == [])
        #expect(message.reader.kind == .end)
        #expect(message.reader.value() == nil)
    }

    @Test("The reader skips a value of any type", arguments: values)
    func skipped(value: BusValue) throws {
        let structure = BusValue.structure([value, value, .byte(7)])
        var fields = try #require(try message([structure]).reader.enter())
        fields.next()
        fields.next()
        #expect(fields.integer() == 7)
        var elements = try #require(
            try message([.array([value, value], element: value.signature)]).reader.enter()
        )
        elements.next()
        if value.signature != "y" { #expect(elements.value() == value) }
        elements.next()
        #expect(elements.kind == .end)
    }

    @Test("The only property of a change is found, of any type", arguments: values)
    func onlyChange(value: BusValue) throws {
        func change(_ properties: BusProperties) throws -> BusValue? {
            let arguments: [BusValue] = [.string("a.b"), .properties(properties), .strings(["x"])]
            return try message(arguments).reader.onlyChange(of: "a.b", to: "Value")?.value()
        }
        #expect(try change([("Value", value)]) == value)
        #expect(try change([("Value", value), ("Value", value)]) == nil)
        #expect(try change([("Other", value)]) == nil)
        #expect(try change([]) == nil)
        let wrong: [[BusValue]] = [
            [.string("a.c"), .properties([("Value", value)])], [.string("a.b"), value],
            [.objectPath("/a"), .properties([("Value", value)])], [.string("a.b")], [value], [],
        ]
        for arguments in wrong {
            #expect(try message(arguments).reader.onlyChange(of: "a.b", to: "Value") == nil)
        }
    }

    @Test("Descriptors are found at any position")
    func descriptors() throws {
        let pairs = try (0..<4).map { _ in try #require(SequencedPacketSocket.pair()) }
        let sent = pairs.map { BusValue.fileDescriptor($0.other) }
        let message = try message([
            .string("a"), sent[0], .array([sent[1], .variant(sent[2]).unwrapped], element: "h"),
            .properties([("x", .byte(1)), ("y", sent[3])]),
        ])
        var found: [BusFileDescriptor] = []
        func take(_ value: BusValue?) {
            if case .fileDescriptor(let descriptor) = value?.unwrapped { found.append(descriptor) }
        }
        var reader = message.reader
        reader.next()
        take(reader.value())
        reader.next()
        for value in reader.value()?.elements ?? [] { take(value) }
        reader.next()
        take(reader.namedValues()?["y"])
        #expect(found.count == 4)
        for (number, pair) in pairs.enumerated() {
            #expect(pair.own.send([UInt8(number)]) == .sent)
        }
        let packets = found.map { SequencedPacketSocket($0).receive(atMost: 10) }
        #expect(packets == (0..<4).map { .packet([UInt8($0)]) })
    }

    @Test("The hash of a path equals the hash of a message about it, and of no other path")
    func pathNumbers() throws {
        var numbers: Set<UInt64> = []
        let paths = (0..<2000).compactMap { ObjectPath("/org/bluez/hci0/dev_\($0)/service0001") }
        for path in paths + ["/", "/a", "/aa", "/aaaaaaa", "/aaaaaaaa"] {
            let message = try BusMessage.signal(
                path: path,
                interface: "a.b",
                member: "C",
                arguments: []
            )
            #expect(message.pathHash == path.fastHash)
            numbers.insert(path.fastHash)
        }
        #expect(numbers.count == 2005)
    }
}
