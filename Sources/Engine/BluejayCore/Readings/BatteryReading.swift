public import FoundationEssentials

/// A value of the Battery Level characteristic, `2A19` (GATT Specification Supplement 3.27).
public struct BatteryReading: Hashable, Swift.Sendable {
    /// The charge, 0 to 100 percent.
    public var percent: UInt8

    /// Creates a value to send.
    public init(percent: UInt8) {
        self.percent = percent
    }
}

extension BatteryReading: Receivable {
    /// Decodes the first byte; further bytes are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for an empty value.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        percent = try reader.next()
    }
}

extension BatteryReading: BluetoothSendable {
    /// Encodes the byte.
    public func toBluetoothData() -> Data { percent.toBluetoothData() }
}
