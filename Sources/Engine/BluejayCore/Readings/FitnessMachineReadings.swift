public import FoundationEssentials

/// The values that all fitness machines report; each is `nil` if absent or unknown to the machine.
public struct WorkoutReading: Hashable, Swift.Sendable {
    /// The expended energy in kilocalories.
    public let energyInKilocalories: UInt16?
    /// The energy in kilocalories that an hour costs.
    public let kilocaloriesPerHour: UInt16?
    /// The energy in kilocalories that a minute costs.
    public let kilocaloriesPerMinute: UInt8?
    /// The heart rate in beats per minute.
    public let beatsPerMinute: UInt8?
    /// The metabolic equivalent: the effort as a multiple of that at rest.
    public let metabolicEquivalent: Double?
    /// The time since the start in seconds.
    public let elapsedTimeInSeconds: UInt16?
    /// The time until the end in seconds.
    public let remainingTimeInSeconds: UInt16?
}

/// A value of the Treadmill Data characteristic, `2ACD`; each field is `nil` if absent or unknown to the machine.
public struct TreadmillReading: Hashable, Swift.Sendable {
    /// A pace.
    ///
    /// The Fitness Machine Service 1.0 and the GATT Specification Supplement encode it in different ways,
    /// which only the length of a value tells apart.
    public enum Pace: Hashable, Swift.Sendable {
        /// Kilometers per minute, in one byte.
        case kilometersPerMinute(Double)
        /// Seconds for 500 m, in two bytes.
        case secondsPer500Meters(UInt16)
    }

    /// Whether the fields of this moment continue in further values; the last of them has the speed.
    public let isContinued: Bool
    /// The speed in kilometers per hour.
    public let kilometersPerHour: Double?
    /// The average speed in kilometers per hour.
    public let averageKilometersPerHour: Double?
    /// The distance in meters.
    public let distanceInMeters: UInt24?
    /// The inclination in percent.
    public let inclinationInPercent: Double?
    /// The angle of the ramp in degrees.
    public let rampAngleInDegrees: Double?
    /// The ascent so far in meters.
    public let ascentInMeters: Double?
    /// The descent so far in meters.
    public let descentInMeters: Double?
    /// The pace.
    public let pace: Pace?
    /// The average pace.
    public let averagePace: Pace?
    /// The values that all fitness machines report.
    public let workout: WorkoutReading
    /// The force on the belt in newtons.
    public let forceOnBeltInNewtons: Int16?
    /// The power in watts.
    public let watts: Int16?
}

extension TreadmillReading: Receivable {
    /// Decodes a value; bytes that no flag announces are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if a field is missing or incomplete.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let flags = FieldFlags(try reader.next(UInt16.self))
        isContinued = flags[0]
        kilometersPerHour = try reader.nextSpeed(if: !flags[0])
        averageKilometersPerHour = try reader.nextSpeed(if: flags[1])
        distanceInMeters = try reader.next(if: flags[2])
        inclinationInPercent = try reader.nextKnown(if: flags[3]).map { Double($0) / 10 }
        rampAngleInDegrees = try reader.nextKnown(if: flags[3]).map { Double($0) / 10 }
        ascentInMeters = try reader.next(if: flags[4], UInt16.self).map { Double($0) / 10 }
        descentInMeters = try reader.next(if: flags[4], UInt16.self).map { Double($0) / 10 }
        let later = WorkoutReading.byteCount(flags, first: 7) + (flags[12] ? 4 : 0)
        let paces = (flags[5] ? 1 : 0) + (flags[6] ? 1 : 0)
        let isWide = reader.remaining - later == 2 * paces
        pace = try reader.nextPace(if: flags[5], isWide: isWide)
        averagePace = try reader.nextPace(if: flags[6], isWide: isWide)
        workout = try reader.nextWorkout(flags, first: 7)
        forceOnBeltInNewtons = try reader.nextKnown(if: flags[12])
        watts = try reader.nextKnown(if: flags[12])
    }
}

/// A value of the Indoor Bike Data characteristic, `2AD2`; each field is `nil` if absent or unknown to the machine.
public struct IndoorBikeReading: Hashable, Swift.Sendable {
    /// Whether the fields of this moment continue in further values; the last of them has the speed.
    public let isContinued: Bool
    /// The speed in kilometers per hour.
    public let kilometersPerHour: Double?
    /// The average speed in kilometers per hour.
    public let averageKilometersPerHour: Double?
    /// The revolutions of the crank per minute.
    public let revolutionsPerMinute: Double?
    /// The average revolutions per minute.
    public let averageRevolutionsPerMinute: Double?
    /// The distance in meters.
    public let distanceInMeters: UInt24?
    /// The resistance, without a unit.
    public let resistanceLevel: Int?
    /// The power in watts.
    public let watts: Int16?
    /// The average power in watts.
    public let averageWatts: Int16?
    /// The values that all fitness machines report.
    public let workout: WorkoutReading
}

