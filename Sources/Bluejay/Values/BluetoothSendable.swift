public import Foundation

/// A value that can be written to a characteristic.
///
/// Users know it as ``Sendable``. In a file that imports Bluejay that name means this protocol;
/// the marker of the language is `Swift.Sendable` there, and `@Sendable` means what it always does.
public protocol BluetoothSendable {
    /// Encodes the value as the bytes to write.
    func toBluetoothData() -> Data
}

/// The name ``BluetoothSendable`` has in the iOS library.
public typealias Sendable = BluetoothSendable

/// A second name, from which the class `Bluejay` makes the nested `Bluejay.Sendable`.
///
/// Inside the class the first name would refer to itself.
public typealias _BluejaySendable = BluetoothSendable

/// The bytes of `values`, one behind the other.
package func combine(_ values: [any BluetoothSendable]) -> Data {
    values.reduce(into: Data()) { $0.append($1.toBluetoothData()) }
}
