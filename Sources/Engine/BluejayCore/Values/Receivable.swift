public import FoundationEssentials

/// A value that can be read from a characteristic.
public protocol Receivable {
    /// Decodes the value of a characteristic.
    ///
    /// `bluetoothData` may be a slice whose `startIndex` is not 0; `Data.extract(start:length:)` counts
    /// from its first byte.
    ///
    /// - Parameter bluetoothData: The whole value, of any length.
    /// - Throws: Any error; the read or the listen fails with it.
    init(bluetoothData: Data) throws
}
