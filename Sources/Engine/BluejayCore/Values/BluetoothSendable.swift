public import FoundationEssentials

/// A value that can be written to a characteristic.
///
/// The module Bluejay exports it as `Sendable`. In a file that imports Bluejay, `Sendable` is this
/// protocol, `Swift.Sendable` is the marker protocol of the language, and `@Sendable` keeps its meaning.
public protocol BluetoothSendable {
    /// Encodes the value as the bytes to write.
    func toBluetoothData() -> Data
}

/// Returns the concatenated bytes of `values`.
package func combine(_ values: [any BluetoothSendable]) -> Data {
    values.reduce(into: Data()) { $0.append($1.toBluetoothData()) }
}
