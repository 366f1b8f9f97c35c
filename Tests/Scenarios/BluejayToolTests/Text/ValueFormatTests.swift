import ArgumentParser
import BluejayCommandLine
import BluejayCore
import Foundation
import Testing

@testable import BluejayTool

@Suite("Value formats", .timeLimit(.minutes(15)))
struct ValueFormatTests {
    static let readings: [(ValueFormat, [UInt8], String)] = [
        (.hex, [0, 0xA5], "00a5"), (.hex, [], ""), (.uint, [80], "80"),
        (.uint, [1, 2], "513"),
        (.uint, [255, 255, 255, 255, 255, 255, 255, 255], "18446744073709551615"),
        (.int, [0xFE], "-2"), (.int, [0xFE, 0xFF, 0xFF], "-2"), (.int, [0xFF, 0x7F], "32767"),
        (.int, [0, 0, 0, 0, 0, 0, 0, 0x80], "-9223372036854775808"),
        (.text, Array("Grüße".utf8), "Grüße"), (.text, Array("pad\0\0".utf8), "pad"),
        (.text, [0x1B, 0x5B, 0x32, 0x4A], "\u{FFFD}[2J"),
        (.heartRate, [0, 72], "72 bpm"),
        (
            .heartRate, [0x1E, 72, 12, 0, 0x55, 3, 0, 4],
            "72 bpm, contact, 12 kJ, RR 0.833 s, RR 1.000 s"
        ),
        (.heartRate, [0x05, 0x2C, 1], "300 bpm, no contact"),
        (.uint8, [255], "255"), (.int8, [255], "-1"), (.uint16, [1, 2], "513"),
        (.uint24, [0xFF, 0xFF, 0xFF], "16777215"), (.int24, [0, 0, 0x80], "-8388608"),
        (.uint64, [UInt8](repeating: 255, count: 8), "18446744073709551615"),
        (.float32, [0xCD, 0xCC, 0xCC, 0x3D], "0.1"), (.float32, [0, 0, 0x80, 0xBF], "-1"),
        (.float32, [0, 0, 0xC0, 0x7F], "not a number"),
        (.float32, [0, 0, 0x80, 0xFF], "-infinity"),
        (.float64, [0x18, 0x2D, 0x44, 0x54, 0xFB, 0x21, 0x09, 0x40], "3.141592653589793"),
        (.sfloat, [0x6E, 0xF1], "36.6"), (.sfloat, [1, 0x80], "1e-08"),
        (.sfloat, [0xFF, 0x07], "no result"), (.float, [0x6D, 1, 0, 0xFF], "36.5"),
        (.float, [0xFE, 0xFF, 0x7F, 0], "above the range"),
        (.dateTime, [0xEA, 0x07, 11, 29, 12, 30, 15], "2026-11-29 12:30:15"),
        (.dateTime, [0, 0, 2, 29, 0, 0, 59], "????-02-29 00:00:59"),
        (.dateTime, [0, 0, 0, 0, 1, 2, 3], "????-??-?? 01:02:03"),
    ]

    @Test("A value is printed in the requested format", arguments: readings)
    func reading(format: ValueFormat, bytes: [UInt8], text: String) throws {
        #expect(try format.text(of: Data(bytes)) == text)
    }

    static let misfits: [(ValueFormat, [UInt8], String)] = [
        (.uint, [], "a value of 0 bytes cannot be shown as a number; use --as hex"),
        (
            .int, [UInt8](repeating: 0, count: 9),
            "a value of 9 bytes cannot be shown as a number; use --as hex"
        ),
        (.heartRate, [0], "a value of 1 byte cannot be shown as heart rate; use --as hex"),
        (
            .uint24, [1, 2],
            "a value of 2 bytes cannot be shown as uint24, which has 3 bytes; use --as hex"
        ),
        (
            .float32, [1, 2, 3],
            "a value of 3 bytes cannot be shown as float32, which has 4 bytes; use --as hex"
        ),
        (
            .sfloat, [1, 2, 3, 4],
            "a value of 4 bytes cannot be shown as sfloat, which has 2 bytes; use --as hex"
        ),
        (
            .bodySensorLocation, [2, 0],
            "a value of 2 bytes cannot be shown as body sensor location, which has 1 byte; "
                + "use --as hex"
        ),
        (
            .dateTime, [0xEA, 0x07, 2, 30, 12, 30, 15],
            "the value is not a date and time: the day 2026-02-30 does not exist; use --as hex"
        ),
        (
            .dateTime, [0xEA, 0x07, 13, 1, 12, 30, 15],
            "the value is not a date and time: the day 2026-13-01 does not exist; use --as hex"
        ),
        (
            .dateTime, [0xEA, 0x07, 2, 3, 24, 0, 0],
            "the value is not a date and time: the time 24:00:00 does not exist; use --as hex"
        ),
        (
            .dateTime, [1, 0, 2, 3, 4, 0, 0],
            "the value is not a date and time: the year is 1; use --as hex"
        ),
    ]

