import ArgumentParser
import BluejayCommandLine
import BluejayCore
import Foundation

/// The output format of a value.
enum ValueFormat: String, CaseIterable, ExpressibleByArgument {
    /// The format known for the characteristic, otherwise hexadecimal digits.
    case auto
    case hex
    case text
    /// A signed integer, the lowest byte first.
    case int
    /// An unsigned integer, the lowest byte first.
    case uint
    case heartRate = "heart-rate"
    /// The unchanged bytes.
    case raw
    case battery, temperature, humidity, pressure, thermometer, weight, glucose, running
    case bloodPressure = "blood-pressure"
    case bodyComposition = "body-composition"
    case cyclingSpeed = "cycling-speed"
    case cyclingPower = "cycling-power"
    case pulseOximeter = "pulse-oximeter"

    /// The formats listed in the help; formats of profiles are selected by their characteristics.
    static var allValueStrings: [String] {
        [auto, hex, text, int, uint, heartRate, raw].map(\.rawValue)
    }

    /// Returns the format for a characteristic, never ``auto``.
    func resolved(for uuid: BluetoothUUID) -> ValueFormat {
        guard self == .auto else { return self }
        switch uuid.uuidString {
        case "2A37": return .heartRate
        case "2A38", "2A06", "2A01": return .uint
        case "2A07": return .int
        case "2A00", "2A24", "2A25", "2A26", "2A27", "2A28", "2A29", "2A3D": return .text
        default: return Self.profiles[uuid.uuidString] ?? .hex
        }
    }

    private static let profiles: [String: ValueFormat] = [
        "2A19": .battery, "2A6E": .temperature, "2A6F": .humidity, "2A6D": .pressure,
        "2A1C": .thermometer, "2A1E": .thermometer, "2A35": .bloodPressure,
        "2A36": .bloodPressure, "2A9D": .weight, "2A9C": .bodyComposition, "2A18": .glucose,
        "2A5B": .cyclingSpeed, "2A63": .cyclingPower, "2A53": .running, "2A5F": .pulseOximeter,
    ]

    /// Returns the value in one line without terminal codes; must not be called for ``raw``.
    ///
    /// - Throws: ``ToolFailure`` if the value does not fit the format.
    func text(of value: Data) throws -> String {
        switch self {
        case .auto, .hex, .raw: value.hexadecimal
        case .text: String(decoding: value.prefix { $0 != 0 }, as: UTF8.self).printable
        case .int: "\(try Self.signed(value))"
        case .uint: "\(try Self.unsigned(value))"
        case .heartRate: try Self.heartRate(value).displayText
        default: try fields(of: value).displayText
        }
    }

    /// Returns the number in a value, for a plot; hexadecimal formats count as ``uint``.
    ///
    /// - Throws: ``ToolFailure`` if the value contains no number.
    func number(in value: Data) throws -> Double {
        switch self {
        case .auto, .hex, .raw, .uint: return Double(try Self.unsigned(value))
        case .int: return Double(try Self.signed(value))
        case .heartRate: return Double(try Self.heartRate(value).beatsPerMinute)
        case .text:
            let text = String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            if let number = Double(text), number.isFinite { return number }
            throw ToolFailure("--plot requires numeric values")
        default:
            guard let number = try fields(of: value).first?.number else {
                throw ToolFailure("--plot requires values that contain a number")
            }
            return number
        }
    }

    private static func unsigned(_ value: Data) throws -> UInt64 {
        guard (1...8).contains(value.count) else {
            throw ToolFailure(
                "a value of \(value.size) cannot be shown as a number; use --as hex"
            )
        }
        return value.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func signed(_ value: Data) throws -> Int64 {
        let shift = 64 - 8 * value.count
        return Int64(bitPattern: try unsigned(value) << UInt64(max(0, shift)))
            >> Int64(max(0, shift))
    }

    /// Returns the fields of a value of a profile; empty for the other formats.
    ///
    /// - Throws: ``ToolFailure`` if the value is too short.
    func fields(of value: Data) throws -> [ReadingField] {
        guard let type = readingType else { return [] }
        do {
            return try type.init(bluetoothData: value).fields
        } catch {
            let name = rawValue.replacing("-", with: " ")
            throw ToolFailure("a value of \(value.size) cannot be shown as \(name); use --as hex")
        }
    }

    private var readingType: (any FieldedReading.Type)? {
        switch self {
        case .battery: BatteryReading.self
        case .temperature: TemperatureReading.self
        case .humidity: HumidityReading.self
        case .pressure: PressureReading.self
        case .thermometer: ThermometerReading.self
        case .bloodPressure: BloodPressureReading.self
        case .weight: WeightReading.self
        case .bodyComposition: BodyCompositionReading.self
        case .glucose: GlucoseReading.self
        case .cyclingSpeed: CyclingSpeedAndCadenceReading.self
        case .cyclingPower: CyclingPowerReading.self
        case .running: RunningSpeedAndCadenceReading.self
        case .pulseOximeter: PulseOximeterReading.self
        case .auto, .hex, .text, .int, .uint, .heartRate, .raw: nil
        }
    }

    private static func heartRate(_ value: Data) throws -> HeartRateReading {
        do {
            return try HeartRateReading(bluetoothData: value)
        } catch {
            throw ToolFailure(
                "a value of \(value.size) cannot be shown as a heart rate; use --as hex"
            )
        }
    }
}

extension HeartRateReading {
    /// The reading as text, such as `72 bpm, contact, 12 kJ, RR 0.833 s`.
    fileprivate var displayText: String {
        var words = ["\(beatsPerMinute) bpm"]
        switch sensorContact {
        case .notSupported: break
        case .notDetected: words.append("no contact")
        case .detected: words.append("contact")
        }
        if let energyExpendedInKilojoules { words.append("\(energyExpendedInKilojoules) kJ") }
        words += rrIntervalsIn1024ths.map { interval in
            let thousandths = (Int(interval) * 1000 + 512) / 1024
            let digits = String(1000 + thousandths % 1000).dropFirst()
            return "RR \(thousandths / 1000).\(digits) s"
        }
        return words.joined(separator: ", ")
    }
}

extension Data {
    fileprivate var size: String { count == 1 ? "1 byte" : "\(count) bytes" }
}

extension Data {
    /// Two digits for each byte, in lower case.
    var hexadecimal: String {
        map { Hexadecimal.text(UInt64($0), digits: 2, isUppercase: false) }.joined()
    }
}
