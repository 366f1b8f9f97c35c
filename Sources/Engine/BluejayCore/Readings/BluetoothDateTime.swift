public import FoundationEssentials

/// A value of the Date Time characteristic, `2A08`, also part of other values: a local time.
///
/// The value has no time zone. Fields out of range are kept, so that a wrong clock does not cost a
/// measurement.
public struct BluetoothDateTime: Hashable, Swift.Sendable {
    /// The year, 1582 to 9999, or `nil` if the device does not know it.
    public var year: UInt16?
    /// The month, 1 to 12, or `nil` if the device does not know it.
    public var month: UInt8?
    /// The day of the month, 1 to 31, or `nil` if the device does not know it.
    public var day: UInt8?
    /// The hour, 0 to 23.
    public var hour: UInt8
    /// The minute, 0 to 59.
    public var minute: UInt8
    /// The second, 0 to 59.
    public var second: UInt8

    /// Creates a value to send.
    public init(
        year: UInt16?,
        month: UInt8?,
        day: UInt8?,
        hour: UInt8,
        minute: UInt8,
        second: UInt8
    ) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// The fields as date components, without a time zone; unknown fields are `nil`.
    public var dateComponents: DateComponents {
        DateComponents(
            year: year.map(Int.init),
            month: month.map(Int.init),
            day: day.map(Int.init),
            hour: Int(hour),
            minute: Int(minute),
            second: Int(second)
        )
    }
}

extension BluetoothDateTime: Receivable, FixedWidthReceivable, BluetoothSendable {
    static var byteCount: Int { 7 }

    /// Decodes seven bytes; further bytes are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for fewer bytes.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let year: UInt16 = try reader.next()
        let month: UInt8 = try reader.next()
        let day: UInt8 = try reader.next()
        self.init(
            year: year == 0 ? nil : year,
            month: month == 0 ? nil : month,
            day: day == 0 ? nil : day,
            hour: try reader.next(),
            minute: try reader.next(),
            second: try reader.next()
        )
    }

    /// Encodes the seven bytes; unknown fields are 0.
    public func toBluetoothData() -> Data {
        combine([year ?? 0, month ?? 0, day ?? 0, hour, minute, second])
    }
}
