public import FoundationEssentials

/// A value of the Glucose Measurement Context characteristic, `2A34`, which belongs to the
/// ``GlucoseReading`` with the same sequence number.
public struct GlucoseContextReading: Hashable, Swift.Sendable {
    /// The unit of a medication.
    public enum MedicationUnit: Hashable, Swift.Sendable {
        /// Kilograms.
        case kilograms
        /// Liters.
        case liters
    }

    /// Carbohydrates that were eaten or drunk.
    public struct Carbohydrate: Hashable, Swift.Sendable {
        /// The assigned number of the kind: 1 is breakfast, 2 lunch, 3 dinner, 4 a snack, 5 a drink.
        public let kind: UInt8
        /// The amount in kilograms.
        public let kilograms: MedFloat16
    }

    /// Exercise before the measurement.
    public struct Exercise: Hashable, Swift.Sendable {
        /// The duration in seconds; 65,535 is an overrun.
        public let durationInSeconds: UInt16
        /// The intensity in percent.
        public let intensityInPercent: UInt8
    }

    /// A medication.
    public struct Medication: Hashable, Swift.Sendable {
        /// The assigned number of the kind: 1 is rapid-acting insulin, 2 short-acting, 3 intermediate-acting,
        /// 4 long-acting, 5 pre-mixed.
        public let kind: UInt8
        /// The amount in ``unit``.
        public let amount: MedFloat16
        /// The unit of ``amount``.
        public let unit: MedicationUnit
    }

    /// The number of the record of the measurement.
    public let sequenceNumber: UInt16
    /// The carbohydrates, or `nil` if absent.
    public let carbohydrate: Carbohydrate?
    /// The assigned number of the meal, or `nil` if absent: 1 is before a meal, 2 after it, 3 fasting, 4
    /// casual, 5 bedtime.
    public let meal: UInt8?
    /// The assigned number of the tester, or `nil` if absent: 1 is the patient, 2 a professional, 3 a
    /// laboratory.
    public let tester: UInt8?
    /// The assigned number of the health, or `nil` if absent: 5 is no issue.
    public let health: UInt8?
    /// The exercise, or `nil` if absent.
    public let exercise: Exercise?
    /// The medication, or `nil` if absent.
    public let medication: Medication?
    /// The glycated hemoglobin in percent, or `nil` if absent.
    public let glycatedHemoglobin: MedFloat16?
}

extension GlucoseContextReading: Receivable {
    /// Decodes a value; bytes that no flag announces are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if a field is missing or incomplete.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let flags = FieldFlags(try reader.next(UInt8.self))
        sequenceNumber = try reader.next()
        // The extended flags are reserved.
        _ = try reader.next(if: flags[7], UInt8.self)
        carbohydrate =
            flags[0] ? Carbohydrate(kind: try reader.next(), kilograms: try reader.next()) : nil
        meal = try reader.next(if: flags[1])
        let testerAndHealth: UInt8? = try reader.next(if: flags[2])
        tester = testerAndHealth.map { $0 & 0x0F }
        health = testerAndHealth.map { $0 >> 4 }
        exercise =
            flags[3]
            ? Exercise(
                durationInSeconds: try reader.next(),
                intensityInPercent: try reader.next()
            ) : nil
        medication =
            flags[4]
            ? Medication(
                kind: try reader.next(),
                amount: try reader.next(),
                unit: flags[5] ? .liters : .kilograms
            ) : nil
        glycatedHemoglobin = try reader.next(if: flags[6])
    }
}
