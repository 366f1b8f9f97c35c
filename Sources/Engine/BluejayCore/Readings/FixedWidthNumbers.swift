public import FoundationEssentials

/// An unsigned 24-bit integer, `uint24` in the GATT Specification Supplement.
public struct UInt24: Hashable, Comparable, Swift.Sendable {
    /// The largest number, 16,777,215.
    public static let max = UInt24(truncatingIfNeeded: 0xFF_FFFF)

    /// The number.
    public let value: UInt32

    /// Creates a number, or returns `nil` if 24 bits cannot hold it.
    public init?(exactly value: some BinaryInteger) {
        guard let value = UInt32(exactly: value), value <= 0xFF_FFFF else { return nil }
        self.value = value
    }

    /// Creates a number from the lowest 24 bits.
    public init(truncatingIfNeeded value: some BinaryInteger) {
        self.value = UInt32(truncatingIfNeeded: value) & 0xFF_FFFF
    }

    /// Compares the numbers.
    public static func < (left: UInt24, right: UInt24) -> Bool { left.value < right.value }
}

extension UInt24: Receivable, FixedWidthReceivable, BluetoothSendable {
    static var byteCount: Int { 3 }

    /// Decodes three bytes.
    ///
    /// - Parameter bluetoothData: The bytes, lowest first.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for fewer or more bytes.
    public init(bluetoothData: Data) throws {
        guard bluetoothData.count == 3 else {
            throw BluejayError.dataOutOfBounds(start: 0, length: 3, count: bluetoothData.count)
        }
        value = bluetoothData.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Encodes the three bytes, lowest first.
    public func toBluetoothData() -> Data { value.toBluetoothData().prefix(3) }
}

extension Float: Receivable, BluetoothSendable {
    /// Decodes `float32`: four bytes of IEEE 754, lowest first.
    ///
    /// - Parameter bluetoothData: The bytes.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for fewer or more bytes.
    public init(bluetoothData: Data) throws {
        self.init(bitPattern: try UInt32(bluetoothData: bluetoothData))
    }

    /// Encodes four bytes of IEEE 754, lowest first.
    public func toBluetoothData() -> Data { bitPattern.toBluetoothData() }
}

extension Double: Receivable, BluetoothSendable {
    /// Decodes `float64`: eight bytes of IEEE 754, lowest first.
    ///
    /// - Parameter bluetoothData: The bytes.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for fewer or more bytes.
    public init(bluetoothData: Data) throws {
        self.init(bitPattern: try UInt64(bluetoothData: bluetoothData))
    }

    /// Encodes eight bytes of IEEE 754, lowest first.
    public func toBluetoothData() -> Data { bitPattern.toBluetoothData() }
}
