public import FoundationEssentials

/// A value of the characteristics Temperature Measurement, `2A1C`, and Intermediate Temperature, `2A1E`.
public struct ThermometerReading: Hashable, Swift.Sendable {
    /// The unit of a temperature.
    public enum Unit: Hashable, Swift.Sendable {
        /// Degrees Celsius.
        case celsius
        /// Degrees Fahrenheit.
        case fahrenheit
    }

    /// The place of the body where a temperature is measured.
    public enum Site: UInt8, Hashable, Swift.Sendable {
        /// The armpit.
        case armpit = 1
        /// The body in general.
        case body
        /// The ear, usually the lobe.
        case ear
        /// A finger.
        case finger
        /// The gastrointestinal tract.
        case gastrointestinalTract
        /// The mouth.
        case mouth
        /// The rectum.
        case rectum
        /// A toe.
        case toe
        /// The eardrum.
        case tympanum
    }

    /// The temperature in ``unit``; special values give the reason for a missing number.
    public let temperature: MedFloat32
    /// The unit of ``temperature``.
    public let unit: Unit
    /// The time of the measurement, or `nil` if absent.
    public let timestamp: BluetoothDateTime?
    /// The place of the measurement, or `nil` if absent or reserved.
    public let site: Site?
}

extension ThermometerReading: Receivable {
    /// Decodes a value; bytes that no flag announces are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` if a field is missing or incomplete.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let flags = FieldFlags(try reader.next(UInt8.self))
        unit = flags[0] ? .fahrenheit : .celsius
        temperature = try reader.next()
        timestamp = try reader.next(if: flags[1])
        site = try reader.next(if: flags[2], UInt8.self).flatMap(Site.init)
    }
}
