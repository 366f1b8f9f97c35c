import BluejayCore
import Foundation

/// A reading that can be displayed field by field.
protocol FieldedReading: Receivable {
    /// The present fields; the first is the one to plot.
    var fields: [ReadingField] { get }
}

/// A named part of a reading: a number with a unit, or a text.
struct ReadingField: Equatable {
    let name: String
    /// The number, or `nil` for a text and if the device does not know the number.
    var number: Double?
    var unit: String?
    /// The text, or the reason for a missing number.
    var text: String?
    /// Several numbers.
    var values: [Double]?

    init(_ name: String, _ number: Double?, _ unit: String? = nil) {
        self.name = name
        self.unit = unit
        if let number, number.isFinite { self.number = number } else { text = "unknown" }
    }

    init(_ name: String, _ number: MedFloat16, _ unit: String?) {
        self.init(name, number.doubleValue, unit)
        text = number.specialValue?.displayText
    }

    init(_ name: String, _ number: MedFloat32, _ unit: String?) {
        self.init(name, number.doubleValue, unit)
        text = number.specialValue?.displayText
    }

    init(_ name: String, text: String) {
        self.name = name
        self.text = text
    }

    /// Formats a device's time, such as `2026-11-25 12:30:15`; unknown parts are question marks.
    init(_ name: String, _ date: BluetoothDateTime) {
        self.init(name, text: "\(date.dayText) \(date.timeText)")
    }

    init(_ name: String, values: [Double], _ unit: String) {
        self.name = name
        self.unit = unit
        self.values = values
    }

    /// The value without the name, such as `34.08 °C`.
    var displayText: String {
        guard let number else {
            return values.map { $0.map(display).joined(separator: " ") } ?? text ?? "unknown"
        }
        return display(number)
    }

    private func display(_ number: Double) -> String {
        // Sums of fractions such as 1/1024 have many digits.
        let rounded = abs(number) < 1e12 ? (number * 1e6).rounded() / 1e6 : number
        let digits = Int64(exactly: rounded).map(String.init) ?? "\(rounded)"
        return unit.map { "\(digits) \($0)" } ?? digits
    }
}

extension ReadingField: Encodable {
    private enum Key: CodingKey {
        case value, values, unit, text
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encodeIfPresent(number, forKey: .value)
        try object.encodeIfPresent(values, forKey: .values)
        try object.encodeIfPresent(unit, forKey: .unit)
        try object.encodeIfPresent(text, forKey: .text)
    }
}

extension [ReadingField] {
    /// The fields in one line, such as `34.08 °C` or `systolic 120 mmHg, diastolic 80 mmHg`.
    var displayText: String {
        if isEmpty { return "no data" }
        if count == 1 { return self[0].displayText }
        return map { "\($0.name) \($0.displayText)" }.joined(separator: ", ")
    }

    /// Appends a number unless it is `nil`.
    mutating func add(_ name: String, _ number: Double?, _ unit: String? = nil) {
        if let number { append(ReadingField(name, number, unit)) }
    }

    mutating func add(_ name: String, _ number: MedFloat16?, _ unit: String? = nil) {
        if let number { append(ReadingField(name, number, unit)) }
    }

    mutating func add(_ name: String, _ number: (some BinaryInteger)?, _ unit: String? = nil) {
        if let number { append(ReadingField(name, Double(number), unit)) }
    }

    mutating func add(_ name: String, _ date: BluetoothDateTime?) {
        if let date { append(ReadingField(name, date)) }
    }

    /// Appends the bits of a status if any is set.
    mutating func add(status: (some BinaryInteger)?) {
        guard let status, status != 0 else { return }
        append(ReadingField("status", text: "0x" + String(status, radix: 16)))
    }
}

extension MedicalFloatSpecialValue {
    var displayText: String {
        switch self {
        case .notANumber: "no result"
        case .notAtThisResolution: "not at this resolution"
        case .positiveInfinity: "above the range"
        case .negativeInfinity: "below the range"
        case .reserved: "reserved"
        }
    }
}
