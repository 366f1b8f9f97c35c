internal import FoundationEssentials

/// Reads the fields of a value from front to back; bytes that no field takes are ignored.
struct ByteReader {
    private let data: Data
    /// The offset of the next field.
    private(set) var offset = 0

    init(_ data: Data) {
        self.data = data
    }

    /// The number of bytes after the last field.
    var remaining: Int { data.count - offset }

    /// Decodes the next field of a fixed width.
    ///
    /// - Throws: `BluejayError.dataOutOfBounds(start:length:count:)` when the field is missing or cut.
    mutating func next<Field: FixedWidthReceivable>(_ type: Field.Type = Field.self) throws -> Field
    {
        let field: Field = try data.extract(start: offset, length: Field.byteCount)
        offset += Field.byteCount
        return field
    }

    /// Decodes the next field if `isPresent`.
    mutating func next<Field: FixedWidthReceivable>(
        if isPresent: Bool,
        _ type: Field.Type = Field.self
    ) throws -> Field? {
        isPresent ? try next(type) : nil
    }
}

/// A field whose width does not depend on its value.
protocol FixedWidthReceivable: Receivable {
    static var byteCount: Int { get }
}

extension FixedWidthReceivable where Self: FixedWidthInteger {
    static var byteCount: Int { bitWidth / 8 }
}

extension UInt8: FixedWidthReceivable {}
extension Int8: FixedWidthReceivable {}
extension UInt16: FixedWidthReceivable {}
extension Int16: FixedWidthReceivable {}
extension UInt32: FixedWidthReceivable {}
extension Int32: FixedWidthReceivable {}

/// The flags at the front of a value, by the number of their bit.
struct FieldFlags {
    private let bits: UInt16

    init(_ bits: some BinaryInteger) {
        self.bits = UInt16(truncatingIfNeeded: bits)
    }

    subscript(bit: Int) -> Bool { bits >> bit & 1 != 0 }
}
