public import FoundationEssentials

/// A value of the Current Time characteristic, `2A2B`: a local time, whose zone is in `2A0F`.
public struct CurrentTimeReading: Hashable, Swift.Sendable {
    /// The reasons for the last adjustment of the clock.
    public struct AdjustReasons: OptionSet, Hashable, Swift.Sendable {
        /// The bits of the value.
        public let rawValue: UInt8

        /// Creates reasons from their bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// A user set the time.
        public static let manualUpdate = AdjustReasons(rawValue: 1 << 0)
        /// The time came from a reference, such as GPS.
        public static let externalReference = AdjustReasons(rawValue: 1 << 1)
        /// The time zone changed.
        public static let timeZoneChange = AdjustReasons(rawValue: 1 << 2)
        /// Daylight saving time began or ended.
        public static let daylightSavingChange = AdjustReasons(rawValue: 1 << 3)
    }

    /// The date and the time of day.
    public var dateTime: BluetoothDateTime
    /// The day of the week.
    public var weekday: BluetoothWeekday
    /// The fraction of the second in units of 1/256 s.
    public var fractionsIn256ths: UInt8
    /// The reasons for the last adjustment of the clock.
    public var adjustReasons: AdjustReasons

    /// Creates a value to send.
    public init(
        dateTime: BluetoothDateTime,
        weekday: BluetoothWeekday = .unknown,
        fractionsIn256ths: UInt8 = 0,
        adjustReasons: AdjustReasons = []
    ) {
        self.dateTime = dateTime
        self.weekday = weekday
        self.fractionsIn256ths = fractionsIn256ths
        self.adjustReasons = adjustReasons
    }
}

extension CurrentTimeReading: Receivable, BluetoothSendable {
    /// Decodes ten bytes; further bytes are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for fewer bytes.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        self.init(
            dateTime: try reader.next(),
            weekday: BluetoothWeekday(rawValue: try reader.next()),
            fractionsIn256ths: try reader.next(),
            adjustReasons: AdjustReasons(rawValue: try reader.next())
        )
    }

    /// Encodes the ten bytes.
    public func toBluetoothData() -> Data {
        combine([dateTime, weekday, fractionsIn256ths, adjustReasons.rawValue])
    }
}
