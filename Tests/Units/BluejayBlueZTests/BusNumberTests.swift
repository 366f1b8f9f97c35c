import BluejayCore
import Testing

@testable import BluejayBlueZ
@testable import BluejayDBus

@Suite("Numbers from the bus")
struct BusNumberTests {
    /// Returns a number in each integer type, and values of other types.
    private static func values(_ number: Int) -> [BusValue] {
        [
            UInt8(exactly: number).map { .byte($0) }, Int16(exactly: number).map { .int16($0) },
            UInt16(exactly: number).map { .uint16($0) }, Int32(exactly: number).map { .int32($0) },
            UInt32(exactly: number).map { .uint32($0) }, Int64(exactly: number).map { .int64($0) },
            UInt64(exactly: number).map { .uint64($0) }, .double(Double(number)),
            .string("\(number)"), .boolean(number != 0), .bytes([1]),
        ].compactMap(\.self)
    }

    private static let numbers = [
        Int.min, Int(Int32.min), -32_768, -128, -127, -60, -1, 0, 1, 20, 21, 22, 23, 100, 101, 126,
        127, 128, 255, 256, 517, 32_767, 32_768, 65_535, 65_536, 999_999, 1_000_000,
        Int(UInt32.max), Int.max,
    ]

    /// The properties and options with their types and ranges.
    private static let all: [(name: String, number: BusNumber, type: String, ClosedRange<Int>)] = [
        ("RSSI", .signalStrength, "n", -127...20), ("TxPower", .transmitPower, "n", -127...127),
        ("Appearance", .appearance, "q", 0...65_535), ("company", .company, "q", 0...65_535),
        ("Percentage", .percentage, "y", 0...100), ("MTU", .mtu, "q", 23...65_535),
        ("offset", .offset, "q", 0...65_535), ("SupportedInstances", .instances, "y", 0...255),
        ("passkey", .passkey, "u", 0...999_999), ("entered", .enteredDigits, "q", 0...6),
        ("psm", .psm, "q", 1...255), ("channel MTU", .channelMTU, "q", 23...65_535),
    ]

    @Test("A number is read only with the type and in the range of its property")
    func table() throws {
        for (name, reader, type, range) in Self.all {
            for number in Self.numbers + [range.lowerBound, range.upperBound] {
                for value in Self.values(number) {
                    let isOne = value.signature == type && range.contains(number)
                    let expected = isOne ? number : nil
                    #expect(reader.read(value) == expected, "\(name) \(value)")
                    #expect(reader.read(.variant(value)) == expected, "\(name) \(value)")
                    #expect(reader.read(place(of: value)) == expected, "\(name) \(value)")
                }
            }
            #expect(reader.read(nil) == nil)
        }
    }

    @Test("Objects with numbers of other types have no such number")
    func objects() {
        for value in [
            BusValue.int64(.max), .int64(.min), .uint64(.max), .int32(-60), .double(.nan),
        ] {
            #expect(Device1(["RSSI": value, "TxPower": value]).rssi == nil)
            #expect(Device1(["RSSI": value, "TxPower": value]).txPower == nil)
            #expect(Device1(["Appearance": value]).appearance == nil)
            #expect(GattCharacteristic1(["MTU": value]).mtu == nil)
            #expect(Battery1(["Percentage": value]).percentage == nil)
            let data = BusValue.dictionary(
                [BusEntry(value, .variant(.bytes([1])))],
                key: value.signature,
                value: "v"
            )
            #expect(Device1(["ManufacturerData": data]).manufacturerData.isEmpty)
        }
        for mtu in [0, 1, 3, 22] as [UInt16] {
            #expect(GattCharacteristic1(["MTU": .uint16(mtu)]).mtu == nil)
        }
        #expect(Device1(["RSSI": .int16(-128)]).rssi == nil)
        #expect(Battery1(["Percentage": .byte(101)]).percentage == nil)
    }
}
