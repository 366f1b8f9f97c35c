import ArgumentParser
import BluejayCore
import Foundation

enum InputFormat: String, CaseIterable, ExpressibleByArgument {
    case hex, text, uint8, uint16, uint32, uint64, int8, int16, int32, int64

    /// Converts text to bytes, with the lowest byte of a number first.
    ///
    /// - Throws: `ValidationError` if the text does not have the format.
    func bytes(of text: String) throws -> Data {
        switch self {
        case .hex: try Self.hexadecimal(text)
        case .text: Data(text.utf8)
        case .uint8: try number(text, UInt8.self)
        case .uint16: try number(text, UInt16.self)
        case .uint32: try number(text, UInt32.self)
        case .uint64: try number(text, UInt64.self)
        case .int8: try number(text, Int8.self)
        case .int16: try number(text, Int16.self)
        case .int32: try number(text, Int32.self)
        case .int64: try number(text, Int64.self)
        }
    }

    private func number<Number: FixedWidthInteger & BluetoothSendable>(
        _ text: String,
        _ type: Number.Type
    ) throws -> Data {
        let number =
            text.lowercased().hasPrefix("0x") ? Number(text.dropFirst(2), radix: 16) : Number(text)
        guard let number else {
            throw ValidationError(
                "\(text) is not a valid \(rawValue): \(Number.min) to \(Number.max)"
            )
        }
        return number.toBluetoothData()
    }

    private static func hexadecimal(_ text: String) throws -> Data {
        let digits = (text.lowercased().hasPrefix("0x") ? String(text.dropFirst(2)) : text)
            .filter { !" :-_".contains($0) }
        let nibbles = digits.utf8.compactMap { Hexadecimal.value($0) }
        guard nibbles.count == digits.utf8.count, nibbles.count.isMultiple(of: 2) else {
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

/// The value of a write, typed or from a file.
enum InputValue {
    /// Reads the value.
    ///
    /// - Parameters:
    ///   - text: `@FILE` is the content of a file, `@-` of standard input, and `@@` stands for a leading `@`.
    ///   - format: The format of everything but a file.
    /// - Returns: The bytes.
    /// - Throws: `ValidationError` if the text does not have the format, or the file cannot be read.
    static func bytes(of text: String, as format: InputFormat) throws -> Data {
        guard text.hasPrefix("@") else { return try format.bytes(of: text) }
        let rest = String(text.dropFirst())
        if rest.hasPrefix("@") { return try format.bytes(of: rest) }
        do {
            return rest == "-"
                ? try FileHandle.standardInput.readToEnd() ?? Data()
                : try Data(contentsOf: URL(filePath: rest))
        } catch {
            throw ValidationError("\(rest) cannot be read")
        }
    }

    /// Splits a value into parts of one write each; an empty value is one part.
    static func parts(of value: Data, of length: Int) -> [Data] {
        guard value.count > length, length > 0 else { return [value] }
        return stride(from: 0, to: value.count, by: length).map { start in
            Data(value.dropFirst(start).prefix(length))
        }
    }
}
