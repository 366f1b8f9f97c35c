/// The name ``BluetoothSendable`` has in the iOS library.
///
/// Where it is to be the marker of the language, `typealias Sendable = Swift.Sendable` in one file of a
/// module makes it so in all of them.
public typealias Sendable = BluetoothSendable
