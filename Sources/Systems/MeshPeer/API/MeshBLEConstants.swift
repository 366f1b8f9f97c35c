public import BluejayCore

/// The UUIDs, sizes and names that every node of the mesh shares.
public enum MeshBLEConstants {
    /// The mesh service, which nodes advertise and scan for.
    ///
    /// It is the UUID of the Nordic UART service. A node differs from a Nordic UART device by
    /// ``idCharUUID``.
    public static let serviceUUID = BluetoothUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")

    /// The characteristic that centrals write, with or without response.
    public static let txCharUUID = BluetoothUUID(string: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E")

    /// The characteristic that notifies centrals.
    public static let rxCharUUID = BluetoothUUID(string: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")

    /// The readable characteristic that holds the identity of the node.
    public static let idCharUUID = BluetoothUUID(string: "6E400004-B5A3-F393-E0A9-E50E24DCCA9E")

    /// The readable characteristic that holds the PSM of the published channel.
    ///
    /// Its value is a little-endian `UInt16`, 0 while no channel is published. CoreBluetooth uses the same
    /// UUID.
    public static let psmCharUUID = BluetoothUUID(string: "ABDD3056-28FA-441D-A470-55A75A52553A")

    /// A PSM of Bluetooth Classic.
    ///
    /// A PSM of Bluetooth Low Energy is at most 0x00FF (Core Specification, Vol 3, Part A, 4.22), so
    /// ``BLEL2CAPManager`` rejects this one with `BluejayError.invalidPSM`.
    public static let l2capPSM: UInt16 = 0x1001

    /// The largest identity, in bytes.
    public static let maxIdentityDataSize = 24

    /// The space for an advertisement of an iOS app in the background, in bytes; that of a node has 21.
    public static let maxBackgroundAdvertisingSize = 28

    /// The usual ``BLECentralManager/Settings/restoreIdentifier`` of a central.
    public static let centralRestoreId = "mesh.central"

    /// The usual ``BLEPeripheralManager/Settings/restoreIdentifier`` of a peripheral.
    public static let peripheralRestoreId = "mesh.peripheral"

    static let service = ServiceIdentifier(uuid: serviceUUID)
    static let tx = CharacteristicIdentifier(uuid: txCharUUID, service: service)
    static let rx = CharacteristicIdentifier(uuid: rxCharUUID, service: service)
    static let id = CharacteristicIdentifier(uuid: idCharUUID, service: service)
    static let psm = CharacteristicIdentifier(uuid: psmCharUUID, service: service)
}
