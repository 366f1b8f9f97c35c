import Bluejay
import BluejayBlueZ
import BluejayDBus
import Foundation
import Testing

@testable import BluejayGATTServer

@Suite("Size of an advertisement")
struct AdvertisementLayoutTests {
    static let short = BluetoothUUID(uint16: 0x180D)
    static let middle = BluetoothUUID(uint32: 0x1234_5678)
    static let long = BluetoothUUID(string: "CED261B7-F120-41C8-9A92-A41DE69CF2A8")

    static func bare(_ change: (inout LocalAdvertisement) -> Void) -> LocalAdvertisement {
        var advertisement = LocalAdvertisement(isDiscoverable: false)
        change(&advertisement)
        return advertisement
    }

    static let lengths: [(rule: String, advertisement: LocalAdvertisement, length: Int)] = [
        ("empty advertisement", bare { _ in }, 0),
        ("flags", LocalAdvertisement(), 3),
        ("no flags in a broadcast", LocalAdvertisement(isConnectable: false), 0),
        ("16-bit UUIDs share a list", bare { $0.serviceUUIDs = [short, short] }, 6),
        ("128-bit UUIDs share a list", bare { $0.serviceUUIDs = [long, long] }, 34),
        ("32-bit UUIDs are sent as 128-bit UUIDs", bare { $0.serviceUUIDs = [middle] }, 18),
        ("UUIDs of two lengths", bare { $0.serviceUUIDs = [short, long] }, 22),
        ("manufacturer data", bare { $0.manufacturerData = [0xFFFF: Data(count: 5)] }, 9),
        ("16-bit service data", bare { $0.serviceData = [short: Data(count: 5)] }, 9),
        ("128-bit service data", bare { $0.serviceData = [long: Data(count: 5)] }, 23),
        ("appearance", bare { $0.appearance = 0x0341 }, 4),
        ("power", bare { $0.includesTxPower = true }, 3),
        ("the name goes into the scan response", bare { $0.localName = "heart" }, 0),
        (
            "lists and name", LocalAdvertisement(serviceUUIDs: [short, long], localName: "heart"),
            25
        ),
    ]

    @Test("Each field adds its length", arguments: lengths)
    func length(rule: String, advertisement: LocalAdvertisement, length: Int) {
        #expect(advertisement.length == length, "\(rule)")
    }

    @Test("An advertisement may have 31 bytes, but not 32")
    func limit() throws {
        let full = Self.bare { $0.manufacturerData = [1: Data(count: 27)] }
        try full.validated()
        let over = Self.bare { $0.manufacturerData = [1: Data(count: 28)] }
        #expect(throws: BluejayError.advertisementTooLong(length: 32, limit: 31)) {
            try over.validated()
        }
    }

    @Test("Beside a 128-bit UUID, 6 bytes of manufacturer data fit and 7 do not")
    func identity() throws {
        var advertisement = LocalAdvertisement(serviceUUIDs: [Self.long])
        advertisement.manufacturerData = [1: Data(count: 6)]
        try advertisement.validated()
        advertisement.manufacturerData = [1: Data(count: 7)]
        #expect(throws: BluejayError.advertisementTooLong(length: 32, limit: 31)) {
            try advertisement.validated()
        }
    }

    @Test("A name is limited to 29 bytes of UTF-8, not to 29 characters")
    func name() throws {
        try LocalAdvertisement(localName: String(repeating: "a", count: 29)).validated()
        #expect(throws: BluejayError.nameTooLong(length: 30, limit: 29)) {
            try LocalAdvertisement(localName: String(repeating: "ö", count: 15)).validated()
        }
        #expect(throws: BluejayError.self) {
            try LocalAdvertisement(localName: "a\u{0}b").validated()
        }
    }

    static let refused: [LocalAdvertisement] = [
        bare { $0.interval = .milliseconds(19)...(.seconds(1)) },
        bare { $0.interval = .milliseconds(20)...(.seconds(10_486)) },
        bare { $0.timeout = .milliseconds(999) },
        bare { $0.timeout = .seconds(65_536) },
    ]

    @Test("Intervals and timeouts outside BlueZ's limits are rejected", arguments: refused)
    func times(advertisement: LocalAdvertisement) {
        #expect(throws: BluejayError.self) { try advertisement.validated() }
    }

    @Test("An advertisement with a malformed UUID is rejected")
    func malformed() {
        let bad = BluetoothUUID(string: "heart")
        #expect(throws: BluejayError.malformedUUID("heart")) {
            try LocalAdvertisement(serviceUUIDs: [bad]).validated()
        }
        #expect(throws: BluejayError.malformedUUID("heart")) {
            try LocalAdvertisement(serviceData: [bad: Data()]).validated()
        }
    }

    @Test("Only fields that are set become D-Bus properties")
    func properties() {
        let plain = Self.bare { _ in }.wire.properties
        #expect(plain.map(\.name) == ["Type"])

        let whole = LocalAdvertisement(
            serviceUUIDs: [Self.short],
            localName: "heart",
            manufacturerData: [0x1234: Data([1])],
            serviceData: [Self.short: Data([2])],
            appearance: 0x0341,
            includesTxPower: true,
            interval: .milliseconds(100)...(.milliseconds(200)),
            timeout: .seconds(30)
        ).wire.properties
        let base = "0000180d-0000-1000-8000-00805f9b34fb"
        let expected: BusProperties = [
            ("Type", .string("peripheral")),
            ("ServiceUUIDs", .strings([base])),
            (
                "ManufacturerData",
                .dictionary(
                    [BusEntry(.uint16(0x1234), .variant(.bytes([1])))],
                    key: "q",
                    value: "v"
                )
            ),
            ("ServiceData", .properties([(base, .bytes([2]))])),
            ("LocalName", .string("heart")),
            ("Appearance", .uint16(0x0341)),
            ("Includes", .strings(["tx-power"])),
            ("Discoverable", .boolean(true)),
            ("MinInterval", .uint32(100)),
            ("MaxInterval", .uint32(200)),
            ("Timeout", .uint16(30)),
        ]
        #expect(BusValue.properties(whole) == BusValue.properties(expected))
    }
}
