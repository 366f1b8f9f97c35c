/// A peripheral that bluetoothd knows, as it was when it was asked for.
///
/// bluetoothd keeps who was connected or paired, also over a restart. Who was only seen by a scan it
/// forgets half a minute later.
public struct KnownPeripheral: Hashable, Swift.Sendable {
    /// What to connect to.
    public let identifier: PeripheralIdentifier

    /// Whether the keys of a pairing are there.
    public package(set) var isPaired = false

    /// Whether the keys are kept over a disconnection.
    ///
    /// Known from BlueZ 5.65 on; before, it is whether it is paired.
    public package(set) var isBonded = false

    /// Whether somebody has said that it may use services of this computer without being asked about.
    public package(set) var isTrusted = false

    /// Whether it is connected, by whomever.
    public package(set) var isConnected = false

    /// The signal strength in dBm; nil unless a scan that is under way has heard it.
    public package(set) var rssi: Int?

    /// The services that it has, or advertised.
    public package(set) var services: [ServiceIdentifier] = []

    package init(_ identifier: PeripheralIdentifier) {
        self.identifier = identifier
    }

    /// The name it gave itself, or `No Name`; as it came from the air.
    public var name: String { identifier.name }
}
