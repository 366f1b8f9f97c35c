import ArgumentParser
import BluejayCommandLine
import BluejayCore
import BluejayStreams
import Foundation

/// The value of a write, typed or from a file.
enum InputValue {
    /// The most bytes of a file, which is sent in parts.
    private static let maximumLengthInBytes = 16 << 20

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
            return try InputFile.read(rest, upTo: maximumLengthInBytes)
        } catch {
            throw ValidationError("\(rest.printable) \(error.predicate)")
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
