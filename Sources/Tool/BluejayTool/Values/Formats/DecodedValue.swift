import BluejayCommandLine
import BluejayCore
import Foundation

/// The meaning of a value in a format.
struct DecodedValue: Equatable {
    /// One line without terminal codes.
    let text: String
    /// The number, or the first of several; `nil` if the value contains none.
    var number: ValueNumber?
    /// The unit of ``number``.
    var unit: String?
    /// A text, the name of a number, or the reason for a missing number.
    var label: String?
    /// The fields of a value of a profile.
    var fields: [ReadingField] = []

    /// Decodes a value.
    ///
    /// - Throws: ``ToolFailure`` if the value does not fit the format.
    init(_ value: Data, as format: ValueFormat) throws {
        switch format {
        case .auto, .hex, .raw: self.init(text: value.hexadecimal)
        case .text:
            self.init(
                label: String(decoding: value.prefix { $0 != 0 }, as: UTF8.self).printable
            )
        case .int: self.init(.signed(try Self.signed(value)))
        case .uint: self.init(.unsigned(try Self.unsigned(value)))
        case .int8, .int16, .int24, .int32, .int64:
            try Self.checkLength(value, format.bits / 8, format)
            self.init(.signed(try Self.signed(value)))
        case .uint8, .uint16, .uint24, .uint32, .uint64:
            try Self.checkLength(value, format.bits / 8, format)
            self.init(.unsigned(try Self.unsigned(value)))
        case .float32: self.init(.single(try Self.exact(value, 4, format)))
        case .float64: self.init(.double(try Self.exact(value, 8, format)))
        case .sfloat:
            let number: MedFloat16 = try Self.exact(value, 2, format)
            self.init(number.doubleValue, number.specialValue)
        case .float:
            let number: MedFloat32 = try Self.exact(value, 4, format)
            self.init(number.doubleValue, number.specialValue)
        case .dateTime:
            let date: BluetoothDateTime = try Self.exact(value, 7, format)
            if let problem = date.problem {
                throw ToolFailure("the value is not a date and time: \(problem); use --as hex")
            }
            self.init([ReadingField("time", date)])
        case .txPower:
            try Self.checkLength(value, 1, format)
            self.init(.signed(try Self.signed(value)), unit: "dBm")
        case .heartRate:
            let reading = try Self.reading(value, HeartRateReading.self, format)
            self.init(reading.fields, text: reading.displayText)
        default:
            if let numbers = NamedNumbers.all[format] {
                try Self.checkLength(value, numbers.byteCount, format)
                let number = try Self.unsigned(value)
                let name =
                    format == .appearance
                    ? AppearanceNames.name(of: Appearance(rawValue: UInt16(number)))
                    : numbers.name(of: number)
                self.init(
                    numbers.isSigned ? .signed(try Self.signed(value)) : .unsigned(number),
                    label: name
                )
            } else if let type = format.readingType {
                self.init(try Self.reading(value, type, format).fields)
            } else {
                self.init(text: value.hexadecimal)
            }
        }
    }

    private init(_ number: ValueNumber, unit: String? = nil, label: String? = nil) {
        guard number.doubleValue.isFinite else {
            let sign = number.doubleValue < 0 ? "-" : ""
            text = number.doubleValue.isNaN ? "not a number" : sign + "infinity"
            self.label = text
            return
        }
        self.number = number
        self.unit = unit
        self.label = label
        let digits = unit.map { "\(number.text) \($0)" } ?? number.text
        text = label.map { "\($0) (\(digits))" } ?? digits
    }

    private init(_ number: Double, _ special: MedicalFloatSpecialValue?) {
        if let special {
            self.init(label: special.displayText)
        } else {
            self.init(.double(number))
        }
    }

    private init(text: String) { self.text = text }

    private init(label: String) {
        text = label
        self.label = label
    }

    private init(_ fields: [ReadingField], text: String? = nil) {
        self.text = text ?? fields.displayText
        number = fields.first?.number.map { .double($0) }
        unit = fields.first?.unit
        label = fields.count == 1 ? fields[0].text : nil
        self.fields = fields
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
        let number = try unsigned(value)
        let shift = UInt64(64 - 8 * value.count)
        return Int64(bitPattern: number << shift) >> Int64(shift)
    }

    private static func checkLength(_ value: Data, _ count: Int, _ format: ValueFormat) throws {
        guard value.count != count else { return }
        throw ToolFailure(
            "a value of \(value.size) cannot be shown as \(format.title), "
                + "which has \(Data(count: count).size); use --as hex"
        )
    }

    private static func exact<Value: Receivable>(
        _ value: Data,
        _ count: Int,
        _ format: ValueFormat
    ) throws -> Value {
        try checkLength(value, count, format)
        return try Value(bluetoothData: value)
    }

    private static func reading<Reading: Receivable>(
        _ value: Data,
        _ type: Reading.Type,
        _ format: ValueFormat
    ) throws -> Reading {
        do {
            return try type.init(bluetoothData: value)
        } catch {
            throw ToolFailure(
                "a value of \(value.size) cannot be shown as \(format.title); use --as hex"
            )
        }
    }
}

extension ValueFormat {
    /// The width of a fixed-width integer.
    fileprivate var bits: Int { Int(rawValue.filter(\.isNumber)) ?? 0 }

    fileprivate var readingType: (any FieldedReading.Type)? {
        switch self {
        case .battery: BatteryReading.self
        case .temperature: TemperatureReading.self
        case .humidity: HumidityReading.self
        case .pressure: PressureReading.self
        case .thermometer: ThermometerReading.self
        case .bloodPressure: BloodPressureReading.self
        case .weight: WeightReading.self
        case .bodyComposition: BodyCompositionReading.self
        case .currentTime: CurrentTimeReading.self
        case .glucose: GlucoseReading.self
        case .cyclingSpeed: CyclingSpeedAndCadenceReading.self
        case .cyclingPower: CyclingPowerReading.self
        case .running: RunningSpeedAndCadenceReading.self
        case .pulseOximeter: PulseOximeterReading.self
        default: nil
        }
    }
}

extension Data {
    fileprivate var size: String { count == 1 ? "1 byte" : "\(count) bytes" }

    /// Two digits for each byte, in lower case.
    var hexadecimal: String {
        map { Hexadecimal.text(UInt64($0), digits: 2, isUppercase: false) }.joined()
    }
}
