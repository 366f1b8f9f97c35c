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
        (.heartRate, [0], "a value of 1 byte cannot be shown as a heart rate; use --as hex"),
    ]

    @Test("A value that does not fit the format is rejected with a remedy", arguments: misfits)
    func misfit(format: ValueFormat, bytes: [UInt8], message: String) {
        let failure = #expect(throws: ToolFailure.self) { try format.text(of: Data(bytes)) }
        #expect(failure == ToolFailure(message))
    }

    static let known: [(String, ValueFormat)] = [
        ("2A37", .heartRate), ("2A19", .battery), ("2A38", .uint), ("2A29", .text), ("2A07", .int),
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
        #expect(
            try JSONLines().line(ValueJSON(Data([80]), of: battery, as: .auto))
                == #"{"characteristic":"2A19","hex":"50","name":"Battery Level","number":80,"service":"180F#1","unit":"%"}"#
        )
        #expect(
            try JSONLines().line(ValueJSON(Data([80]), of: battery, as: .text))
                == #"{"characteristic":"2A19","hex":"50","name":"Battery Level","service":"180F#1","text":"P"}"#
        )
        #expect(
            try JSONLines().line(ValueJSON(Data(), of: battery, as: .auto))
                == #"{"characteristic":"2A19","hex":"","name":"Battery Level","service":"180F#1"}"#
        )
    }

    static let typings: [(InputFormat, String, [UInt8])] = [
        (.hex, "01ff", [1, 255]), (.hex, "0x01 FF", [1, 255]), (.hex, "01:ff-02", [1, 255, 2]),
        (.hex, "", []), (.text, "é", [0xC3, 0xA9]), (.uint8, "255", [255]),
        (.uint16, "513", [1, 2]),
        (.uint16, "0x0201", [1, 2]), (.uint32, "1", [1, 0, 0, 0]), (.int8, "-1", [255]),
        (.int16, "-2", [0xFE, 0xFF]), (.int32, "-1", [255, 255, 255, 255]),
        (.uint64, "1", [1, 0, 0, 0, 0, 0, 0, 0]), (.int64, "-1", [UInt8](repeating: 255, count: 8)),
    ]

    @Test("A typed value is converted to bytes", arguments: typings)
    func typed(format: InputFormat, text: String, bytes: [UInt8]) throws {
        #expect(try InputValue.bytes(of: text, as: format) == Data(bytes))
    }

    static let mistypings: [(InputFormat, String)] = [
        (.hex, "1"), (.hex, "zz"), (.uint8, "256"), (.uint8, "-1"), (.int8, "128"), (.uint16, "x"),
        (.uint16, ""), (.hex, "@/no/such/file"),
    ]

    @Test("An invalid typed value is rejected", arguments: mistypings)
    func mistyped(format: InputFormat, text: String) {
        #expect(throws: (any Error).self) { try InputValue.bytes(of: text, as: format) }
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
