import Foundation

/// Encodes each value as one line of JSON with sorted keys, for programs that read the output.
package struct JSONLines {
    private let encoder: JSONEncoder

    /// Creates an encoder that writes dates as ISO 8601 in UTC with milliseconds, and data as hexadecimal digits.
    package init() {
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            try container.encode(date.formatted(style))
        }
        encoder.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
        }
    }

    /// Encodes one value, without a line break.
    ///
    /// - Parameter value: Any encodable value; line breaks inside text are escaped.
    /// - Returns: One line.
    /// - Throws: An `EncodingError`, for example for a number that is not finite.
    package func line(_ value: some Encodable) throws -> String {
        String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
