import ArgumentParser
import BluejayCore
import Foundation

/// The output format of a value.
enum ValueFormat: String, CaseIterable, ExpressibleByArgument {
    /// The format known for the characteristic, otherwise hexadecimal digits.
    case auto
    case hex
    case text
    /// A signed integer of one to eight bytes, the lowest byte first.
    case int
    /// An unsigned integer of one to eight bytes, the lowest byte first.
    case uint
    case uint8, uint16, uint24, uint32, uint64
    case int8, int16, int24, int32, int64
    /// IEEE 754.
    case float32, float64
    /// IEEE 11073-20601: 16 bits, and 32 bits.
    case sfloat, float
    /// The value of the Date Time characteristic.
    case dateTime = "datetime"
    case heartRate = "heart-rate"
    /// The unchanged bytes.
    case raw

    // Profiles.
    case battery, temperature, humidity, pressure, thermometer, weight, glucose, running
    case bloodPressure = "blood-pressure"
    case bodyComposition = "body-composition"
    case currentTime = "current-time"
    case cyclingSpeed = "cycling-speed"
    case cyclingPower = "cycling-power"
    case pulseOximeter = "pulse-oximeter"
    case txPower = "tx-power-level"

    // Numbers with names, which are in `NamedNumbers`.
    case addressResolution = "central-address-resolution"
    case alertCategory = "alert-category-id"
    case alertLevel = "alert-level"
    case appearance
    case bodySensorLocation = "body-sensor-location"
    case dayOfWeek = "day-of-week"
    case dstOffset = "dst-offset"
    case gender
    case handedness
    case heartRateControl = "heart-rate-control-point"
    case hidControl = "hid-control-point"
    case mediaState = "media-state"
    case mute
    case pressureTrend = "barometric-pressure-trend"
    case protocolMode = "protocol-mode"
    case ringerControl = "ringer-control-point"
    case ringerSetting = "ringer-setting"
    case sensorLocation = "sensor-location"
    case sportType = "sport-type"
    case temperatureType = "temperature-type"
    case timeSource = "time-source"
    case timeUpdateControl = "time-update-control-point"
    case timeZone = "time-zone"

    /// The formats listed in the help; the other ones are selected by their characteristics.
    static var allValueStrings: [String] {
        let numbers: [ValueFormat] = [
            .int, .uint, .uint8, .uint16, .uint24, .uint32, .uint64, .int8, .int16, .int24, .int32,
            .int64, .float32, .float64, .sfloat, .float,
        ]
        return ([auto, hex, text] + numbers + [dateTime, heartRate, raw]).map(\.rawValue)
    }

    /// Returns the format for a characteristic, never ``auto``.
    func resolved(for uuid: BluetoothUUID) -> ValueFormat {
        guard self == .auto else { return self }
        return Self.profiles[uuid.uuidString] ?? NamedNumbers.format(of: uuid) ?? .hex
    }

    private static let profiles: [String: ValueFormat] = [
        "2901": .text, "2A00": .text, "2A24": .text, "2A25": .text, "2A26": .text, "2A27": .text,
        "2A28": .text,
        "2A29": .text, "2A3D": .text, "2A07": .txPower, "2A08": .dateTime, "2A2B": .currentTime,
        "2A37": .heartRate, "2A19": .battery, "2A6E": .temperature, "2A6F": .humidity,
        "2A6D": .pressure, "2A1C": .thermometer, "2A1E": .thermometer, "2A35": .bloodPressure,
        "2A36": .bloodPressure, "2A9D": .weight, "2A9C": .bodyComposition, "2A18": .glucose,
        "2A5B": .cyclingSpeed, "2A63": .cyclingPower, "2A53": .running, "2A5F": .pulseOximeter,
    ]

    /// The name in a message, such as `heart rate`.
    var title: String { rawValue.replacing("-", with: " ") }

    /// Returns the value in one line without terminal codes; must not be called for ``raw``.
    ///
    /// - Throws: ``ToolFailure`` if the value does not fit the format.
    func text(of value: Data) throws -> String { try DecodedValue(value, as: self).text }

    /// Returns the number in a value, for a plot; hexadecimal formats count as ``uint``.
    ///
    /// - Throws: ``ToolFailure`` if the value contains no number.
    func number(in value: Data) throws -> Double {
        if self == .text {
            let text = String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            if let number = Double(text), number.isFinite { return number }
            throw ToolFailure("--plot requires numeric values")
        }
        let format: ValueFormat = [.auto, .hex, .raw].contains(self) ? .uint : self
        guard let number = try DecodedValue(value, as: format).number?.doubleValue,
            number.isFinite
        else { throw ToolFailure("--plot requires values that contain a number") }
        return number
    }
}
