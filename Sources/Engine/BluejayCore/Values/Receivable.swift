public import FoundationEssentials

/// A value that can be read from a characteristic.
public protocol Receivable {
    /// Decodes the value of a characteristic.
    ///
    /// `bluetoothData` may be a slice whose `startIndex` is not 0; `Data.extract(start:length:)`
    /// counts from its first byte.
    ///
    /// - Parameter bluetoothData: The whole value, without limits on its length.
    /// - Throws: Any error; it becomes the failure of the read or the listen.
    init(bluetoothData: Data) throws
}
