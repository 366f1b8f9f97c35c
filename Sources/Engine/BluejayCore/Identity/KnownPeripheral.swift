/// A snapshot of a peripheral that bluetoothd knows.
///
/// bluetoothd stores peripherals that were connected or paired, even over a restart. A peripheral known
/// only from a scan is forgotten after half a minute.
public struct KnownPeripheral: Hashable, Swift.Sendable {
    /// The identifier to connect with.
    public let identifier: PeripheralIdentifier

    /// Whether pairing keys exist.
    public package(set) var isPaired = false

    /// Whether the keys are kept after a disconnection.
    ///
    /// Reported by BlueZ 5.65 and later; before, it equals `isPaired`.
    public package(set) var isBonded = false

    /// Whether the peripheral may use services of this computer without authorization.
    public package(set) var isTrusted = false

    /// Whether this or any other program is connected.
    public package(set) var isConnected = false

    /// The signal strength in dBm, or `nil` unless a current scan has received an advertisement.
    public package(set) var rssi: Int?

    /// The services that the peripheral has or has advertised.
    public package(set) var services: [ServiceIdentifier] = []

    package init(_ identifier: PeripheralIdentifier) {
        self.identifier = identifier
    }

    /// The peripheral's own name, or `No Name`; unfiltered text from the air.
    public var name: String { identifier.name }
}
