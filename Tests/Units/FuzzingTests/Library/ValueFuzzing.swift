import BluejayCommandLine
import Foundation

@testable import BluejayCore
@testable import BluejayTool

/// Feeds attribute values to each type that receives values, and to the formats of the tool.
///
/// A slice is read like its copy. A value that can be sent again has the same bytes from then on.
enum ValueFuzzing {
    /// The types that receive values, by their names.
    static let types: [(name: String, play: @Sendable (Data) throws -> Void)] =
        sendable + received

    private static let sendable = [
        sendable(Int8.self), sendable(Int16.self), sendable(Int32.self), sendable(Int64.self),
        sendable(UInt8.self), sendable(UInt16.self), sendable(UInt32.self), sendable(UInt64.self),
        sendable(UInt24.self), sendable(Float.self), sendable(Double.self), sendable(Data.self),
        sendable(String.self), sendable(MedFloat16.self), sendable(MedFloat32.self),
        sendable(BluetoothDateTime.self), sendable(CurrentTimeReading.self),
        sendable(BatteryReading.self), sendable(HeartRateReading.self),
        sendable(PresentationFormat.self), sendable(BodySensorLocation.self),
        sendable(SensorLocation.self), sendable(AlertLevel.self), sendable(BluetoothWeekday.self),
    ]

    private static let received = [
        received(CyclingSpeedAndCadenceReading.self), received(CyclingPowerReading.self),
        received(PulseOximeterReading.self), received(PulseOximeterSpotCheckReading.self),
        received(BatteryStatusReading.self), received(ThermometerReading.self),
        received(WeightReading.self), received(BodyCompositionReading.self),
        received(BloodPressureReading.self), received(TreadmillReading.self),
        received(IndoorBikeReading.self), received(RowerReading.self),
        received(TemperatureReading.self), received(HumidityReading.self),
        received(PressureReading.self), received(GlucoseReading.self),
        received(GlucoseContextReading.self), received(RunningSpeedAndCadenceReading.self),
        received(SystemIdentifier.self), received(PlugAndPlayIdentifier.self),
    ]

    static func play(_ bytes: Data) throws {
        var input = FuzzInput(bytes)
        let number = Int(input.byte())
        let value = Data(input.rest)
        let formats = ValueFormat.allCases
        if number < types.count {
            try types[number].play(value)
        } else if number - types.count < formats.count {
            try check(formats[number - types.count], value)
        } else {
            try checkInformation(value)
        }
    }

    // MARK: Types

    private static func received<Value: Receivable & SendableMetatype>(
        _ type: Value.Type
    ) -> (name: String, play: @Sendable (Data) throws -> Void) {
        ("\(type)", { _ = try read($0, as: type) })
    }

    private static func sendable<Value: Receivable & BluetoothSendable & SendableMetatype>(
        _ type: Value.Type
    ) -> (name: String, play: @Sendable (Data) throws -> Void) {
        (
            "\(type)",
            { bytes in
                guard let value = try read(bytes, as: type) else { return }
                let sent = value.toBluetoothData()
                guard let again = try read(sent, as: type) else {
                    throw Fuzzing.Violation(description: "\(sent.hexadecimal) is not a \(type)")
                }
                try expect(again.toBluetoothData() == sent, "\(value) becomes \(again)")
                try expect("\(again)" == "\(value)", "\(value) becomes \(again)")
            }
        )
    }

    private static func read<Value: Receivable>(_ bytes: Data, as type: Value.Type) throws -> Value?
    {
        let value = Result { try Value(bluetoothData: bytes) }
        let slice = Result {
            try Value(bluetoothData: (Data([0]) + bytes + [0]).dropFirst().dropLast())
        }
        switch (value, slice) {
        case (.success(let value), .success(let other)):
            try expect("\(value)" == "\(other)", "a slice is \(other), not \(value)")
            return value
        case (.failure, .failure): return nil
        default: throw Fuzzing.Violation(description: "a slice is \(slice), not \(value)")
        }
    }

    // MARK: Formats

    private static func check(_ format: ValueFormat, _ value: Data) throws {
        guard let decoded = try? DecodedValue(value, as: format) else { return }
        let text = decoded.text
        try expect(text == text.printable, "\(text) has control characters")
        if let number = decoded.number?.doubleValue {
            try expect(number.isFinite, "\(number) is not finite")
        }
        let characteristic = CharacteristicIdentifier(uuid: "2A37", service: "180D")
        _ = try JSONLines().line(ValueJSON(value, of: characteristic, as: format))
        if let input = InputFormat(rawValue: format.rawValue) { try check(input, text, value) }
    }

    /// Types the text of a value again.
    private static func check(_ format: InputFormat, _ text: String, _ value: Data) throws {
        switch format {
        // These texts are not exact: special numbers and unknown parts of a time have words.
        case .text, .name, .float32, .float64, .sfloat, .float, .dateTime:
            _ = try? format.bytes(of: text)
        case .hex, .uint8, .uint16, .uint24, .uint32, .uint64, .int8, .int16, .int24, .int32,
            .int64:
            let typed = try format.bytes(of: text)
            try expect(typed == value, "\(text) is \(typed.hexadecimal), not \(value.hexadecimal)")
        }
    }

    private static func checkInformation(_ value: Data) throws {
        var information = DeviceInformation()
        for characteristic in DeviceInformation.characteristics {
            information.decode(value, for: characteristic)
            _ = information.lacks(characteristic)
        }
        let text = String(decoding: value, as: UTF8.self)
        let uuid = BluetoothUUID(string: text)
        try expect(BluetoothUUID(string: uuid.uuidString) == uuid, "\(text) becomes \(uuid)")
        try expect(BluetoothUUID(string: uuid.canonicalText) == uuid, "\(text) becomes \(uuid)")
        for kind in DeviceAddress.Kind.allCases {
            guard let address = DeviceAddress(text, kind: kind) else { continue }
            try expect(
                DeviceAddress(address.text, kind: kind) == address,
                "\(text) becomes \(address)"
            )
            let identifier = PeripheralIdentifier(address: address, name: text)
            try expect(identifier.deviceAddress == address, "\(address) becomes \(identifier)")
        }
        _ = BlueZVersion(modalias: "usb:v1D6Bp0246d" + text)
        try expect(!text.displayText.contains("\n"), "\(text) has several lines")
    }
}
