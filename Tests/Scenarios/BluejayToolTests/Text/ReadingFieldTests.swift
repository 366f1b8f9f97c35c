import BluejayCommandLine
import BluejayCore
import Foundation
import TestTraits
import Testing

@testable import BluejayTool

@Suite("Profile readings as text", .timeLimit(.minutes(15)))
struct ReadingFieldTests {
    static let time: [UInt8] = [0xEA, 0x07, 11, 25, 12, 30, 5]

    static let readings: [(String, [UInt8], String)] = [
        ("2A6E", [0x50, 0x0D], "34.08 °C"), ("2A6E", [0, 0x80], "unknown"),
        ("2A6F", [0x39, 0x11], "44.09 %"), ("2A6D", [0xCD, 0x76, 0x0F, 0], "101345.3 Pa"),
        ("2A19", [80], "80 %"),
        (
            "2A1C", [6, 0x6D, 1, 0, 0xFF] + time + [2],
            "temperature 36.5 °C, time 2026-11-25 12:30:05, site body"
        ),
        ("2A1C", [1, 0xFE, 0xFF, 0x7F, 0], "above the range"),
        (
            "2A35", [0x14, 120, 0, 80, 0, 93, 0, 72, 0, 4, 0],
            "systolic 120 mmHg, diastolic 80 mmHg, mean 93 mmHg, pulse 72 bpm, status 0x4"
        ),
        (
            "2A9D", [0x08, 0x98, 0x3A, 0xE7, 0, 0x08, 7],
            "weight 75 kg, BMI 23.1 kg/m², height 1.8 m"
        ),
        ("2A9D", [0x01, 0x96, 0x40], "165.34 lb"),
        ("2A9C", [0x10, 0, 0xD2, 0, 0x90, 1], "fat 21 %, muscle 40 %"),
        (
            "2A18", [0x06, 8, 0] + [0, 0, 0, 0, 1, 2, 3] + [0x37, 0xC0, 0x11],
            "glucose 5.5 mmol/L, record 8, time ????-??-?? 01:02:03"
        ),
        ("2A5B", [2, 10, 0, 0, 4], "crank 10 revolutions, crank time 1 s"),
        ("2A5B", [0], "no data"),
        ("2A63", [0, 8, 250, 0, 42, 0], "power 250 W, energy 42 kJ"),
        ("2A53", [4, 0, 3, 170], "speed 3 m/s, cadence 170 steps/min, gait running"),
        ("2A5F", [0, 98, 0, 0xFF, 7], "SpO2 98 %, pulse no result"),
    ]

    @Test("A profile value is printed with units", arguments: readings)
    func words(uuid: String, bytes: [UInt8], text: String) throws {
        let format = ValueFormat.auto.resolved(for: BluetoothUUID(string: uuid))
        #expect(try format.text(of: Data(bytes)) == text)
    }

    @Test("A value that is too short is rejected with a remedy")
    func short() {
        let failure = #expect(throws: ToolFailure.self) {
            try ValueFormat.bloodPressure.text(of: Data([0, 120]))
        }
        #expect(
            failure
                == ToolFailure("a value of 2 bytes cannot be shown as blood pressure; use --as hex")
        )
    }

    @Test("A reading in JSON has a number with its unit, or fields")
    func object() throws {
        let temperature = CharacteristicIdentifier(uuid: "2A6E", service: .environmentalSensing)
        #expect(
            try JSONLines().line(ValueJSON(Data([0x50, 0x0D]), of: temperature, as: .auto))
                == #"{"characteristic":"2A6E","characteristicName":"Temperature","instance":0,"#
                + #""number":34.08,"service":"181A","serviceInstance":0,"unit":"°C","value":"500d"}"#
        )
        let weight = CharacteristicIdentifier(uuid: "2A9D", service: .weightScale)
        let value = Data([0x04, 0xFF, 0xFF, 2])
        #expect(
            try JSONLines().line(ValueJSON(value, of: weight, as: .auto))
                == #"{"characteristic":"2A9D","characteristicName":"Weight Measurement","#
                + #""fields":{"user":{"value":2},"weight":{"text":"unknown","unit":"kg"}},"#
                + #""instance":0,"service":"181D","serviceInstance":0,"unit":"kg","#
                + #""value":"04ffff02"}"#
        )
    }

    static let keys = [
        ("fat-free mass", "fatFreeMass"), ("BMI", "bmi"), ("SpO2", "spO2"),
        ("RR intervals", "rrIntervals"),
        ("fast SpO2", "fastSpO2"), ("time", "time"),
    ]

    @Test("The name of a field is a key in lower camel case", arguments: keys)
    func key(name: String, key: String) {
        #expect(name.lowerCamelCase == key)
    }

    @Test("Any bytes give one line of text and a finite number, or are rejected", .computing)
    func hostile() {
        let formats = ValueFormat.allCases.filter { $0 != .auto && $0 != .raw }
        for flags in UInt16.min...0x1FFF {
            for length in [2, 7, 20, 46] {
                var bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 89 + Int(flags)) }
                bytes[0] = UInt8(flags & 0xFF)
                bytes[1] = UInt8(flags >> 8)
                for format in formats {
                    let value = Data(bytes)
                    let text = try? format.text(of: value)
                    let number = try? format.number(in: value)
                    if text?.utf8.contains(0x0A) == true || number?.isFinite == false {
                        Issue.record("\(format) of \(bytes)")
                    }
                }
            }
        }
    }
}
