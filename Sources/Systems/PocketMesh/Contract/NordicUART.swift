public import BluejayCore

/// The Nordic UART service, with its two characteristics named from the side that connects.
public enum NordicUART {
    /// What a radio has, and advertises.
    public static let serviceUUID = BluetoothUUID(string: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")

    /// What is written to the radio.
    public static let txUUID = BluetoothUUID(string: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E")

    /// What the radio notifies of.
    public static let rxUUID = BluetoothUUID(string: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E")

    static let service = ServiceIdentifier(uuid: serviceUUID)
    static let tx = CharacteristicIdentifier(uuid: txUUID, service: service)
    static let rx = CharacteristicIdentifier(uuid: rxUUID, service: service)
}
