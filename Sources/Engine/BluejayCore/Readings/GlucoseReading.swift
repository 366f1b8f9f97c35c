public import FoundationEssentials

/// A value of the Glucose Measurement characteristic, `2A18`.
public struct GlucoseReading: Hashable, Swift.Sendable {
    /// The unit of a concentration.
    public enum Unit: Hashable, Swift.Sendable {
        /// Kilograms per liter; 0.001 kg/L is 100 mg/dL.
        case kilogramsPerLiter
        /// Moles per liter; 0.001 mol/L is 1 mmol/L.
        case molesPerLiter
    }

    /// Findings of the sensor about a measurement.
    public struct Status: OptionSet, Hashable, Swift.Sendable {
        /// The bits of the value.
        public let rawValue: UInt16

        /// Creates findings from their bits.
        public init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// The battery was low.
        public static let batteryLow = Status(rawValue: 1 << 0)
        /// The sensor malfunctioned.
        public static let sensorMalfunction = Status(rawValue: 1 << 1)
        /// The sample was too small.
        public static let sampleTooSmall = Status(rawValue: 1 << 2)
        /// The strip was not inserted correctly.
        public static let stripInsertionError = Status(rawValue: 1 << 3)
        /// The strip is of a wrong type.
        public static let wrongStripType = Status(rawValue: 1 << 4)
        /// The result is above the range of the sensor.
        public static let resultTooHigh = Status(rawValue: 1 << 5)
        /// The result is below the range of the sensor.
        public static let resultTooLow = Status(rawValue: 1 << 6)
        /// The temperature was too high for a valid result.
        public static let temperatureTooHigh = Status(rawValue: 1 << 7)
        /// The temperature was too low for a valid result.
        public static let temperatureTooLow = Status(rawValue: 1 << 8)
        /// The strip was pulled out too early.
        public static let readInterrupted = Status(rawValue: 1 << 9)
        /// The device had a general fault.
        public static let deviceFault = Status(rawValue: 1 << 10)
        /// The time of the device may be wrong.
        public static let timeFault = Status(rawValue: 1 << 11)
    }

    /// A measured concentration.
    public struct Concentration: Hashable, Swift.Sendable {
        /// The concentration in ``unit``; special values give the reason for a missing number.
        public let value: MedFloat16
        /// The unit of ``value``.
        public let unit: Unit
        /// The assigned number of the kind of sample: 1 is capillary whole blood.
        public let sampleType: UInt8
        /// The assigned number of the place of the sample: 1 is a finger.
        public let sampleLocation: UInt8
    }

    /// The number of the record.
    public let sequenceNumber: UInt16
    /// The time of the measurement, without ``timeOffsetInMinutes``.
    public let baseTime: BluetoothDateTime
    /// The minutes to add to ``baseTime``, or `nil` if absent; 32,767 is an overrun.
    public let timeOffsetInMinutes: Int16?
    /// The concentration, or `nil` if absent.
    public let concentration: Concentration?
    /// The findings of the sensor, or `nil` if absent.
    public let status: Status?
    /// Whether a value of Glucose Measurement Context, `2A34`, follows.
    public let isContextFollowing: Bool
}

extension GlucoseReading: Receivable {
    /// Decodes a value; bytes that no flag announces are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if a field is missing or incomplete.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let flags = FieldFlags(try reader.next(UInt8.self))
        sequenceNumber = try reader.next()
        baseTime = try reader.next()
        timeOffsetInMinutes = try reader.next(if: flags[0])
        if flags[1] {
            let value: MedFloat16 = try reader.next()
            let sample: UInt8 = try reader.next()
            concentration = Concentration(
                value: value,
                unit: flags[2] ? .molesPerLiter : .kilogramsPerLiter,
                sampleType: sample & 0x0F,
                sampleLocation: sample >> 4
            )
        } else {
            concentration = nil
        }
        status = try reader.next(if: flags[3], UInt16.self).map(Status.init)
        isContextFollowing = flags[4]
    }
}
