/// The name ``BluetoothSendable`` has in the iOS library.
///
/// To use Swift's marker protocol under this name, declare `typealias Sendable = Swift.Sendable` in one file
/// of the module.
public typealias Sendable = BluetoothSendable
