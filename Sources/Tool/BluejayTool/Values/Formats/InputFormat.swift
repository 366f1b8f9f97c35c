import ArgumentParser
import BluejayCore
import Foundation

/// The format of a typed value.
enum InputFormat: String, CaseIterable, ExpressibleByArgument {
    case hex, text, uint8, uint16, uint24, uint32, uint64, int8, int16, int24, int32, int64
    case float32, float64, sfloat, float
    case dateTime = "datetime"
    /// The assigned name of a number.
    case name

    /// Converts text to bytes, with the lowest byte of a number first.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - characteristic: The characteristic, which determines the names of numbers.
    /// - Returns: The bytes.
    /// - Throws: `ValidationError` if the text does not have the format.
    func bytes(of text: String, for characteristic: BluetoothUUID? = nil) throws -> Data {
        switch self {
        case .hex: try Self.hexadecimal(text)
        case .text: Data(text.utf8)
        case .uint8: try integer(text, UInt8.min...UInt8.max)
        case .uint16: try integer(text, UInt16.min...UInt16.max)
        case .uint24: try integer(text, 0...UInt24.max.value).prefix(3)
        case .uint32: try integer(text, UInt32.min...UInt32.max)
        case .uint64: try integer(text, UInt64.min...UInt64.max)
        case .int8: try integer(text, Int8.min...Int8.max)
        case .int16: try integer(text, Int16.min...Int16.max)
        case .int24: try integer(text, Int32(-0x80_0000)...0x7F_FFFF).prefix(3)
        case .int32: try integer(text, Int32.min...Int32.max)
        case .int64: try integer(text, Int64.min...Int64.max)
        case .float32: try InputNumber(text, rawValue).float32()
        case .float64: try InputNumber(text, rawValue).float64()
        case .sfloat: try InputNumber(text, rawValue).sfloat()
        case .float: try InputNumber(text, rawValue).float()
        case .dateTime: try BluetoothDateTime(typed: text).toBluetoothData()
        case .name: try NamedNumbers.bytes(of: text, for: characteristic)
        }
    }

    private func integer<Number: FixedWidthInteger & BluetoothSendable>(
        _ text: String,
        _ range: ClosedRange<Number>
    ) throws -> Data {
        let number =
            text.lowercased().hasPrefix("0x") ? Number(text.dropFirst(2), radix: 16) : Number(text)
        guard let number, range.contains(number) else {
            throw ValidationError(
                "\(text) is not a valid \(rawValue): \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number.toBluetoothData()
    }

    /// Reads pairs of digits, with or without separators; `0x` or `\\x` may precede each group.
    private static func hexadecimal(_ text: String) throws -> Data {
        let groups = text.lowercased().replacing("\\x", with: " 0x")
            .split { " ,:-_".contains($0) }
            .map { $0.hasPrefix("0x") ? $0.dropFirst(2) : $0 }
        // A group of one digit could be half a byte or a whole one.
        let isInPairs = groups.allSatisfy { !$0.isEmpty && $0.utf8.count.isMultiple(of: 2) }
        let digits = groups.joined().utf8
        let nibbles = digits.compactMap { Hexadecimal.value($0) }
        guard isInPairs, nibbles.count == digits.count else {
            throw ValidationError(
                "\(text) is not pairs of hexadecimal digits, such as 01ff; for text use --as text"
            )
        }
        return Data(
            stride(from: 0, to: nibbles.count, by: 2).map {
                UInt8(nibbles[$0] << 4 | nibbles[$0 + 1])
            }
        )
    }
}
