internal import BluejayBlueZ
public import FoundationEssentials

/// What bluetoothd knows of the connected peripheral beside its services.
public struct PeripheralDetails: Hashable, Swift.Sendable {
    /// The peripheral.
    public let peripheral: PeripheralIdentifier

    /// The name that it gives itself; nil when it has said none.
    ///
    /// As it came from the air, line breaks and codes for a terminal included.
    public let name: String?

    /// The name for people: what was given to it on this machine, else its own, else its address with
    /// hyphens.
    public let alias: String

    /// What it says it looks like; nil when it does not say.
    public let appearance: Appearance?

    /// Whether it is paired: there are keys for an encrypted link.
    public let isPaired: Bool

    /// Whether the keys are kept for the next link; nil before BlueZ 5.65, which does not tell.
    public let isBonded: Bool?

    /// Whether people have said on this machine that it may use services without asking.
    public let isTrusted: Bool

    /// What its address is good for; nil for what the Core Specification reserves.
    public let addressClass: AddressClass?

    /// The UUIDs of its services: what it advertised, and those that were found.
    ///
    /// Others than in `services` may be among them, which bluetoothd keeps to itself.
    public let serviceUUIDs: [BluetoothUUID]

    /// The last advertised data of each company, by its identifier.
    public let manufacturerData: [UInt16: Data]
}

extension PeripheralDetails {
    init(_ device: Device1, of peripheral: PeripheralIdentifier) {
        self.peripheral = peripheral
        name = device.name
        alias = device.alias ?? peripheral.name
        appearance = device.appearance.map { Appearance(rawValue: $0) }
        isPaired = device.isPaired
        isBonded = device.isBonded
        isTrusted = device.isTrusted
        addressClass = device.address?.addressClass
        serviceUUIDs = device.uuids
        manufacturerData = device.manufacturerData
    }
}

/// Is told what changes of the connected peripheral beside its services, on the main loop.
public protocol PeripheralObserver: AnyObject {
    /// The ATT MTU has changed: how much one write without response takes, for example.
    ///
    /// - Parameters:
    ///   - mtu: 23 to 517 bytes.
    ///   - peripheral: The connected peripheral.
    func didUpdateMTU(_ mtu: Int, of peripheral: PeripheralIdentifier)

    /// Its names, its appearance, its pairing, its address or the list of its services has changed.
    ///
    /// May come without a difference.
    ///
    /// - Parameters:
    ///   - details: All of it, as it is now.
    ///   - peripheral: The connected peripheral.
    func didUpdateDetails(_ details: PeripheralDetails, of peripheral: PeripheralIdentifier)

    /// Writes without response are welcome again, after ``Bluejay/Bluejay/canSendWriteWithoutResponse``
    /// was false.
    ///
    /// - Parameter peripheral: The connected peripheral.
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: PeripheralIdentifier)
}

extension PeripheralObserver {
    /// Does nothing.
    public func peripheralIsReady(toSendWriteWithoutResponse peripheral: PeripheralIdentifier) {}

    /// Does nothing.
    public func didUpdateMTU(_ mtu: Int, of peripheral: PeripheralIdentifier) {}

    /// Does nothing.
    public func didUpdateDetails(
        _ details: PeripheralDetails,
        of peripheral: PeripheralIdentifier
    ) {}
}
