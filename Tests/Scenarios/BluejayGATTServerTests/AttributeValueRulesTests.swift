import Bluejay
import BluejayBlueZ
import BluejayDBus
import Foundation
import Testing

@testable import BluejayGATTServer

@Suite("Parts of values")
struct AttributeValueTests {
    static let five = Data([1, 2, 3, 4, 5])

    static let parts: [(rule: String, offset: Int, part: Data?)] = [
        ("a read begins at the first byte", 0, five),
        ("a blob goes on from its offset", 2, Data([3, 4, 5])),
        ("a blob at the end is empty", 5, Data()),
        ("a blob behind the end is refused", 6, nil),
        ("an offset is never negative", -1, nil),
    ]

    @Test("A read gives the rest of the value", arguments: parts)
    func part(rule: String, offset: Int, part: Data?) {
        #expect(AttributeValueRules.part(of: Self.five, from: offset) == part, "\(rule)")
    }

    static let writes: [(rule: String, bytes: Data, offset: Int, AttributeValueRules.WriteEffect)] =
        [
            ("a write replaces the value", Data([9]), 0, .changed(Data([9]))),
            ("an empty write empties it", Data(), 0, .changed(Data())),
            ("a later part replaces the rest", Data([9]), 3, .changed(Data([1, 2, 3, 9]))),
            ("a part at the end is appended", Data([9]), 5, .changed(five + Data([9]))),
            ("a part behind the end is refused", Data([9]), 6, .rejected(.invalidOffset)),
            ("512 bytes fit", Data(count: 512), 0, .changed(Data(count: 512))),
            (
                "513 bytes do not", Data(count: 510), 3, .rejected(.invalidAttributeValueLength)
            ),
        ]

    @Test("A write changes the value from its offset on", arguments: writes)
    func write(rule: String, bytes: Data, offset: Int, change: AttributeValueRules.WriteEffect) {
        #expect(
            AttributeValueRules.value(Self.five, writing: bytes, at: offset) == change,
            "\(rule)"
        )
    }

    @Test("The parts of a long read come from one value")
    func longRead() {
        var reads = LongReads<String>()
        let old = Data(repeating: 1, count: 60)
        #expect(reads.value(for: "a", offset: 0, at: .zero) == nil)
        reads.store(old, for: "a", mtu: 23, at: .zero)
        #expect(reads.value(for: "a", offset: 22, at: .seconds(1)) == old)
        #expect(reads.value(for: "a", offset: 44, at: .seconds(2)) == old)
        #expect(reads.value(for: "b", offset: 22, at: .seconds(2)) == nil)
        // A read at offset 0 starts a new read.
        #expect(reads.value(for: "a", offset: 0, at: .seconds(3)) == nil)
        #expect(reads.value(for: "a", offset: 22, at: .seconds(3)) == nil)
    }

    @Test("A kept value is forgotten after five seconds without use, and with its central")
    func forgotten() {
        var reads = LongReads<String>()
        let value = Data(count: 60)
        reads.store(value, for: "a", mtu: nil, at: .zero)
        #expect(reads.value(for: "a", offset: 22, at: .seconds(5)) == value)
        #expect(reads.value(for: "a", offset: 22, at: .milliseconds(10_001)) == nil)
        reads.store(value, for: "a", mtu: nil, at: .zero)
        reads.forget("a")
        #expect(reads.value(for: "a", offset: 22, at: .zero) == nil)
    }

    @Test(
        "A value is kept only if a response cannot hold it, or just does",
        arguments: [(21, 23, false), (22, 23, true), (22, nil, true), (100, 185, false)]
            as [(Int, Int?, Bool)]
    )
    func keeping(count: Int, mtu: Int?, isKept: Bool) {
        var reads = LongReads<String>()
        reads.store(Data(count: count), for: "a", mtu: mtu, at: .zero)
        #expect((reads.value(for: "a", offset: 1, at: .zero) != nil) == isKept)
    }
}

@Suite("Refusals on their way to the central")
struct AttributeReplyTests {
    static let table: [(code: UInt8, name: String, text: String?)] = [
        (0x01, "org.freedesktop.DBus.Error.Failed", nil),
        (0x02, "org.bluez.Error.NotPermitted", nil),
        (0x03, "org.bluez.Error.NotPermitted", nil),
        (0x05, "org.freedesktop.DBus.Error.Failed", nil),
        (0x06, "org.bluez.Error.NotSupported", nil),
        (0x07, "org.bluez.Error.InvalidOffset", nil),
        (0x08, "org.bluez.Error.NotAuthorized", nil),
        (0x0D, "org.bluez.Error.InvalidValueLength", nil),
        (0x0E, "org.freedesktop.DBus.Error.Failed", nil),
        (0x80, "org.bluez.Error.Failed", "0x80"),
        (0x9F, "org.bluez.Error.Failed", "0x9f"),
        (0xA0, "org.freedesktop.DBus.Error.Failed", nil),
        (0xFD, "org.bluez.Error.ImproperlyConfigured", nil),
        (0xFE, "org.bluez.Error.InProgress", nil),
        (0xFF, "org.freedesktop.DBus.Error.Failed", nil),
    ]

    @Test("A code has the error that bluetoothd turns back into it", arguments: table)
    func reply(code: UInt8, name: String, text: String?) {
        let error = ATTErrorReply.error(ATTError(code: code))
        #expect(error.name == name)
        if let text { #expect(error.message == text) }
        #expect(!error.message.isEmpty)
    }

    @Test("A code that bluetoothd would turn into the other one of reads and writes becomes 0x0E")
    func notPermitted() {
        let unlikely = "org.freedesktop.DBus.Error.Failed"
        #expect(ATTErrorReply.error(.readNotPermitted, ofWrite: true).name == unlikely)
        #expect(ATTErrorReply.error(.writeNotPermitted, ofWrite: false).name == unlikely)
        let named = "org.bluez.Error.NotPermitted"
        #expect(ATTErrorReply.error(.readNotPermitted, ofWrite: false).name == named)
        #expect(ATTErrorReply.error(.writeNotPermitted, ofWrite: true).name == named)
    }
}