extension IndoorBikeReading: Receivable {
    /// Decodes a value; bytes that no flag announces are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if a field is missing or incomplete.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let flags = FieldFlags(try reader.next(UInt16.self))
        isContinued = flags[0]
        kilometersPerHour = try reader.nextSpeed(if: !flags[0])
        averageKilometersPerHour = try reader.nextSpeed(if: flags[1])
        revolutionsPerMinute = try reader.next(if: flags[2], UInt16.self).map { Double($0) / 2 }
        averageRevolutionsPerMinute = try reader.next(if: flags[3], UInt16.self)
            .map { Double($0) / 2 }
        distanceInMeters = try reader.next(if: flags[4])
        let later =
            (flags[6] ? 2 : 0) + (flags[7] ? 2 : 0) + WorkoutReading.byteCount(flags, first: 8)
        resistanceLevel = try reader.nextResistance(if: flags[5], before: later)
        watts = try reader.nextKnown(if: flags[6])
        averageWatts = try reader.nextKnown(if: flags[7])
        workout = try reader.nextWorkout(flags, first: 8)
    }
}

/// A value of the Rower Data characteristic, `2AD1`; each field is `nil` if absent or unknown to the machine.
public struct RowerReading: Hashable, Swift.Sendable {
    /// Whether the fields of this moment continue in further values; the last of them has the strokes.
    public let isContinued: Bool
    /// The strokes per minute.
    public let strokesPerMinute: Double?
    /// The strokes so far.
    public let strokeCount: UInt16?
    /// The average strokes per minute.
    public let averageStrokesPerMinute: Double?
    /// The distance in meters.
    public let distanceInMeters: UInt24?
    /// The pace in seconds for 500 m.
    public let secondsPer500Meters: UInt16?
    /// The average pace in seconds for 500 m.
    public let averageSecondsPer500Meters: UInt16?
    /// The power in watts.
    public let watts: Int16?
    /// The average power in watts.
    public let averageWatts: Int16?
    /// The resistance, without a unit.
    public let resistanceLevel: Int?
    /// The values that all fitness machines report.
    public let workout: WorkoutReading
}

extension RowerReading: Receivable {
    /// Decodes a value; bytes that no flag announces are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if a field is missing or incomplete.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let flags = FieldFlags(try reader.next(UInt16.self))
        isContinued = flags[0]
        strokesPerMinute = try reader.next(if: !flags[0], UInt8.self).map { Double($0) / 2 }
        strokeCount = try reader.next(if: !flags[0])
        averageStrokesPerMinute = try reader.next(if: flags[1], UInt8.self).map { Double($0) / 2 }
        distanceInMeters = try reader.next(if: flags[2])
        secondsPer500Meters = try reader.next(if: flags[3])
        averageSecondsPer500Meters = try reader.next(if: flags[4])
        watts = try reader.nextKnown(if: flags[5])
        averageWatts = try reader.nextKnown(if: flags[6])
        let later = WorkoutReading.byteCount(flags, first: 8)
        resistanceLevel = try reader.nextResistance(if: flags[7], before: later)
        workout = try reader.nextWorkout(flags, first: 8)
    }
}

extension WorkoutReading {
    /// The length of the fields, of which `first` is the flag of the energy.
    fileprivate static func byteCount(_ flags: FieldFlags, first: Int) -> Int {
        [5, 1, 1, 2, 2].enumerated().reduce(0) { $0 + (flags[first + $1.offset] ? $1.element : 0) }
    }
}

extension ByteReader {
    fileprivate mutating func nextWorkout(
        _ flags: FieldFlags,
        first: Int
    ) throws -> WorkoutReading {
        let energy: UInt16? = try next(if: flags[first])
        let hourly: UInt16? = try next(if: flags[first])
        let minutely: UInt8? = try next(if: flags[first])
        return WorkoutReading(
            energyInKilocalories: energy == .max ? nil : energy,
            kilocaloriesPerHour: hourly == .max ? nil : hourly,
            kilocaloriesPerMinute: minutely == .max ? nil : minutely,
            beatsPerMinute: try next(if: flags[first + 1]),
            metabolicEquivalent: try next(if: flags[first + 2], UInt8.self).map { Double($0) / 10 },
            elapsedTimeInSeconds: try next(if: flags[first + 3]),
            remainingTimeInSeconds: try next(if: flags[first + 4])
        )
    }

    fileprivate mutating func nextSpeed(if isPresent: Bool) throws -> Double? {
        try next(if: isPresent, UInt16.self).map { Double($0) / 100 }
    }

    /// Decodes a field whose largest number means that the machine does not know it.
    fileprivate mutating func nextKnown(if isPresent: Bool) throws -> Int16? {
        let value: Int16? = try next(if: isPresent)
        return value == .max ? nil : value
    }

    fileprivate mutating func nextPace(
        if isPresent: Bool,
        isWide: Bool
    ) throws -> TreadmillReading.Pace? {
        guard isPresent else { return nil }
        if isWide { return .secondsPer500Meters(try next()) }
        return .kilometersPerMinute(Double(try next(UInt8.self)) / 10)
    }

    /// Decodes a resistance, which has two bytes in the Fitness Machine Service 1.0, and one byte in tens in
    /// the GATT Specification Supplement.
    fileprivate mutating func nextResistance(
        if isPresent: Bool,
        before later: Int
    ) throws -> Int? {
        guard isPresent else { return nil }
        if remaining - later == 1 { return Int(try next(UInt8.self)) * 10 }
        return Int(try next(Int16.self))
    }
}
