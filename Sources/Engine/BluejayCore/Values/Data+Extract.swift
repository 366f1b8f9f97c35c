public import FoundationEssentials

extension Data {
    /// Decodes part of the data: an integer of a fixed width, `Data`, UTF-8 text, or a custom type.
    ///
    /// - Parameters:
    ///   - start: The first byte, counted from the beginning of this data, even in a slice.
    ///   - length: The number of bytes. For an integer it must be the size of the integer.
    /// - Returns: The decoded value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if the range exceeds the data or
    ///   does not fit the type, ``BluejayError/malformedText`` for invalid UTF-8.
    public func extract<Value: Receivable>(start: Int, length: Int) throws -> Value {
        try Value(bluetoothData: bytes(start: start, length: length))
    }

    /// Decodes one byte as a Boolean; every value but 0 is true.
    ///
    /// - Parameters:
    ///   - start: The byte, counted from the beginning of this data, even in a slice.
    ///   - length: Always 1.
    /// - Returns: Whether the byte is not 0.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)``.
    public func extract(start: Int, length: Int) throws -> Bool {
        let byte: UInt8 = try extract(start: start, length: length)
        return byte != 0
    }

    /// Decodes four bytes as an IEEE 754 number, lowest byte first.
    ///
    /// - Parameters:
    ///   - start: The first byte, counted from the beginning of this data, even in a slice.
    ///   - length: Always 4.
    /// - Returns: The number.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)``.
    public func extract(start: Int, length: Int) throws -> Float {
        let bitPattern: UInt32 = try extract(start: start, length: length)
        return Float(bitPattern: bitPattern)
    }

    /// Decodes eight bytes as an IEEE 754 number, lowest byte first.
    ///
    /// - Parameters:
    ///   - start: The first byte, counted from the beginning of this data, even in a slice.
    ///   - length: Always 8.
    /// - Returns: The number.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)``.
    public func extract(start: Int, length: Int) throws -> Double {
        let bitPattern: UInt64 = try extract(start: start, length: length)
        return Double(bitPattern: bitPattern)
    }

    /// The bytes of a range that is relative to `startIndex`.
    private func bytes(start: Int, length: Int) throws -> Data {
        // Subtraction cannot overflow here, `start + length` could.
        guard start >= 0, length >= 0, start <= count, length <= count - start else {
            throw BluejayError.dataOutOfBounds(start: start, length: length, count: count)
        }
        return dropFirst(start).prefix(length)
    }
}
