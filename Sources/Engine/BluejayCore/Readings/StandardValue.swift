public import FoundationEssentials

/// A number of one byte with assigned meanings, such as ``BodySensorLocation``.
///
/// A number without a meaning is kept in `rawValue`; its ``name`` is `nil`.
public protocol StandardValue: RawRepresentable, Hashable, Receivable, BluetoothSendable,
    CustomStringConvertible, Swift.Sendable
{
    /// The number.
    var rawValue: UInt8 { get }

    /// Creates the value of any number.
    init(rawValue: UInt8)

    /// The English name, or `nil` for a number without a meaning.
    var name: String? { get }
}

extension StandardValue {
    /// The English name, or the number.
    public var description: String { name ?? "\(rawValue)" }

    /// Decodes the first byte; further bytes are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for an empty value.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        self.init(rawValue: try reader.next())
    }

    /// Encodes the byte.
    public func toBluetoothData() -> Data { rawValue.toBluetoothData() }
}

extension Array<String> {
    /// The name of a number; an empty name marks a reserved number.
    fileprivate func name(of number: UInt8) -> String? {
        guard number < count, !self[Int(number)].isEmpty else { return nil }
        return self[Int(number)]
    }
}

/// A value of the Body Sensor Location characteristic, `2A38`: where a heart rate sensor is worn.
public struct BodySensorLocation: StandardValue {
    /// The number.
    public let rawValue: UInt8

    /// Creates the value of any number.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Any place that is not listed.
    public static let other = BodySensorLocation(rawValue: 0)
    /// The chest.
    public static let chest = BodySensorLocation(rawValue: 1)
    /// The wrist.
    public static let wrist = BodySensorLocation(rawValue: 2)
    /// A finger.
    public static let finger = BodySensorLocation(rawValue: 3)
    /// A hand.
    public static let hand = BodySensorLocation(rawValue: 4)
    /// An ear lobe.
    public static let earLobe = BodySensorLocation(rawValue: 5)
    /// A foot.
    public static let foot = BodySensorLocation(rawValue: 6)

    private static let names = ["Other", "Chest", "Wrist", "Finger", "Hand", "Ear Lobe", "Foot"]

    /// The English name, or `nil` for a number without a meaning.
    public var name: String? { Self.names.name(of: rawValue) }
}

/// A value of the Sensor Location characteristic, `2A5D`: where a running or cycling sensor is mounted.
public struct SensorLocation: StandardValue {
    /// The number.
    public let rawValue: UInt8

    /// Creates the value of any number.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Any place that is not listed.
    public static let other = SensorLocation(rawValue: 0)
    /// The top of a shoe.
    public static let topOfShoe = SensorLocation(rawValue: 1)
    /// Inside a shoe.
    public static let inShoe = SensorLocation(rawValue: 2)
    /// The hip.
    public static let hip = SensorLocation(rawValue: 3)
    /// The front wheel.
    public static let frontWheel = SensorLocation(rawValue: 4)
    /// The left crank.
    public static let leftCrank = SensorLocation(rawValue: 5)
    /// The right crank.
    public static let rightCrank = SensorLocation(rawValue: 6)
    /// The left pedal.
    public static let leftPedal = SensorLocation(rawValue: 7)
    /// The right pedal.
    public static let rightPedal = SensorLocation(rawValue: 8)
    /// The front hub.
    public static let frontHub = SensorLocation(rawValue: 9)
    /// The rear dropout.
    public static let rearDropout = SensorLocation(rawValue: 10)
    /// The chainstay.
    public static let chainstay = SensorLocation(rawValue: 11)
    /// The rear wheel.
    public static let rearWheel = SensorLocation(rawValue: 12)
    /// The rear hub.
    public static let rearHub = SensorLocation(rawValue: 13)
    /// The chest.
    public static let chest = SensorLocation(rawValue: 14)
    /// The spider of a crank.
    public static let spider = SensorLocation(rawValue: 15)
    /// The chain ring.
    public static let chainRing = SensorLocation(rawValue: 16)

    private static let names = [
        "Other", "Top of Shoe", "In Shoe", "Hip", "Front Wheel", "Left Crank", "Right Crank",
        "Left Pedal", "Right Pedal", "Front Hub", "Rear Dropout", "Chainstay", "Rear Wheel",
        "Rear Hub", "Chest", "Spider", "Chain Ring",
    ]

    /// The English name, or `nil` for a number without a meaning.
    public var name: String? { Self.names.name(of: rawValue) }
}

/// A value of the Alert Level characteristic, `2A06`.
public struct AlertLevel: StandardValue {
    /// The number.
    public let rawValue: UInt8

    /// Creates the value of any number.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// No alert.
    public static let noAlert = AlertLevel(rawValue: 0)
    /// A mild alert.
    public static let mild = AlertLevel(rawValue: 1)
    /// A strong alert.
    public static let high = AlertLevel(rawValue: 2)

    private static let names = ["No Alert", "Mild Alert", "High Alert"]

    /// The English name, or `nil` for a number without a meaning.
    public var name: String? { Self.names.name(of: rawValue) }
}

/// A day of the week, as in the Day of Week characteristic, `2A09`.
public struct BluetoothWeekday: StandardValue {
    /// The number.
    public let rawValue: UInt8

    /// Creates the value of any number.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The device does not know the day.
    public static let unknown = BluetoothWeekday(rawValue: 0)
    /// Monday.
    public static let monday = BluetoothWeekday(rawValue: 1)
    /// Tuesday.
    public static let tuesday = BluetoothWeekday(rawValue: 2)
    /// Wednesday.
    public static let wednesday = BluetoothWeekday(rawValue: 3)
    /// Thursday.
    public static let thursday = BluetoothWeekday(rawValue: 4)
    /// Friday.
    public static let friday = BluetoothWeekday(rawValue: 5)
    /// Saturday.
    public static let saturday = BluetoothWeekday(rawValue: 6)
    /// Sunday.
    public static let sunday = BluetoothWeekday(rawValue: 7)

    private static let names = [
        "Unknown", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]

    /// The English name, or `nil` for a number without a meaning.
    public var name: String? { Self.names.name(of: rawValue) }
}
