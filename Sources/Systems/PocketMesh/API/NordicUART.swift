public import BluejayCore

/// The Nordic UART service; its characteristics are named from the side of the central.
public enum NordicUART {
    /// The service that a radio provides and advertises.
    public static let serviceUUID = BluetoothUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")

    /// The characteristic that the central writes.
    public static let txUUID = BluetoothUUID(string: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E")

    /// The characteristic that the radio notifies.
    public static let rxUUID = BluetoothUUID(string: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")

    static let service = ServiceIdentifier(uuid: serviceUUID)
    static let tx = CharacteristicIdentifier(uuid: txUUID, service: service)
    static let rx = CharacteristicIdentifier(uuid: rxUUID, service: service)
}
