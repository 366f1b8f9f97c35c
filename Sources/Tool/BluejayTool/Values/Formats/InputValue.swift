import ArgumentParser
import BluejayCore
import Foundation

/// The value of a write, typed or from a file.
enum InputValue {
    /// Reads the value.
    ///
    /// - Parameters:
    ///   - text: `@FILE` is the content of a file, `@-` of standard input, and `@@` stands for a leading `@`.
    ///   - format: The format of everything but a file.
    ///   - characteristic: The characteristic, which determines the names of numbers.
    /// - Returns: The bytes.
    /// - Throws: `ValidationError` if the text does not have the format, or the file cannot be read.
    static func bytes(
        of text: String,
        as format: InputFormat,
        for characteristic: BluetoothUUID? = nil
    ) throws -> Data {
        guard text.hasPrefix("@") else { return try format.bytes(of: text, for: characteristic) }
        let rest = String(text.dropFirst())
        if rest.hasPrefix("@") { return try format.bytes(of: rest, for: characteristic) }
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
