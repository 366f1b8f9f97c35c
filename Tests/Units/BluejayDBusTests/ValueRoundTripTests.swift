import BluejayGLib
import TestSupport
import TestTraits
import Testing

@testable import BluejayDBus

@Suite("Round trips of values through a bus", .timeLimit(.minutes(15)))
struct ValueRoundTripTests {
    static let basics: [BusValue] = [
        .byte(0), .byte(255), .boolean(true), .boolean(false),
        .int16(.min), .int16(.max), .uint16(.max), .int32(.min), .int32(.max), .uint32(.max),
        .int64(.min), .int64(.max), .uint64(.max),
        .double(0), .double(-.infinity), .double(.leastNonzeroMagnitude), .double(.pi),
        .string(""), .string("a"), .string("Grüße 🫐 \u{FFFD}\u{FFFE}"),
        .string(String(repeating: "x", count: 100_000)),
        .objectPath("/"), .objectPath("/org/bluez/hci0/dev_C4_7C"),
        .signature(""), .signature("a{sv}(ii)as"),
    ]

    static let arrays: [BusValue] = [
        .bytes([]), .bytes([0]), .bytes(Array(0...255)),
        .bytes([UInt8](repeating: 7, count: 1_000_000)),
        .strings([]), .strings(["", "b"]),
        .array([], element: "(ii)"), .array([], element: "a{oa{sa{sv}}}"), .array([], element: "h"),
        .array([.bytes([]), .bytes([1, 2])], element: "ay"),
        .array([.strings([]), .strings(["x"])], element: "as"),
        .array([.boolean(true), .boolean(false)], element: "b"),
        .array([.int16(-1), .int16(1)], element: "n"),
        .array([.double(0.5)], element: "d"),
        .array([.variant(.byte(1)), .variant(.string("s"))], element: "v"),
        .array([.structure([.byte(1), .string("s")])], element: "(ys)"),
    ]

    static let containers: [BusValue] = [
        .structure([.byte(1)]),
        .structure([.structure([.structure([.string("deep")])]), .bytes([]), .variant(.int64(1))]),
        .variant(.variant(.variant(.strings([])))),
        .dictionary([], key: "s", value: "v"),
        .dictionary([], key: "y", value: "(a{sv}as)"),
        .dictionary([BusEntry(.uint16(0x004C), .bytes([1]))], key: "q", value: "ay"),
        .dictionary([BusEntry(.objectPath("/a"), .strings(["b"]))], key: "o", value: "as"),
        .dictionary(
            [BusEntry(.boolean(true), .double(1)), BusEntry(.boolean(false), .double(2))],
            key: "b",
            value: "d"
        ),
        .properties([("B", .byte(1)), ("A", .variant(.strings(["x"]))), ("Empty", .bytes([]))]),
        managedObjects,
    ]

    /// The shape of `GetManagedObjects`.
    static let managedObjects = BusValue.dictionary(
        [
            BusEntry(
                .objectPath("/org/bluez/hci0"),
                .dictionary(
                    [
                        BusEntry(.string("org.bluez.Adapter1"), .properties([("A", .byte(1))])),
                        BusEntry(.string("org.freedesktop.DBus.Properties"), .properties([])),
                    ],
                    key: "s",
                    value: "a{sv}"
                )
            ),
            BusEntry(.objectPath("/org/bluez"), .dictionary([], key: "s", value: "a{sv}")),
        ],
        key: "o",
        value: "a{sa{sv}}"
    )

    @Test(
        "Each type arrives as it was sent",
        .computing,
        arguments: [basics, arrays, containers]
    )
    func roundTrip(values: [BusValue]) throws {
        let fixture = try BusFixture()
        let (client, echo) = (try fixture.connect(), try fixture.connectEcho())
        for value in values {
            #expect(try fixture.result(client, .test(echo, "Do", [value])) == .success([value]))
            let wrapped = BusValue.variant(value)
            #expect(try fixture.result(client, .test(echo, "Do", [wrapped])) == .success([wrapped]))
        }
        #expect(try fixture.result(client, .test(echo, "Do", values)) == .success(values))
    }

