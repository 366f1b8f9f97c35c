public import FoundationEssentials

/// A value of the Temperature characteristic, `2A6E`.
public struct TemperatureReading: Hashable, Swift.Sendable {
    /// The temperature in degrees Celsius, at least −273.15, or `nil` if the device does not know it.
    public let celsius: Double?
}

extension TemperatureReading: Receivable {
    /// Decodes hundredths of a degree in two bytes; further bytes are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for fewer bytes.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let hundredths: Int16 = try reader.next()
        // The numbers below absolute zero are prohibited, except the one for an unknown value.
        celsius = hundredths < -27_315 ? nil : Double(hundredths) / 100
    }
}

/// A value of the Humidity characteristic, `2A6F`.
public struct HumidityReading: Hashable, Swift.Sendable {
    /// The relative humidity, 0 to 100 percent, or `nil` if the device does not know it.
    public let percent: Double?
}

extension HumidityReading: Receivable {
    /// Decodes hundredths of a percent in two bytes; further bytes are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for fewer bytes.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let hundredths: UInt16 = try reader.next()
        // The numbers above 100 % are prohibited, except the one for an unknown value.
        percent = hundredths > 10_000 ? nil : Double(hundredths) / 100
    }
}

/// A value of the Pressure characteristic, `2A6D`.
public struct PressureReading: Hashable, Swift.Sendable {
    /// The pressure in pascals.
    public let pascals: Double
}

extension PressureReading: Receivable {
    /// Decodes tenths of a pascal in four bytes; further bytes are ignored.
    ///
    /// - Parameter bluetoothData: The whole value.
    /// - Throws: ``BluejayError/dataOutOfBounds(start:length:count:)`` for fewer bytes.
    public init(bluetoothData: Data) throws {
        var reader = ByteReader(bluetoothData)
        let tenths: UInt32 = try reader.next()
        pascals = Double(tenths) / 10
    }
}
