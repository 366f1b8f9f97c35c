public import FoundationEssentials

/// A value of the characteristics Blood Pressure Measurement, `2A35`, and Intermediate Cuff Pressure, `2A36`.
public struct BloodPressureReading: Hashable, Swift.Sendable {
    /// The unit of a pressure.
    public enum Unit: Hashable, Swift.Sendable {
        /// Millimeters of mercury.
        case millimetersOfMercury
        /// Kilopascals.
        case kilopascals
    }

    /// Findings of the device about a measurement.
    public struct Status: OptionSet, Hashable, Swift.Sendable {
        /// The bits of the value.
        public let rawValue: UInt16

        /// Creates findings from their bits.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// The body moved.
        public static let bodyMovement = Status(rawValue: 1 << 0)
        /// The cuff is too loose.
        public static let looseCuff = Status(rawValue: 1 << 1)
        /// The pulse is irregular.
        public static let irregularPulse = Status(rawValue: 1 << 2)
        /// The pulse rate is above the upper limit.
        public static let pulseRateAboveLimit = Status(rawValue: 1 << 3)
        /// The pulse rate is below the lower limit.
        public static let pulseRateBelowLimit = Status(rawValue: 1 << 4)
        /// The device is at a wrong position.
        public static let wrongPosition = Status(rawValue: 1 << 5)
    }

    /// The unit of the pressures.
    public let unit: Unit
    /// The systolic pressure in ``unit``; for `2A36`, the cuff pressure.
    public let systolic: MedFloat16
    /// The diastolic pressure in ``unit``.
    public let diastolic: MedFloat16
    /// The mean arterial pressure in ``unit``.
    public let meanArterialPressure: MedFloat16
    /// The time of the measurement, or `nil` if absent.
    public let timestamp: BluetoothDateTime?
    /// The pulse in beats per minute, or `nil` if absent.
    public let pulseRate: MedFloat16?
    /// The index of the user, or `nil` if absent or unknown.
    public let userID: UInt8?
    /// The findings of the device, or `nil` if absent.
    public let status: Status?
}

extension BloodPressureReading: Receivable {
    /// Decodes a value; bytes that no flag announces are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if a field is missing or incomplete.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let flags = FieldFlags(try reader.next(UInt8.self))
        unit = flags[0] ? .kilopascals : .millimetersOfMercury
        systolic = try reader.next()
        diastolic = try reader.next()
        meanArterialPressure = try reader.next()
        timestamp = try reader.next(if: flags[1])
        pulseRate = try reader.next(if: flags[2])
        userID = try reader.next(if: flags[3], UInt8.self).flatMap { $0 == .max ? nil : $0 }
        status = try reader.next(if: flags[4], UInt16.self).map(Status.init)
    }
}
