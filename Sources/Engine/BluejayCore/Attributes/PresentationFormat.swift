public import FoundationEssentials

/// The format of a characteristic's value: the descriptor `2904`.
///
/// Specified in the Core Specification, Vol 3, Part G, 3.3.3.5; the numbers are those of Bluetooth's
/// Assigned Numbers. The value is the number in the bytes, times ten to the power of the exponent, in
/// the unit.
public struct PresentationFormat: Hashable, Swift.Sendable {
    /// The data type of a value (Assigned Numbers 2.4.1).
    public struct Format: RawRepresentable, Hashable, Swift.Sendable {
        /// The assigned number.
        public let rawValue: UInt8

        /// Creates a format from an assigned number.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Whether the exponent applies, as it does to integers.
        public var hasExponent: Bool { (0x02...0x13).contains(rawValue) }
    }

    /// The data type of the value.
    public let format: Format

    /// The power of ten by which an integer is multiplied, -128 to 127.
    public let exponent: Int8

    /// The identifier of the unit, such as `0x272F` for degrees Celsius (Assigned Numbers 3.5).
    public let unit: UInt16

    /// The organization that defines ``description``; 1 is the Bluetooth SIG.
    public let namespace: UInt8

    /// The description of the value in the namespace; for the Bluetooth SIG, 0 is unknown and 1 is
    /// "first".
    public let description: UInt16

    /// Creates a value to send.
    ///
    /// - Parameters:
    ///   - format: The data type of the value.
    ///   - exponent: The power of ten, for integers.
    ///   - unit: The identifier of the unit; 0x2700 is unitless.
    ///   - namespace: The organization that defines the description; 1 is the Bluetooth SIG.
    ///   - description: The description of the value in the namespace.
    public init(
        format: Format,
        exponent: Int8 = 0,
        unit: UInt16 = 0x2700,
        namespace: UInt8 = 1,
        description: UInt16 = 0
    ) {
        self.format = format
        self.exponent = exponent
        self.unit = unit
        self.namespace = namespace
        self.description = description
    }
}

extension PresentationFormat.Format {
    /// A Boolean: 0 is false, 1 is true.
    public static let boolean = Self(rawValue: 0x01)
    /// An unsigned 2-bit integer.
    public static let uint2 = Self(rawValue: 0x02)
    /// An unsigned 4-bit integer.
    public static let uint4 = Self(rawValue: 0x03)
    /// An unsigned 8-bit integer.
    public static let uint8 = Self(rawValue: 0x04)
    /// An unsigned 12-bit integer.
    public static let uint12 = Self(rawValue: 0x05)
    /// An unsigned 16-bit integer.
    public static let uint16 = Self(rawValue: 0x06)
    /// An unsigned 24-bit integer.
    public static let uint24 = Self(rawValue: 0x07)
    /// An unsigned 32-bit integer.
    public static let uint32 = Self(rawValue: 0x08)
    /// An unsigned 48-bit integer.
    public static let uint48 = Self(rawValue: 0x09)
    /// An unsigned 64-bit integer.
    public static let uint64 = Self(rawValue: 0x0A)
    /// An unsigned 128-bit integer.
    public static let uint128 = Self(rawValue: 0x0B)
    /// A signed 8-bit integer.
    public static let int8 = Self(rawValue: 0x0C)
    /// A signed 12-bit integer.
    public static let int12 = Self(rawValue: 0x0D)
    /// A signed 16-bit integer.
    public static let int16 = Self(rawValue: 0x0E)
    /// A signed 24-bit integer.
    public static let int24 = Self(rawValue: 0x0F)
    /// A signed 32-bit integer.
    public static let int32 = Self(rawValue: 0x10)
    /// A signed 48-bit integer.
    public static let int48 = Self(rawValue: 0x11)
    /// A signed 64-bit integer.
    public static let int64 = Self(rawValue: 0x12)
    /// A signed 128-bit integer.
    public static let int128 = Self(rawValue: 0x13)
    /// An IEEE 754 number of 32 bits.
    public static let float32 = Self(rawValue: 0x14)
    /// An IEEE 754 number of 64 bits.
    public static let float64 = Self(rawValue: 0x15)
    /// An IEEE 11073 number of 16 bits (SFLOAT).
    public static let medfloat16 = Self(rawValue: 0x16)
    /// An IEEE 11073 number of 32 bits (FLOAT).
    public static let medfloat32 = Self(rawValue: 0x17)
    /// Two unsigned 16-bit integers.
    public static let pairOfUInt16 = Self(rawValue: 0x18)
    /// UTF-8 text.
    public static let utf8Text = Self(rawValue: 0x19)
    /// UTF-16 text.
    public static let utf16Text = Self(rawValue: 0x1A)
    /// A structure.
    public static let structure = Self(rawValue: 0x1B)
    /// An IEEE 11073 ASN.1 structure.
    public static let medASN1 = Self(rawValue: 0x1C)
}

extension PresentationFormat: Receivable {
    /// Decodes seven bytes; further bytes are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for fewer bytes.
    public init(bluetoothData: Data) throws {
        format = Format(rawValue: try bluetoothData.extract(start: 0, length: 1))
        exponent = try bluetoothData.extract(start: 1, length: 1)
        unit = try bluetoothData.extract(start: 2, length: 2)
        namespace = try bluetoothData.extract(start: 4, length: 1)
        description = try bluetoothData.extract(start: 5, length: 2)
    }
}

extension PresentationFormat: BluetoothSendable {
    /// Encodes the value as seven bytes.
    public func toBluetoothData() -> Data {
        combine([format.rawValue, exponent, unit, namespace, description])
    }
}
