import ArgumentParser
import BluejayCore
import DemoSupport
import Foundation

/// How a value is written for people.
enum ValueFormat: String, CaseIterable, ExpressibleByArgument {
    /// What the characteristic is known to be, else hexadecimal digits.
    case auto
    case hex
    case text
    /// A whole number with a sign, the lowest byte first.
    case int
    /// A whole number without a sign, the lowest byte first.
    case uint
    case heartRate = "heart-rate"
    /// The bytes as they are.
    case raw

    /// The format for a characteristic.
    ///
    /// - Parameter uuid: Its UUID.
    /// - Returns: Never ``auto``.
    func resolved(for uuid: BluetoothUUID) -> ValueFormat {
        guard self == .auto else { return self }
        switch uuid.uuidString {
        case "2A37": return .heartRate
        case "2A19", "2A38", "2A06", "2A01": return .uint
        case "2A07": return .int
        case "2A00", "2A24", "2A25", "2A26", "2A27", "2A28", "2A29", "2A3D": return .text
        default: return .hex
        }
    }

    /// The value in words; not for ``raw``, which has none.
    ///
    /// - Parameter value: All of it.
    /// - Returns: One line, without codes for a terminal.
    /// - Throws: ``ToolFailure`` for what is no such value.
    func text(of value: Data) throws -> String {
        switch self {
        case .auto, .hex, .raw: value.hexadecimal
        case .text: String(decoding: value.prefix { $0 != 0 }, as: UTF8.self).printable
        case .int: "\(try Self.signed(value))"
        case .uint: "\(try Self.unsigned(value))"
        case .heartRate: try Self.heartRate(value).words
        }
    }

    /// The number in a value, for a plot.
    ///
    /// - Parameter value: All of it.
    /// - Returns: As the format says; of hexadecimal digits the number that they are as a ``uint``.
    /// - Throws: ``ToolFailure`` for what is no number.
    func number(in value: Data) throws -> Double {
        switch self {
        case .auto, .hex, .raw, .uint: return Double(try Self.unsigned(value))
        case .int: return Double(try Self.signed(value))
        case .heartRate: return Double(try Self.heartRate(value).beatsPerMinute)
        case .text:
            let text = String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            if let number = Double(text), number.isFinite { return number }
            throw ToolFailure("a text that is no number cannot be plotted")
        }
    }

    private static func unsigned(_ value: Data) throws -> UInt64 {
        guard (1...8).contains(value.count) else {
            throw ToolFailure(
                "a value of \(value.size) is no number of 1 to 8; try --as hex"
            )
        }
        return value.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func signed(_ value: Data) throws -> Int64 {
        let shift = 64 - 8 * value.count
        return Int64(bitPattern: try unsigned(value) << UInt64(max(0, shift)))
            >> Int64(max(0, shift))
    }

    private static func heartRate(_ value: Data) throws -> HeartRateReading {
        do {
            return try HeartRateReading(bluetoothData: value)
        } catch {
            throw ToolFailure("a value of \(value.size) is no heart rate; try --as hex")
        }
    }
}

extension HeartRateReading {
    /// Such as `72 bpm, contact, 12 kJ, RR 0.833 s`.
    fileprivate var words: String {
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

/// A value as JSON: always the bytes, and what they are where that is known.
struct ValueObject: Encodable {
    let characteristic: String
    let name: String?
    let service: String
    /// When it came; of a read nil.
    var time: Date?
    let hex: String
    var text: String?
    var number: Double?

    /// Makes an object of a value.
    ///
    /// - Parameters:
    ///   - value: All of it.
    ///   - characteristic: Whose it is.
    ///   - format: How it is to be read; what cannot be read so is there as ``hex`` only.
    init(_ value: Data, of characteristic: CharacteristicIdentifier, as format: ValueFormat) {
        self.characteristic = characteristic.uuid.shown(characteristic.instance)
        name = characteristic.uuid.standardName
        service = characteristic.service.uuid.shown(characteristic.service.instance)
        hex = value.hexadecimal
        switch format.resolved(for: characteristic.uuid) {
        case .auto, .hex, .raw: break
        case .text: text = try? ValueFormat.text.text(of: value)
        case let format: number = try? format.number(in: value)
        }
    }
}

extension Data {
    /// How long it is, in words.
    fileprivate var size: String { count == 1 ? "1 byte" : "\(count) bytes" }
}
