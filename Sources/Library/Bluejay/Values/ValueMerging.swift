public import FoundationEssentials

/// A rule that joins the notifications of a characteristic to values that are longer than one of them.
///
/// ```swift
/// for try await line in bluejay.values(of: "FFE1", as: String.self, merging: .lines) {
///     print(line)
/// }
/// ```
public struct ValueMerging: Swift.Sendable {
    /// The most bytes that may wait for the rest of their value.
    public static let maximumLength = 1_048_576

    private let merge: @Sendable (_ rest: inout Data, _ packet: Data) -> [Data]

    /// Creates a rule.
    ///
    /// - Parameter merge: Called for each notification, in order, on the loop. It adds the bytes of `packet` to
    ///   `rest`, which keeps what it holds for the next call, and removes and returns the values that are complete.
    public init(_ merge: @escaping @Sendable (_ rest: inout Data, _ packet: Data) -> [Data]) {
        self.merge = merge
    }

    /// Values that end with a separator, which is not part of them; an empty separator ends each notification.
    public static func separated(by separator: Data) -> ValueMerging {
        ValueMerging { rest, packet in
            guard !separator.isEmpty else { return [packet] }
            // The separator may begin in an earlier notification.
            var start = max(rest.startIndex, rest.endIndex - separator.count + 1)
            rest += packet
            var values: [Data] = []
            while let found = rest[start...].firstRange(of: separator) {
                values.append(Data(rest[..<found.lowerBound]))
                rest = Data(rest[found.upperBound...])
                start = rest.startIndex
            }
            return values
        }
    }

    /// Lines that end with LF or CR LF, which is not part of them.
    public static let lines = ValueMerging { rest, packet in
        ValueMerging.separated(by: Data([0x0A])).merge(&rest, packet).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
    }

    /// Values of one length.
    ///
    /// - Parameter length: A number of bytes; less than 1 counts as 1.
    /// - Returns: The rule.
    public static func length(_ length: Int) -> ValueMerging {
        ValueMerging { rest, packet in
            rest += packet
            var values: [Data] = []
            while rest.count >= max(1, length) {
                values.append(Data(rest.prefix(max(1, length))))
                rest = Data(rest.dropFirst(max(1, length)))
            }
            return values
        }
    }

    /// Values that begin with their length, which is not part of them.
    ///
    /// - Parameter type: The type of the length, little-endian, which counts the bytes behind it.
    /// - Returns: The rule.
    public static func lengthPrefixed<Length>(_ type: Length.Type) -> ValueMerging
    where Length: FixedWidthInteger & UnsignedInteger & Swift.Sendable {
        let width = Length.bitWidth / 8
        return ValueMerging { rest, packet in
            rest += packet
            var values: [Data] = []
            while rest.count >= width {
                let bytes = rest.prefix(width).reversed()
                let length = Int(clamping: bytes.reduce(Length(0)) { $0 << 8 | Length($1) })
                guard rest.count - width >= length else { break }
                values.append(Data(rest.dropFirst(width).prefix(length)))
                rest = Data(rest.dropFirst(width + length))
            }
            return values
        }
    }

    /// The state of a rule between two notifications.
    package struct Merger: Swift.Sendable {
        private let rule: ValueMerging
        private var rest = Data()

        package init(_ rule: ValueMerging) { self.rule = rule }

        /// Returns the values that a notification completes.
        ///
        /// - Throws: `BluejayError.valueTooLong` if too many bytes wait for the rest of their value.
        package mutating func receive(_ packet: Data) throws -> [Data] {
            let values = rule.merge(&rest, packet)
            guard rest.count <= ValueMerging.maximumLength else {
                let length = rest.count
                rest = Data()
                throw BluejayError.valueTooLong(length: length, limit: ValueMerging.maximumLength)
            }
            return values
        }
    }
}
