public import BluejayCore

/// The UUIDs and value lengths that players expect of a host.
public enum BLEConstants {
    /// The advertised service.
    public static let serviceUUID = CBUUID(string: "12345678-1234-1234-1234-123456789ABC")
    /// The characteristic to which players write packets, with or without response.
    public static let writeCharacteristicUUID = CBUUID(
        string: "12345678-1234-1234-1234-123456789ABD"
    )
    /// The characteristic that notifies packets of the host; a read returns an empty value.
    public static let notifyCharacteristicUUID = CBUUID(
        string: "12345678-1234-1234-1234-123456789ABE"
    )

    /// The maximum size of a value in bytes, including the fragment header (Core Specification, Vol 3, Part
    /// F, 3.2.9).
    public static let maxMTU = ATTLimits.maximumValueLength
    /// The value size in bytes that fits every link: the minimum ATT MTU, 23, less 3.
    public static let defaultMTU = ATTLimits.payload(mtu: ATTLimits.minimumMTU)
}
