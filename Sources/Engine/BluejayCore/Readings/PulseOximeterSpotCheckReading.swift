public import FoundationEssentials

/// A value of the PLX Spot-Check Measurement characteristic, `2A5E`.
public struct PulseOximeterSpotCheckReading: Hashable, Swift.Sendable {
    /// The oxygen saturation and the pulse.
    public let sample: PulseOximeterReading.Sample
    /// The time of the measurement, or `nil` if absent.
    public let timestamp: BluetoothDateTime?
    /// The bits of Measurement Status, or `nil` if absent.
    public let measurementStatus: UInt16?
    /// The bits of Device and Sensor Status, or `nil` if absent.
    public let deviceAndSensorStatus: UInt24?
    /// The pulse amplitude index in percent, or `nil` if absent.
    public let pulseAmplitudeIndex: MedFloat16?
    /// Whether the clock of the device is not set, so that ``timestamp`` is wrong.
    public let isClockNotSet: Bool
}

extension PulseOximeterSpotCheckReading: Receivable {
    /// Decodes a value; bytes that no flag announces are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if a field is missing or incomplete.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let flags = FieldFlags(try reader.next(UInt8.self))
        sample = PulseOximeterReading.Sample(
            oxygenSaturation: try reader.next(),
            pulseRate: try reader.next()
        )
        timestamp = try reader.next(if: flags[0])
        measurementStatus = try reader.next(if: flags[1])
        deviceAndSensorStatus = try reader.next(if: flags[2])
        pulseAmplitudeIndex = try reader.next(if: flags[3])
        isClockNotSet = flags[4]
    }
}
