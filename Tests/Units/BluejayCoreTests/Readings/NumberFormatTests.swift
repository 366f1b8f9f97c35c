import BluejayCore
import Foundation
import Testing

@Suite("Numbers of the GATT Specification Supplement")
struct NumberFormatTests {
    static let shortFloats: [(UInt16, Double)] = [
        (0x0048, 72), (0xF16D, 36.5), (0x2014, 2000), (0xFFFF, -0.1), (0x8001, 1e-8),
        (0x77FD, 2045e7), (0x0803, -2045), (0x0000, 0), (0xC07B, 0.0123),
    ]

    @Test("An SFLOAT has a 12-bit mantissa and a 4-bit exponent", arguments: shortFloats)
    func shortFloat(bits: UInt16, number: Double) throws {
        let decoded = try MedFloat16(bluetoothData: bits.toBluetoothData())
        #expect(decoded.doubleValue == number)
        #expect(decoded.specialValue == nil)
        #expect(decoded.toBluetoothData() == bits.toBluetoothData())
        #expect(MedFloat16(number).doubleValue == number)
    }

    static let floats: [(UInt32, Double)] = [
        (0xFF00_016C, 36.4), (0xFE00_0E42, 36.5), (0x0000_0063, 99), (0xFFFF_FFFF, -0.1),
        (0x7F00_0001, 1e127), (0x8000_0001, 1e-128), (0x0080_0003, -8_388_605),
    ]

    @Test("A FLOAT has a 24-bit mantissa and an 8-bit exponent", arguments: floats)
    func float(bits: UInt32, number: Double) throws {
        let decoded = try MedFloat32(bluetoothData: bits.toBluetoothData())
        #expect(decoded.doubleValue == number)
        #expect(decoded.specialValue == nil)
        #expect(decoded.toBluetoothData() == bits.toBluetoothData())
        #expect(MedFloat32(number).doubleValue == number)
    }

    static let specials: [(UInt16, UInt32, MedicalFloatSpecialValue, Double)] = [
        (0x07FE, 0x007F_FFFE, .positiveInfinity, .infinity),
        (0x07FF, 0x007F_FFFF, .notANumber, .nan), (0x0800, 0x0080_0000, .notAtThisResolution, .nan),
        (0x0801, 0x0080_0001, .reserved, .nan),
        (0x0802, 0x0080_0002, .negativeInfinity, -.infinity),
    ]

    @Test("Special values are decoded as NaN or infinity", arguments: specials)
    func special(
        short: UInt16,
        long: UInt32,
        value: MedicalFloatSpecialValue,
        number: Double
    ) {
        let short = MedFloat16(bitPattern: short)
        let long = MedFloat32(bitPattern: long)
        #expect(short.specialValue == value)
        #expect(long.specialValue == value)
        for decoded in [short.doubleValue, long.doubleValue] {
            #expect(number.isNaN ? decoded.isNaN : decoded == number)
        }
        guard value != .reserved, value != .notAtThisResolution else { return }
        #expect(MedFloat16(number) == short)
        #expect(MedFloat32(number) == long)
    }

    @Test("A number out of range is encoded as infinity, any other as the nearest value")
    func encoding() {
        #expect(MedFloat16(1e12).specialValue == .positiveInfinity)
        #expect(MedFloat16(-1e12).specialValue == .negativeInfinity)
        #expect(MedFloat16(36.57).doubleValue == 36.6)
        #expect(MedFloat16(120).bitPattern == 120)
        #expect(MedFloat16(1e-20).doubleValue == 0)
        #expect(MedFloat32(36.57).doubleValue == 36.57)
        #expect(MedFloat32(.greatestFiniteMagnitude).specialValue == .positiveInfinity)
    }

    @Test("Each SFLOAT is finite or special, and finite ones survive a round trip")
    func allShortFloats() {
        for bits in UInt16.min...UInt16.max {
            let float = MedFloat16(bitPattern: bits)
            let number = float.doubleValue
            if float.specialValue == nil { #expect(number.isFinite) }
            // A mantissa beyond ±2045 is not sent: with another exponent it would be a special value.
            let isPlain = abs(Int16(bitPattern: bits << 4) >> 4) <= 2045
            if bits.isMultiple(of: 97), number.isFinite, isPlain {
                #expect(MedFloat16(number).doubleValue == number)
            }
        }
    }

    @Test("uint24, float32 and float64 are little-endian")
    func numbers() throws {
        #expect(try UInt24(bluetoothData: Data([1, 2, 3])).value == 0x030201)
        #expect(UInt24(exactly: 0x030201)?.toBluetoothData() == Data([1, 2, 3]))
        #expect(UInt24(exactly: 0x1_000_000) == nil)
        #expect(UInt24(exactly: -1) == nil)
        #expect(throws: BluejayError.dataOutOfBounds(start: 0, length: 3, count: 4)) {
            try UInt24(bluetoothData: Data([1, 2, 3, 4]))
        }
        #expect(try Float(bluetoothData: Data([0, 0, 0x48, 0x41])) == 12.5)
        #expect(Float(12.5).toBluetoothData() == Data([0, 0, 0x48, 0x41]))
        #expect(try Double(bluetoothData: Data([0, 0, 0, 0, 0, 0, 0x29, 0xC0])) == -12.5)
        #expect(Double(-12.5).toBluetoothData() == Data([0, 0, 0, 0, 0, 0, 0x29, 0xC0]))
        #expect(throws: BluejayError.self) { try Float(bluetoothData: Data([0, 0, 0])) }
        #expect(throws: BluejayError.self) { try Double(bluetoothData: Data()) }
    }

    @Test("A date has seven bytes, and unknown fields are zero")
    func dateTime() throws {
        let bytes: [UInt8] = [0xEA, 0x07, 11, 25, 23, 59, 58]
        let date = try BluetoothDateTime(bluetoothData: Data(bytes))
        #expect(date.year == 2026)
        #expect(date.dateComponents.month == 11)
        #expect(date.dateComponents.second == 58)
        #expect(date.toBluetoothData() == Data(bytes))
        let unknown = try BluetoothDateTime(bluetoothData: Data([0, 0, 0, 0, 1, 2, 3]))
        #expect(unknown.year == nil && unknown.month == nil && unknown.day == nil)
        #expect(unknown.toBluetoothData() == Data([0, 0, 0, 0, 1, 2, 3]))
    }
}
