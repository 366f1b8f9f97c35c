public import FoundationEssentials

extension Data: Receivable, BluetoothSendable {
    /// Copies the bytes; the copy starts at index 0.
    ///
    /// - Parameter bluetoothData: The whole value.
    public init(bluetoothData: Data) {
        self = bluetoothData.startIndex == 0 ? bluetoothData : Data(Array(bluetoothData))
    }

    /// Returns the data itself.
    public func toBluetoothData() -> Data { self }
}

extension String: Receivable, BluetoothSendable {
    /// Decodes UTF-8.
    ///
    /// - Parameter bluetoothData: The text; a zero byte at its end is kept.
    /// - Throws: ``BluejayError/malformedText`` if the bytes are not UTF-8.
    public init(bluetoothData: Data) throws {
        guard let text = String(validating: bluetoothData, as: UTF8.self) else {
            throw BluejayError.malformedText
        }
        self = text
    }

    /// Encodes the text as UTF-8, without a zero byte at the end.
    public func toBluetoothData() -> Data { Data(utf8) }
}

/// Zero bytes that fill the gaps of a fixed layout.
public struct DataPadding: BluetoothSendable, Hashable, Swift.Sendable {
    private let lengthInBytes: Int

    /// Creates `amount` zero bytes, or none if `amount` is negative.
    public init(_ amount: Int) {
        lengthInBytes = max(0, amount)
    }

    /// Returns the zero bytes.
    public func toBluetoothData() -> Data { Data(repeating: 0, count: lengthInBytes) }
}
