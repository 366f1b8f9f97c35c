public import FoundationEssentials

/// A value of the PLX Continuous Measurement characteristic, `2A5F`.
public struct PulseOximeterReading: Hashable, Swift.Sendable {
    /// An oxygen saturation and a pulse rate.
    public struct Sample: Hashable, Swift.Sendable {
        /// The oxygen saturation of the blood in percent.
        public let oxygenSaturation: MedFloat16
        /// The pulse in beats per minute.
        public let pulseRate: MedFloat16
    }

    /// The result with the normal averaging time.
    public let normal: Sample
    /// The result with a fast response, or `nil` if absent.
    public let fast: Sample?
    /// The result with a slow response, or `nil` if absent.
    public let slow: Sample?
    /// The bits of Measurement Status, or `nil` if absent.
    public let measurementStatus: UInt16?
    /// The bits of Device and Sensor Status, or `nil` if absent.
    public let deviceAndSensorStatus: UInt24?
    /// The pulse amplitude index in percent, or `nil` if absent.
    public let pulseAmplitudeIndex: MedFloat16?
}

extension PulseOximeterReading: Receivable {
    /// Decodes a value; bytes that no flag announces are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if a field is missing or incomplete.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let flags = FieldFlags(try reader.next(UInt8.self))
        normal = try reader.nextSample()
        fast = flags[0] ? try reader.nextSample() : nil
        slow = flags[1] ? try reader.nextSample() : nil
        measurementStatus = try reader.next(if: flags[2])
        deviceAndSensorStatus = try reader.next(if: flags[3])
        pulseAmplitudeIndex = try reader.next(if: flags[4])
    }
}

extension ByteReader {
    fileprivate mutating func nextSample() throws -> PulseOximeterReading.Sample {
        PulseOximeterReading.Sample(oxygenSaturation: try next(), pulseRate: try next())
    }
}
