public import FoundationEssentials

/// The revolutions of a wheel or crank, to compute a speed from two values.
///
/// Both numbers start again at 0 after their largest value: subtract with `&-`.
public struct RevolutionCount<Count: FixedWidthInteger & Swift.Sendable>: Hashable, Swift.Sendable {
    /// The revolutions so far.
    public let revolutions: Count
    /// The time of the last revolution, in units of 1/``ticksPerSecond`` s.
    public let lastEventTime: UInt16
    /// The resolution of ``lastEventTime``: 1024 or 2048.
    public let ticksPerSecond: UInt16

    /// Returns the revolutions per minute since an earlier value, or `nil` if the time did not advance.
    public func revolutionsPerMinute(since earlier: Self) -> Double? {
        let ticks = lastEventTime &- earlier.lastEventTime
        guard ticks > 0 else { return nil }
        let turned = revolutions &- earlier.revolutions
        return Double(turned) * 60 * Double(ticksPerSecond) / Double(ticks)
    }
}

/// A value of the CSC Measurement characteristic, `2A5B`.
public struct CyclingSpeedAndCadenceReading: Hashable, Swift.Sendable {
    /// The revolutions of the wheel, or `nil` if absent.
    public let wheel: RevolutionCount<UInt32>?
    /// The revolutions of the crank, or `nil` if absent.
    public let crank: RevolutionCount<UInt16>?
}

extension CyclingSpeedAndCadenceReading: Receivable {
    /// Decodes a value; bytes that no flag announces are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if a field is missing or incomplete.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let flags = FieldFlags(try reader.next(UInt8.self))
        wheel = try reader.nextCount(if: flags[0], ticksPerSecond: 1024)
        crank = try reader.nextCount(if: flags[1], ticksPerSecond: 1024)
    }
}

/// A value of the Cycling Power Measurement characteristic, `2A63`.
public struct CyclingPowerReading: Hashable, Swift.Sendable {
    /// The place where ``accumulatedTorque`` is measured.
    public enum TorqueSource: Hashable, Swift.Sendable {
        /// At the wheel.
        case wheel
        /// At the crank.
        case crank
    }

    /// The extremes of a value during a revolution.
    public struct Extremes<Value: Hashable & Swift.Sendable>: Hashable, Swift.Sendable {
        /// The largest value.
        public let maximum: Value
        /// The smallest value.
        public let minimum: Value
    }

    /// The power in watts.
    public let watts: Int16
    /// The share of one pedal in the power, in percent, or `nil` if absent.
    public let pedalPowerBalance: Double?
    /// Whether ``pedalPowerBalance`` is that of the left pedal; otherwise the pedal is unknown.
    public let isBalanceOfLeftPedal: Bool
    /// The accumulated torque in newton meters, or `nil` if absent.
    public let accumulatedTorque: Double?
    /// The place where the torque is measured.
    public let torqueSource: TorqueSource
    /// The revolutions of the wheel, or `nil` if absent.
    public let wheel: RevolutionCount<UInt32>?
    /// The revolutions of the crank, or `nil` if absent.
    public let crank: RevolutionCount<UInt16>?
    /// The extreme forces in newtons, or `nil` if absent.
    public let extremeForces: Extremes<Int16>?
    /// The extreme torques in newton meters, or `nil` if absent.
    public let extremeTorques: Extremes<Double>?
    /// The angles of the extremes in degrees, or `nil` if absent.
    public let extremeAngles: Extremes<UInt16>?
    /// The angle of the top dead spot in degrees, or `nil` if absent.
    public let topDeadSpotAngle: UInt16?
    /// The angle of the bottom dead spot in degrees, or `nil` if absent.
    public let bottomDeadSpotAngle: UInt16?
    /// The accumulated energy in kilojoules, or `nil` if absent.
    public let accumulatedEnergyInKilojoules: UInt16?
    /// Whether the sensor suggests a calibration of its offset.
    public let isOffsetCompensationIndicated: Bool
}

extension CyclingPowerReading: Receivable {
    /// Decodes a value; bytes that no flag announces are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if a field is missing or incomplete.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let flags = FieldFlags(try reader.next(UInt16.self))
        watts = try reader.next()
        pedalPowerBalance = try reader.next(if: flags[0], UInt8.self).map { Double($0) / 2 }
        isBalanceOfLeftPedal = flags[1]
        accumulatedTorque = try reader.next(if: flags[2], UInt16.self).map { Double($0) / 32 }
        torqueSource = flags[3] ? .crank : .wheel
        wheel = try reader.nextCount(if: flags[4], ticksPerSecond: 2048)
        crank = try reader.nextCount(if: flags[5], ticksPerSecond: 1024)
        extremeForces = try reader.nextExtremes(if: flags[6]) { $0 }
        extremeTorques = try reader.nextExtremes(if: flags[7]) { Double($0) / 32 }
        extremeAngles = try reader.next(if: flags[8], UInt24.self).map {
            // Two 12-bit numbers, maximum first.
            Extremes(maximum: UInt16($0.value & 0xFFF), minimum: UInt16($0.value >> 12))
        }
        topDeadSpotAngle = try reader.next(if: flags[9])
        bottomDeadSpotAngle = try reader.next(if: flags[10])
        accumulatedEnergyInKilojoules = try reader.next(if: flags[11])
        isOffsetCompensationIndicated = flags[12]
    }
}

extension ByteReader {
    fileprivate mutating func nextCount<Count: FixedWidthReceivable & FixedWidthInteger>(
        if isPresent: Bool,
        ticksPerSecond: UInt16
    ) throws -> RevolutionCount<Count>? {
        guard isPresent else { return nil }
        return RevolutionCount(
            revolutions: try next(),
            lastEventTime: try next(),
            ticksPerSecond: ticksPerSecond
        )
    }

    fileprivate mutating func nextExtremes<Value>(
        if isPresent: Bool,
        _ value: (Int16) -> Value
    ) throws -> CyclingPowerReading.Extremes<Value>? {
        guard isPresent else { return nil }
        return CyclingPowerReading.Extremes(maximum: value(try next()), minimum: value(try next()))
    }
}
