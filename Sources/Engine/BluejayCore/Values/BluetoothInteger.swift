public import FoundationEssentials

/// An integer of a fixed width, sent and received in little-endian order.
///
/// `Int` and `UInt` do not conform: their width does not match the width of a characteristic.
public protocol BluetoothInteger: FixedWidthInteger, Receivable, BluetoothSendable {}

extension BluetoothInteger {
    /// Decodes exactly as many bytes as the integer has.
    ///
    /// - Parameter bluetoothData: The bytes, lowest first.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for fewer or more bytes.
    public init(bluetoothData: Data) throws {
        let size = Self.bitWidth / 8
        guard bluetoothData.count == size else {
            throw BluejayError.dataOutOfBounds(
                start: 0,
                length: size,
                count: bluetoothData.count
            )
        }
        var value: Self = 0
        for byte in bluetoothData.reversed() {
            value = value << 8 | Self(truncatingIfNeeded: byte)
        }
        self = value
    }

    /// Encodes the integer, lowest byte first.
    public func toBluetoothData() -> Data {
        Data((0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) })
    }
}

extension Int8: BluetoothInteger {}
extension Int16: BluetoothInteger {}
extension Int32: BluetoothInteger {}
extension Int64: BluetoothInteger {}
extension UInt8: BluetoothInteger {}
extension UInt16: BluetoothInteger {}
extension UInt32: BluetoothInteger {}
extension UInt64: BluetoothInteger {}
