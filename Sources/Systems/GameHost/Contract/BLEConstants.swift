public import BluejayCore

/// What a host serves and how long its values are, as its players expect it.
public enum BLEConstants {
    /// The service that is advertised.
    public static let serviceUUID = CBUUID(string: "12345678-1234-1234-1234-123456789ABC")
    /// Players write their packets here, with or without response.
    public static let writeCharacteristicUUID = CBUUID(
        string: "12345678-1234-1234-1234-123456789ABD"
    )
    /// Players subscribe here to the packets of the host; it can be read, and is empty then.
    public static let notifyCharacteristicUUID = CBUUID(
        string: "12345678-1234-1234-1234-123456789ABE"
    )

    /// The most bytes of one value (Core Specification, Vol 3, Part F, 3.2.9), header of a fragment included.
    public static let maxMTU = ATTLimits.longestValue
    /// The bytes of one value that fit every link: the least ATT MTU, 23, less 3.
    public static let defaultMTU = ATTLimits.payload(mtu: ATTLimits.leastMTU)
}
