internal import BluejayBlueZ
public import FoundationEssentials

/// The connected peripheral's properties in bluetoothd, except its services.
public struct PeripheralDetails: Hashable, Swift.Sendable {
    /// The peripheral.
    public let peripheral: PeripheralIdentifier

    /// The name the peripheral advertises, or `nil` if it has none.
    ///
    /// The text is unchanged from the air, and may contain line breaks and terminal control codes.
    public let name: String?

    /// The name for display: the alias set on this computer, or the peripheral's name, or its address with
    /// hyphens.
    public let alias: String

    /// The appearance the peripheral advertises, or `nil` if it advertises none.
    public let appearance: Appearance?

    /// Whether keys for an encrypted link exist.
    public let isPaired: Bool

    /// Whether the keys are stored for later links; `nil` before BlueZ 5.65, which does not report it.
    public let isBonded: Bool?

    /// Whether a user of this computer has marked the peripheral as trusted, so that it may use services
    /// without confirmation.
    public let isTrusted: Bool

    /// The class of the address, or `nil` for values that the Core Specification reserves.
    public let addressClass: AddressClass?

    /// The UUIDs of its services, both advertised and discovered.
    ///
    /// The list may contain services that `services` omits because bluetoothd hides them.
    public let serviceUUIDs: [BluetoothUUID]

    /// The last advertised data of each company, by company identifier.
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
