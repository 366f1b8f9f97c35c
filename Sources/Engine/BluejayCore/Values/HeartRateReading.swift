public import FoundationEssentials

/// A value of the Heart Rate Measurement characteristic, `2A37`.
///
/// Specified in the Heart Rate Service 1.0, 3.1. Encoding uses the shortest form of the value.
public struct HeartRateReading: Hashable, Swift.Sendable {
    /// The skin contact detected by the sensor.
    public enum SensorContact: Hashable, Swift.Sendable {
        /// The sensor cannot detect contact.
        case notSupported
        /// The sensor detects poor contact or none.
        case notDetected
        /// The sensor detects contact with the skin.
        case detected
    }

    /// The heart rate in beats per minute.
    public let beatsPerMinute: UInt16

    /// The skin contact detected by the sensor.
    public let sensorContact: SensorContact

    /// The energy expended since the last reset, or `nil` if the value contains none.
    ///
    /// It stays at 65 535 once that is reached.
    public let energyExpendedInKilojoules: UInt16?

    /// The times between two beats in units of 1/1024 s, oldest first.
    public let rrIntervalsIn1024ths: [UInt16]

    /// Creates a value to send.
    ///
    /// - Parameters:
    ///   - beatsPerMinute: The heart rate.
    ///   - sensorContact: The skin contact detected by the sensor.
    ///   - energyExpendedInKilojoules: The energy since the last reset, or `nil` to omit it.
    ///   - rrIntervalsIn1024ths: Units of 1/1024 s, oldest first. With the smallest MTU, nine of them
    ///     fit in addition to an 8-bit heart rate.
    public init(
        beatsPerMinute: UInt16,
        sensorContact: SensorContact = .notSupported,
        energyExpendedInKilojoules: UInt16? = nil,
        rrIntervalsIn1024ths: [UInt16] = []
    ) {
        self.beatsPerMinute = beatsPerMinute
        self.sensorContact = sensorContact
        self.energyExpendedInKilojoules = energyExpendedInKilojoules
        self.rrIntervalsIn1024ths = rrIntervalsIn1024ths
    }

    /// The times between two beats, oldest first.
    public var rrIntervals: [Duration] {
        // 1/1024 s is a whole number of attoseconds, so nothing is rounded.
        rrIntervalsIn1024ths.map { Duration.seconds(Int64($0)) / 1024 }
    }
}

/// The bits of the first byte.
private struct Flags: OptionSet {
    let rawValue: UInt8

    static let rateHas16Bits = Flags(rawValue: 1 << 0)
    static let contactDetected = Flags(rawValue: 1 << 1)
    static let contactSupported = Flags(rawValue: 1 << 2)
    static let hasEnergy = Flags(rawValue: 1 << 3)
    static let hasIntervals = Flags(rawValue: 1 << 4)
}

extension HeartRateReading: Receivable {
    /// Decodes a value.
    ///
    /// Bytes that no flag announces are ignored, because sensors pad their values. If the flag for RR
    /// intervals is set, all whole intervals after the other fields are decoded; there may be zero. A
    /// single byte at the end is padding, too.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if an announced field is missing
    ///   or incomplete.
    public init(bluetoothData: Data) throws {
        let flags = Flags(rawValue: try bluetoothData.extract(start: 0, length: 1))
        var next = 1
        func field() throws -> UInt16 {
            defer { next += 2 }
            return try bluetoothData.extract(start: next, length: 2)
        }
        if flags.contains(.rateHas16Bits) {
            beatsPerMinute = try field()
        } else {
            beatsPerMinute = UInt16(try bluetoothData.extract(start: next, length: 1) as UInt8)
            next += 1
        }
        sensorContact =
            !flags.contains(.contactSupported)
            ? .notSupported : flags.contains(.contactDetected) ? .detected : .notDetected
        energyExpendedInKilojoules = flags.contains(.hasEnergy) ? try field() : nil
        var intervals: [UInt16] = []
        while flags.contains(.hasIntervals), bluetoothData.count - next >= 2 {
            intervals.append(try field())
        }
        rrIntervalsIn1024ths = intervals
    }
}

extension HeartRateReading: BluetoothSendable {
    /// Encodes the value, with an 8-bit heart rate if it fits.
    public func toBluetoothData() -> Data {
        var flags: Flags = []
        var fields: [any BluetoothSendable] = []
        if let rate = UInt8(exactly: beatsPerMinute) {
            fields.append(rate)
        } else {
            flags.insert(.rateHas16Bits)
            fields.append(beatsPerMinute)
        }
        switch sensorContact {
        case .notSupported: break
        case .notDetected: flags.insert(.contactSupported)
        case .detected: flags.formUnion([.contactSupported, .contactDetected])
        }
        if let energyExpendedInKilojoules {
            flags.insert(.hasEnergy)
            fields.append(energyExpendedInKilojoules)
        }
        if !rrIntervalsIn1024ths.isEmpty {
            flags.insert(.hasIntervals)
            fields += rrIntervalsIn1024ths
        }
        return combine([flags.rawValue] + fields)
    }
}