    @Test("A value that does not fit the format is rejected with a remedy", arguments: misfits)
    func misfit(format: ValueFormat, bytes: [UInt8], message: String) {
        let failure = #expect(throws: ToolFailure.self) { try format.text(of: Data(bytes)) }
        #expect(failure == ToolFailure(message))
    }

    static let known: [(String, ValueFormat)] = [
        ("2A37", .heartRate), ("2A19", .battery), ("2A38", .bodySensorLocation), ("2A29", .text),
        ("2A07", .txPower),
        ("2A06", .alertLevel), ("2A01", .appearance), ("2A08", .dateTime),
        ("FFE1", .hex),
    ]

    @Test("The default format depends on the characteristic", arguments: known)
    func automatic(uuid: String, format: ValueFormat) {
        #expect(ValueFormat.auto.resolved(for: BluetoothUUID(string: uuid)) == format)
        #expect(ValueFormat.raw.resolved(for: BluetoothUUID(string: uuid)) == .raw)
    }

    static let numbers: [(ValueFormat, [UInt8], Double?)] = [
        (.hex, [1, 1], 257), (.int, [0xFF], -1), (.text, Array(" 21.5\n".utf8), 21.5),
        (.text, Array("warm".utf8), nil), (.text, Array("inf".utf8), nil),
        (.heartRate, [0, 72], 72),
    ]

    @Test("Numeric values can be plotted", arguments: numbers)
    func number(format: ValueFormat, bytes: [UInt8], number: Double?) {
        #expect((try? format.number(in: Data(bytes))) == number)
    }

