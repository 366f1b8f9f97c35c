public import FoundationEssentials

/// The units of a scale.
public enum WeightUnits: Hashable, Swift.Sendable {
    /// Kilograms and meters.
    case metric
    /// Pounds and inches.
    case imperial
}

/// A value of the Weight Measurement characteristic, `2A9D`.
public struct WeightReading: Hashable, Swift.Sendable {
    /// The units of ``weight`` and ``height``.
    public let units: WeightUnits
    /// The weight in kilograms or pounds, or `nil` if the measurement failed.
    public let weight: Double?
    /// The time of the measurement, or `nil` if absent.
    public let timestamp: BluetoothDateTime?
    /// The index of the user, or `nil` if absent or unknown.
    public let userID: UInt8?
    /// The body mass index in kilograms per square meter, or `nil` if absent.
    public let bodyMassIndex: Double?
    /// The height in meters or inches, or `nil` if absent.
    public let height: Double?
}

extension WeightReading: Receivable {
    /// Decodes a value; bytes that no flag announces are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if a field is missing or incomplete.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let flags = FieldFlags(try reader.next(UInt8.self))
        units = flags[0] ? .imperial : .metric
        let raw: UInt16 = try reader.next()
        weight = raw == .max ? nil : units.mass(raw)
        timestamp = try reader.next(if: flags[1])
        userID = try reader.next(if: flags[2], UInt8.self).flatMap { $0 == .max ? nil : $0 }
        bodyMassIndex = try reader.next(if: flags[3], UInt16.self).map { Double($0) / 10 }
        height = try reader.next(if: flags[3], UInt16.self).map(units.length)
    }
}

/// A value of the Body Composition Measurement characteristic, `2A9C`.
public struct BodyCompositionReading: Hashable, Swift.Sendable {
    /// The units of the masses and of ``height``.
    public let units: WeightUnits
    /// The body fat in percent, or `nil` if the measurement failed.
    public let bodyFatPercentage: Double?
    /// The time of the measurement, or `nil` if absent.
    public let timestamp: BluetoothDateTime?
    /// The index of the user, or `nil` if absent or unknown.
    public let userID: UInt8?
    /// The basal metabolism in kilojoules, or `nil` if absent.
    public let basalMetabolismInKilojoules: UInt16?
    /// The muscles in percent, or `nil` if absent.
    public let musclePercentage: Double?
    /// The muscle mass in kilograms or pounds, or `nil` if absent.
    public let muscleMass: Double?
    /// The fat-free mass in kilograms or pounds, or `nil` if absent.
    public let fatFreeMass: Double?
    /// The soft lean mass in kilograms or pounds, or `nil` if absent.
    public let softLeanMass: Double?
    /// The body water mass in kilograms or pounds, or `nil` if absent.
    public let bodyWaterMass: Double?
    /// The impedance in ohms, or `nil` if absent.
    public let impedanceInOhms: Double?
    /// The weight in kilograms or pounds, or `nil` if absent.
    public let weight: Double?
    /// The height in meters or inches, or `nil` if absent.
    public let height: Double?
    /// Whether the measurement is split over this value and the next.
    public let isMultiplePacket: Bool
}

extension BodyCompositionReading: Receivable {
    /// Decodes a value; bytes that no flag announces are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if a field is missing or incomplete.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let flags = FieldFlags(try reader.next(UInt16.self))
        units = flags[0] ? .imperial : .metric
        isMultiplePacket = flags[12]
        let fat: UInt16 = try reader.next()
        bodyFatPercentage = fat == .max ? nil : Double(fat) / 10
        timestamp = try reader.next(if: flags[1])
        userID = try reader.next(if: flags[2], UInt8.self).flatMap { $0 == .max ? nil : $0 }
        basalMetabolismInKilojoules = try reader.next(if: flags[3])
        musclePercentage = try reader.next(if: flags[4], UInt16.self).map { Double($0) / 10 }
        muscleMass = try reader.next(if: flags[5], UInt16.self).map(units.mass)
        fatFreeMass = try reader.next(if: flags[6], UInt16.self).map(units.mass)
        softLeanMass = try reader.next(if: flags[7], UInt16.self).map(units.mass)
        bodyWaterMass = try reader.next(if: flags[8], UInt16.self).map(units.mass)
        impedanceInOhms = try reader.next(if: flags[9], UInt16.self).map { Double($0) / 10 }
        weight = try reader.next(if: flags[10], UInt16.self).map(units.mass)
        height = try reader.next(if: flags[11], UInt16.self).map(units.length)
    }
}

extension WeightUnits {
    /// Units of 0.005 kg or 0.01 lb.
    fileprivate func mass(_ raw: UInt16) -> Double {
        self == .metric ? Double(raw) / 200 : Double(raw) / 100
    }

    /// Units of 0.001 m or 0.1 in.
    fileprivate func length(_ raw: UInt16) -> Double {
        self == .metric ? Double(raw) / 1000 : Double(raw) / 10
    }
}
