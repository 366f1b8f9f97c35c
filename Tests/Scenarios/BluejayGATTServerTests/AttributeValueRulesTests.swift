import Bluejay
import BluejayBlueZ
import BluejayDBus
import Foundation
import Testing

@testable import BluejayGATTServer

@Suite("Partial attribute values")
struct AttributeValueTests {
    static let five = Data([1, 2, 3, 4, 5])

    static let parts: [(rule: String, offset: Int, part: Data?)] = [
        ("a read starts at the first byte", 0, five),
        ("a blob read continues at its offset", 2, Data([3, 4, 5])),
        ("a blob read at the end returns no bytes", 5, Data()),
        ("a blob read past the end is rejected", 6, nil),
        ("a negative offset is rejected", -1, nil),
    ]

    @Test("A read returns the value from its offset", arguments: parts)
    func part(rule: String, offset: Int, part: Data?) {
        #expect(AttributeValueRules.part(of: Self.five, from: offset) == part, "\(rule)")
    }

    static let writes: [(rule: String, bytes: Data, offset: Int, AttributeValueRules.WriteEffect)] =
        [
            ("a write replaces the value", Data([9]), 0, .changed(Data([9]))),
            ("an empty write clears the value", Data(), 0, .changed(Data())),
            ("a write at an offset replaces the rest", Data([9]), 3, .changed(Data([1, 2, 3, 9]))),
            ("a write at the end appends", Data([9]), 5, .changed(five + Data([9]))),
            ("a write past the end is rejected", Data([9]), 6, .rejected(.invalidOffset)),
            ("512 bytes fit", Data(count: 512), 0, .changed(Data(count: 512))),
            (
                "513 bytes fail", Data(count: 510), 3, .rejected(.invalidAttributeValueLength)
            ),
        ]

    @Test("A write changes the value from its offset", arguments: writes)
    func write(rule: String, bytes: Data, offset: Int, change: AttributeValueRules.WriteEffect) {
        #expect(
            AttributeValueRules.value(Self.five, writing: bytes, at: offset) == change,
            "\(rule)"
        )
    }

    @Test("All parts of a long read return the same value")
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

    @Test("A stored value expires after five seconds without a read, or with its central")
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
        "A value is stored only if it fills the response or exceeds it",
        arguments: [(21, 23, false), (22, 23, true), (22, nil, true), (100, 185, false)]
            as [(Int, Int?, Bool)]
    )
    func keeping(count: Int, mtu: Int?, isKept: Bool) {
        var reads = LongReads<String>()
        reads.store(Data(count: count), for: "a", mtu: mtu, at: .zero)
        #expect((reads.value(for: "a", offset: 1, at: .zero) != nil) == isKept)
    }
}

@Suite("Mapping of ATT errors to D-Bus errors")
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

    @Test("Each ATT code maps to the error that bluetoothd maps back to it", arguments: table)
    func reply(code: UInt8, name: String, text: String?) {
        let error = ATTErrorReply.error(ATTError(code: code))
        #expect(error.name == name)
        if let text { #expect(error.message == text) }
        #expect(!error.message.isEmpty)
    }

    @Test("A permission error of the opposite operation maps to 0x0E")
    func notPermitted() {
        let unlikely = "org.freedesktop.DBus.Error.Failed"
        #expect(ATTErrorReply.error(.readNotPermitted, ofWrite: true).name == unlikely)
        #expect(ATTErrorReply.error(.writeNotPermitted, ofWrite: false).name == unlikely)
        let named = "org.bluez.Error.NotPermitted"
        #expect(ATTErrorReply.error(.readNotPermitted, ofWrite: false).name == named)
        #expect(ATTErrorReply.error(.writeNotPermitted, ofWrite: true).name == named)
    }
}
