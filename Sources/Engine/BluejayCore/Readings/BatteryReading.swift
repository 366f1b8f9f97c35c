public import FoundationEssentials

/// A value of the Battery Level characteristic, `2A19` (GATT Specification Supplement 3.27).
public struct BatteryReading: Hashable, Swift.Sendable {
    /// The charge, 0 to 100 percent, or `nil` for a reserved number.
    public let percent: UInt8?

    /// Creates a value to send.
    ///
    /// - Parameter percent: 0 to 100; a higher number is reserved, and sent as 255.
    public init(percent: UInt8) {
        self.percent = percent <= 100 ? percent : nil
    }
}

extension BatteryReading: Receivable {
    /// Decodes the first byte; further bytes are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for an empty value.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        self.init(percent: try reader.next())
    }
}

extension BatteryReading: BluetoothSendable {
    /// Encodes the byte.
    public func toBluetoothData() -> Data { (percent ?? .max).toBluetoothData() }
}