    @Test("A NaN arrives as NaN")
    func notANumber() throws {
        let fixture = try BusFixture()
        let (client, echo) = (try fixture.connect(), try fixture.connectEcho())
        let result = try fixture.result(client, .test(echo, "Do", [.double(.nan)]))
        guard case .success(let values) = result, case .double(let number) = values.first else {
            Issue.record("\(result)")
            return
        }
        #expect(number.isNaN)
    }

    @Test("Containers nest as deep as the specification allows", arguments: ["a", "(", "v"])
    func depth(kind: String) throws {
        let fixture = try BusFixture()
        let (client, echo) = (try fixture.connect(), try fixture.connectEcho())
        let values = ["a": nestedArray(32), "(": nestedStructure(32), "v": nestedVariant(64)]
        let value = try #require(values[kind])
        #expect(try fixture.result(client, .test(echo, "Do", [value])) == .success([value]))
    }

    @Test("An array of byte values is read as bytes")
    func bytes() throws {
        let fixture = try BusFixture()
        let (client, echo) = (try fixture.connect(), try fixture.connectEcho())
        let value = BusValue.array([.byte(1), .byte(2)], element: "y")
        #expect(
            try fixture.result(client, .test(echo, "Do", [value])) == .success([.bytes([1, 2])])
        )
    }

    @Test("A descriptor arrives open and is closed with its last owner")
    func descriptors() throws {
        let fixture = try BusFixture()
        let (client, echo) = (try fixture.connect(), try fixture.connectEcho())
        let own: SequencedPacketSocket
        do {
            let pair = try #require(SequencedPacketSocket.pair())
            own = pair.own
            let values: [BusValue] = [.fileDescriptor(pair.other), .uint16(517)]
            let result = try fixture.result(client, .test(echo, "Do", values))
            guard case .success(let answer) = result, case .fileDescriptor(let came) = answer.first
            else {
                Issue.record("\(result)")
                return
            }
            #expect(came.number != pair.other.number)
            #expect(own.send([1, 2, 3]) == .sent)
            #expect(came.read(atMost: 512) == [1, 2, 3])
            #expect(own.receive(atMost: 512) == .wouldBlock)
        }
        // The daemon has a copy until it has forwarded it, and so has a child of another test between fork
        // and exec, so wait for the end. An end that stayed open would never hang up.
        var hasHungUp = false
        let source = FileDescriptorSource(
            own.descriptor.number,
            .readable,
            on: fixture.loop.context
        ) { hasHungUp = $0.contains(.hangUp) }
        defer { source.cancel() }
        try fixture.loop.wait(for: "the last owner to close") { hasHungUp }
        #expect(own.receive(atMost: 512) == .closed)
    }

    @Test("Many descriptors arrive in order")
    func manyDescriptors() throws {
        let fixture = try BusFixture()
        let (client, echo) = (try fixture.connect(), try fixture.connectEcho())
        let pairs = try (0..<8).map { _ in try #require(SequencedPacketSocket.pair()) }
        let sent = BusValue.array(pairs.map { .fileDescriptor($0.other) }, element: "h")
        let answer = try fixture.result(client, .test(echo, "Do", [sent])).get()
        let ends = (answer.first?.elements ?? []).compactMap { value -> BusFileDescriptor? in
            if case .fileDescriptor(let end) = value { return end }
            return nil
        }
        for (number, pair) in pairs.enumerated() {
            #expect(pair.own.send([UInt8(number)]) == .sent)
        }
        let packets = ends.map { SequencedPacketSocket($0).receive(atMost: 10) }
        #expect(packets == (0..<8).map { .packet([UInt8($0)]) })
    }
}

/// Returns arrays nested to a depth, the innermost with strings.
func nestedArray(_ depth: Int) -> BusValue {
    (1..<depth).reduce(.strings(["x"])) { value, _ in .array([value], element: value.signature) }
}

func nestedStructure(_ depth: Int) -> BusValue {
    (1..<depth).reduce(.structure([.byte(1)])) { value, _ in .structure([value]) }
}

func nestedVariant(_ depth: Int) -> BusValue {
    (1..<depth).reduce(.variant(.byte(1))) { value, _ in .variant(value) }
}
