/// The name ``BluetoothSendable`` has in the iOS library.
public typealias Sendable = BluetoothSendable

/// A second name, from which the class `Bluejay` makes the nested `Bluejay.Sendable`.
///
/// Inside the class the first name would refer to itself.
public typealias _BluejaySendable = BluetoothSendable
