public import FoundationEssentials

/// A value that can be written to a characteristic.
///
/// Users of the module Bluejay know it as `Sendable`. In a file that imports it that name means this
/// protocol; the marker of the language is `Swift.Sendable` there, and `@Sendable` means what it
/// always does.
public protocol BluetoothSendable {
    /// Encodes the value as the bytes to write.
    func toBluetoothData() -> Data
}

/// The bytes of `values`, one behind the other.
package func combine(_ values: [any BluetoothSendable]) -> Data {
    values.reduce(into: Data()) { $0.append($1.toBluetoothData()) }
}
