public import FoundationEssentials

/// How the value of a characteristic is to be read: the descriptor `2904`.
///
/// Core Specification, Vol 3, Part G, 3.3.3.5; the numbers are those of Bluetooth's Assigned Numbers. The
/// value is the number that the bytes hold, times ten to the power of the exponent, in the unit.
public struct PresentationFormat: Hashable, Swift.Sendable {
    /// What the bytes of a value are (Assigned Numbers 2.4.1).
    public struct Format: RawRepresentable, Hashable, Swift.Sendable {
        /// The assigned number.
        public let rawValue: UInt8

        /// Makes a format from an assigned number.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// Whether the exponent counts for it: for whole numbers it does.
        public var hasExponent: Bool { (0x02...0x13).contains(rawValue) }
    }

    /// What the bytes of a value are.
    public let format: Format

    /// The power of ten that a whole number is multiplied with, -128 to 127.
    public let exponent: Int8

    /// The number of the unit, such as `0x272F` for degrees Celsius (Assigned Numbers 3.5).
    public let unit: UInt16

    /// Who gives ``description`` its meaning; 1 is the Bluetooth SIG.
    public let namespace: UInt8

    /// What the namespace has to say on the value; of the Bluetooth SIG's, 0 is nothing and 1 "first".
    public let description: UInt16

    /// Makes a value to send.
    ///
    /// - Parameters:
    ///   - format: What the bytes of a value are.
    ///   - exponent: The power of ten, of whole numbers.
    ///   - unit: The number of the unit; 0x2700 is none.
    ///   - namespace: Who gives the description its meaning; 1 is the Bluetooth SIG.
    ///   - description: What the namespace has to say on the value.
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
    /// 0 is false, 1 is true.
    public static let boolean = Self(rawValue: 0x01)
    /// A whole number of 2 bits.
    public static let uint2 = Self(rawValue: 0x02)
    /// A whole number of 4 bits.
    public static let uint4 = Self(rawValue: 0x03)
    /// A whole number of 8 bits.
    public static let uint8 = Self(rawValue: 0x04)
    /// A whole number of 12 bits.
    public static let uint12 = Self(rawValue: 0x05)
    /// A whole number of 16 bits.
    public static let uint16 = Self(rawValue: 0x06)
    /// A whole number of 24 bits.
    public static let uint24 = Self(rawValue: 0x07)
    /// A whole number of 32 bits.
    public static let uint32 = Self(rawValue: 0x08)
    /// A whole number of 48 bits.
    public static let uint48 = Self(rawValue: 0x09)
    /// A whole number of 64 bits.
    public static let uint64 = Self(rawValue: 0x0A)
    /// A whole number of 128 bits.
    public static let uint128 = Self(rawValue: 0x0B)
    /// A whole number of 8 bits with a sign.
    public static let int8 = Self(rawValue: 0x0C)
    /// A whole number of 12 bits with a sign.
    public static let int12 = Self(rawValue: 0x0D)
    /// A whole number of 16 bits with a sign.
    public static let int16 = Self(rawValue: 0x0E)
    /// A whole number of 24 bits with a sign.
    public static let int24 = Self(rawValue: 0x0F)
    /// A whole number of 32 bits with a sign.
    public static let int32 = Self(rawValue: 0x10)
    /// A whole number of 48 bits with a sign.
    public static let int48 = Self(rawValue: 0x11)
    /// A whole number of 64 bits with a sign.
    public static let int64 = Self(rawValue: 0x12)
    /// A whole number of 128 bits with a sign.
    public static let int128 = Self(rawValue: 0x13)
    /// A number of IEEE 754 in 32 bits.
    public static let float32 = Self(rawValue: 0x14)
    /// A number of IEEE 754 in 64 bits.
    public static let float64 = Self(rawValue: 0x15)
    /// A number of IEEE 11073 in 16 bits, SFLOAT.
    public static let medfloat16 = Self(rawValue: 0x16)
    /// A number of IEEE 11073 in 32 bits, FLOAT.
    public static let medfloat32 = Self(rawValue: 0x17)
    /// Two whole numbers of 16 bits.
    public static let pairOfUInt16 = Self(rawValue: 0x18)
    /// Text in UTF-8.
    public static let utf8Text = Self(rawValue: 0x19)
    /// Text in UTF-16.
    public static let utf16Text = Self(rawValue: 0x1A)
    /// A structure.
    public static let structure = Self(rawValue: 0x1B)
    /// ASN.1 of IEEE 11073.
    public static let medASN1 = Self(rawValue: 0x1C)
}

extension PresentationFormat: Receivable {
    /// Decodes seven bytes; more are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` when there are fewer.
    public init(bluetoothData: Data) throws {
        format = Format(rawValue: try bluetoothData.extract(start: 0, length: 1))
        exponent = try bluetoothData.extract(start: 1, length: 1)
        unit = try bluetoothData.extract(start: 2, length: 2)
        namespace = try bluetoothData.extract(start: 4, length: 1)
        description = try bluetoothData.extract(start: 5, length: 2)
    }
}

extension PresentationFormat: BluetoothSendable {
    /// Encodes the seven bytes.
    public func toBluetoothData() -> Data {
        combine([format.rawValue, exponent, unit, namespace, description])
    }
}
