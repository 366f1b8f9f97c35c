public import FoundationEssentials

/// A value of the RSC Measurement characteristic, `2A53`.
public struct RunningSpeedAndCadenceReading: Hashable, Swift.Sendable {
    /// The speed in meters per second.
    public let metersPerSecond: Double
    /// The steps per minute.
    public let stepsPerMinute: UInt8
    /// The length of a stride in meters, or `nil` if absent.
    public let strideLengthInMeters: Double?
    /// The distance in meters, or `nil` if absent.
    public let totalDistanceInMeters: Double?
    /// Whether the user runs; otherwise the user walks.
    public let isRunning: Bool
}

extension RunningSpeedAndCadenceReading: Receivable {
    /// Decodes a value; bytes that no flag announces are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if a field is missing or incomplete.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let flags = FieldFlags(try reader.next(UInt8.self))
        metersPerSecond = Double(try reader.next(UInt16.self)) / 256
        stepsPerMinute = try reader.next()
        strideLengthInMeters = try reader.next(if: flags[0], UInt16.self).map { Double($0) / 100 }
        totalDistanceInMeters = try reader.next(if: flags[1], UInt32.self).map { Double($0) / 10 }
        isRunning = flags[2]
    }
}