    @Test("A value in JSON has its bytes and, if known, their meaning")
    func object() throws {
        let service = ServiceIdentifier(uuid: "180F", instance: 1)
        let battery = CharacteristicIdentifier(uuid: "2A19", service: service)
        func line(_ bytes: [UInt8], _ format: ValueFormat) throws -> String {
            try JSONLines().line(ValueJSON(Data(bytes), of: battery, handle: 41, as: format))
        }
        let head =
            #"{"characteristic":"2A19","characteristicName":"Battery Level","handle":41,"instance":0,"#
        let tail = #""service":"180F","serviceInstance":1,"#
        #expect(
            try line([80], .auto) == head + #""number":80,"# + tail + #""unit":"%","value":"50"}"#
        )
        #expect(try line([80], .text) == head + tail + #""text":"P","value":"50"}"#)
        #expect(try line([80], .hex) == head + tail + #""value":"50"}"#)
        #expect(try line([], .auto) == head + tail + #""value":""}"#)
    }

    static let typings: [(InputFormat, String, [UInt8])] = [
        (.hex, "01ff", [1, 255]), (.hex, "0x01 FF", [1, 255]), (.hex, "01:ff-02", [1, 255, 2]),
        (.hex, "0x01 0x02", [1, 2]), (.hex, "01,02", [1, 2]), (.hex, "\\x01\\X02", [1, 2]),
        (.hex, "", []), (.text, "é", [0xC3, 0xA9]), (.uint8, "255", [255]),
        (.uint16, "513", [1, 2]),
        (.uint16, "0x0201", [1, 2]), (.uint32, "1", [1, 0, 0, 0]), (.int8, "-1", [255]),
        (.uint24, "16777215", [255, 255, 255]), (.uint24, "0x010203", [3, 2, 1]),
        (.int24, "-8388608", [0, 0, 0x80]), (.int24, "8388607", [255, 255, 0x7F]),
        (.float32, "0.1", [0xCD, 0xCC, 0xCC, 0x3D]), (.float32, "-1", [0, 0, 0x80, 0xBF]),
        (.float64, "1e0", [0, 0, 0, 0, 0, 0, 0xF0, 0x3F]), (.float32, "0.0e9", [0, 0, 0, 0]),
        (.sfloat, "36.6", [0x6E, 0xF1]), (.sfloat, "-2045e7", [0x03, 0x78]),
        (.float, "36.5", [0x6D, 1, 0, 0xFF]), (.float, "0", [0, 0, 0, 0]),
        (.dateTime, "2026-11-29 12:30:15", [0xEA, 0x07, 11, 29, 12, 30, 15]),
        (.dateTime, "2024-02-29T23:59:59", [0xE8, 0x07, 2, 29, 23, 59, 59]),
        (.dateTime, "2000-02-29 00:00:00", [0xD0, 0x07, 2, 29, 0, 0, 0]),
        (.int16, "-2", [0xFE, 0xFF]), (.int32, "-1", [255, 255, 255, 255]),
        (.uint64, "1", [1, 0, 0, 0, 0, 0, 0, 0]), (.int64, "-1", [UInt8](repeating: 255, count: 8)),
    ]

    @Test("A typed value is converted to bytes", arguments: typings)
    func typed(format: InputFormat, text: String, bytes: [UInt8]) throws {
        #expect(try InputValue.bytes(of: text, as: format) == Data(bytes))
    }

    static let mistypings: [(InputFormat, String)] = [
        (.hex, "1"), (.hex, "zz"), (.uint8, "256"), (.uint8, "-1"), (.int8, "128"), (.uint16, "x"),
        (.uint16, ""), (.hex, "@/no/such/file"), (.dateTime, "2026-11-29"), (.name, "wrist"),
        (.float32, "0x1p3"), (.float32, ""), (.sfloat, "1e999999"), (.float64, " 1"),
        (.hex, "0x1 0x2"), (.hex, "0x"), (.hex, "\\x1"), (.hex, "1 2"),
    ]

    @Test("An invalid typed value is rejected", arguments: mistypings)
    func mistyped(format: InputFormat, text: String) {
        #expect(throws: (any Error).self) { try InputValue.bytes(of: text, as: format) }
    }

    static let refusals: [(InputFormat, String, String)] = [
        (.uint24, "16777216", "16777216 is not a valid uint24: 0 to 16777215"),
        (.int24, "-8388609", "-8388609 is not a valid int24: -8388608 to 8388607"),
        (.float32, "nan", "nan is not a number, such as 36.5 or -2e-3"),
        (.sfloat, "inf", "inf is not a number, such as 36.5 or -2e-3"),
        (
            .float32, "1e39",
            "1e39 is out of the range of float32: -3.4028234663852886e+38 to "
                + "3.4028234663852886e+38"
        ),
        (.float32, "1e-60", "1e-60 is too close to 0 for float32"),
        (.sfloat, "1e11", "1e11 is out of the range of sfloat: -20450000000.0 to 20450000000.0"),
        (.sfloat, "1e-9", "1e-9 is too close to 0 for sfloat"),
        (
            .float, "-1e134",
            "-1e134 is out of the range of float: -8.388605e+133 to 8.388605e+133"
        ),
        (
            .dateTime, "2026-02-30 12:30:15",
            "2026-02-30 12:30:15 is not a date and time: the day 2026-02-30 does not exist"
        ),
        (
            .dateTime, "2026-00-10 12:30:15",
            "2026-00-10 12:30:15 is not a date and time: the day 2026-00-10 does not exist"
        ),
        (
            .dateTime, "2026-11-29 12:60:15",
            "2026-11-29 12:60:15 is not a date and time: the time 12:60:15 does not exist"
        ),
        (
            .dateTime, "1500-01-01 00:00:00",
            "1500-01-01 00:00:00 is not a date and time: the year is 1500"
        ),
        (
            .dateTime, "1900-02-29 00:00:00",
            "1900-02-29 00:00:00 is not a date and time: the day 1900-02-29 does not exist"
        ),
        (.dateTime, "noon", "noon is not a date and time, such as 2026-11-29 12:30:15"),
    ]

    @Test("A number or date that does not exist is rejected with the reason", arguments: refusals)
    func refused(format: InputFormat, text: String, reason: String) {
        let failure = #expect(throws: ValidationError.self) { try format.bytes(of: text) }
        #expect(failure?.message == reason)
    }

    @Test("Each written number, date and name is shown as it was typed")
    func roundTrips() throws {
        let texts: [(InputFormat, ValueFormat, String)] = [
            (.uint24, .uint24, "70000"), (.int24, .int24, "-70000"), (.float32, .float32, "36.6"),
            (.float64, .float64, "-0.001"), (.sfloat, .sfloat, "36.6"), (.float, .float, "36.65"),
            (.dateTime, .dateTime, "2026-11-29 12:30:15"),
        ]
        for (input, output, text) in texts {
            #expect(try output.text(of: input.bytes(of: text)) == text)
        }
    }

    @Test("A value @FILE is the content of a file, and @@ escapes the sign")
    func file() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data([0, 1, 0xFF]).write(to: file)
        #expect(try InputValue.bytes(of: "@\(file.path)", as: .uint8) == Data([0, 1, 0xFF]))
        #expect(try InputValue.bytes(of: "@@home", as: .text) == Data("@home".utf8))
    }

    @Test("A long value is divided into parts, and a short value stays whole")
    func parts() {
        let value = Data(0..<10)
        #expect(InputValue.parts(of: value, of: 4) == [Data(0..<4), Data(4..<8), Data(8..<10)])
        #expect(InputValue.parts(of: value, of: 5) == [Data(0..<5), Data(5..<10)])
        #expect(InputValue.parts(of: value, of: 10) == [value])
        #expect(InputValue.parts(of: Data(), of: 20) == [Data()])
    }
}
