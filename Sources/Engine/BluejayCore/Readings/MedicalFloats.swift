public import FoundationEssentials

/// The values of IEEE 11073-20601 that are not numbers.
public enum MedicalFloatSpecialValue: Hashable, Swift.Sendable {
    /// NaN: the device has no result, for example because a measurement failed.
    case notANumber
    /// NRes: the result cannot be represented at this resolution.
    case notAtThisResolution
    /// +INFINITY: the result is above the range of the sensor.
    case positiveInfinity
    /// -INFINITY: the result is below the range of the sensor.
    case negativeInfinity
    /// A value that the standard reserves.
    case reserved
}

/// SFLOAT of IEEE 11073-20601, `medfloat16` in the GATT Specification Supplement.
///
/// A decimal number: a signed 12-bit mantissa and a signed 4-bit exponent. Equality
/// compares the bits, so that 20 × 10⁰ and 2 × 10¹ differ; compare ``doubleValue`` for the numbers.
public struct MedFloat16: Hashable, Swift.Sendable {
    /// The 16 bits: the exponent above the mantissa.
    public let bitPattern: UInt16

    /// Creates a value from its bits.
    public init(bitPattern: UInt16) {
        self.bitPattern = bitPattern
    }

    /// Creates the nearest value to a number.
    ///
    /// A number beyond the range becomes an infinity.
    public init(_ number: Double) {
        let encoded = DecimalFloat(nearestTo: number, mantissaBits: 12, exponents: -8...7)
        let mantissa = UInt16(truncatingIfNeeded: encoded.mantissa) & 0x0FFF
        bitPattern = mantissa | UInt16(truncatingIfNeeded: encoded.exponent) << 12
    }

    /// The special value, or `nil` for a number.
    public var specialValue: MedicalFloatSpecialValue? {
        bitPattern >> 12 == 0 ? DecimalFloat.special(Int(bitPattern), mantissaBits: 12) : nil
    }

    /// The number; NaN for the special values that have no direction.
    public var doubleValue: Double {
        let mantissa = Int16(bitPattern: bitPattern << 4) >> 4
        let exponent = Int16(bitPattern: bitPattern) >> 12
        return DecimalFloat(mantissa: Int(mantissa), exponent: Int(exponent)).number(specialValue)
    }
}

/// FLOAT of IEEE 11073-20601, `medfloat32` in the GATT Specification Supplement.
///
/// A decimal number: a signed 24-bit mantissa and a signed 8-bit exponent. Equality
/// compares the bits; compare ``doubleValue`` for the numbers.
public struct MedFloat32: Hashable, Swift.Sendable {
    /// The 32 bits: the exponent above the mantissa.
    public let bitPattern: UInt32

    /// Creates a value from its bits.
    public init(bitPattern: UInt32) {
        self.bitPattern = bitPattern
    }

    /// Creates the nearest value to a number.
    ///
    /// A number beyond the range becomes an infinity.
    public init(_ number: Double) {
        let encoded = DecimalFloat(nearestTo: number, mantissaBits: 24, exponents: -128...127)
        let mantissa = UInt32(truncatingIfNeeded: encoded.mantissa) & 0x00FF_FFFF
        bitPattern = mantissa | UInt32(truncatingIfNeeded: encoded.exponent) << 24
    }

    /// The special value, or `nil` for a number.
    public var specialValue: MedicalFloatSpecialValue? {
        bitPattern >> 24 == 0 ? DecimalFloat.special(Int(bitPattern), mantissaBits: 24) : nil
    }

    /// The number; NaN for the special values that have no direction.
    public var doubleValue: Double {
        let mantissa = Int32(bitPattern: bitPattern << 8) >> 8
        let exponent = Int32(bitPattern: bitPattern) >> 24
        return DecimalFloat(mantissa: Int(mantissa), exponent: Int(exponent)).number(specialValue)
    }
}

extension MedFloat16: Receivable, FixedWidthReceivable, BluetoothSendable {
    static var byteCount: Int { 2 }

    /// Decodes two bytes.
    ///
    /// - Parameter bluetoothData: The bytes, lowest first.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for fewer or more bytes.
    public init(bluetoothData: Data) throws {
        bitPattern = try UInt16(bluetoothData: bluetoothData)
    }

    /// Encodes the two bytes.
    public func toBluetoothData() -> Data { bitPattern.toBluetoothData() }
}

extension MedFloat32: Receivable, FixedWidthReceivable, BluetoothSendable {
    static var byteCount: Int { 4 }

    /// Decodes four bytes.
    ///
    /// - Parameter bluetoothData: The bytes, lowest first.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for fewer or more bytes.
    public init(bluetoothData: Data) throws {
        bitPattern = try UInt32(bluetoothData: bluetoothData)
    }

    /// Encodes the four bytes.
    public func toBluetoothData() -> Data { bitPattern.toBluetoothData() }
}

/// A mantissa and a power of ten.
private struct DecimalFloat {
    var mantissa: Int
    var exponent: Int

    init(mantissa: Int, exponent: Int) {
        self.mantissa = mantissa
        self.exponent = exponent
    }

    /// The nearest pair to a number; among equally near ones, the exponent nearest to 0 wins.
    init(nearestTo number: Double, mantissaBits: Int, exponents: ClosedRange<Int>) {
        let sign = 1 << (mantissaBits - 1)
        self.init(mantissa: sign - 1, exponent: 0)
        guard !number.isNaN else { return }
        // The five mantissas around the sign bit are special values.
        let limit = Double(sign - 3)
        var distance = Double.infinity
        for exponent in exponents.sorted(by: { abs($0) < abs($1) }) {
            let power = Self.power(abs(exponent))
            let scaled = (exponent < 0 ? number * power : number / power).rounded()
            guard abs(scaled) <= limit else { continue }
            let candidate = DecimalFloat(mantissa: Int(scaled), exponent: exponent)
            let candidateDistance = abs(candidate.number(nil) - number)
            guard candidateDistance < distance else { continue }
            distance = candidateDistance
            self = candidate
        }
        guard distance == .infinity else { return }
        mantissa = number < 0 ? -sign + 2 : sign - 2
    }

    /// The meaning of a mantissa whose exponent is 0.
    static func special(_ mantissa: Int, mantissaBits: Int) -> MedicalFloatSpecialValue? {
        switch mantissa - (1 << (mantissaBits - 1)) {
        case -2: .positiveInfinity
        case -1: .notANumber
        case 0: .notAtThisResolution
        case 1: .reserved
        case 2: .negativeInfinity
        default: nil
        }
    }

    func number(_ special: MedicalFloatSpecialValue?) -> Double {
        switch special {
        case .positiveInfinity: .infinity
        case .negativeInfinity: -.infinity
        case .notANumber, .notAtThisResolution, .reserved: .nan
        // Parsing text rounds once; products of powers round repeatedly.
        case nil: Double("\(mantissa)e\(exponent)") ?? .nan
        }
    }

    private static func power(_ exponent: Int) -> Double { Double("1e\(exponent)") ?? .nan }
}
