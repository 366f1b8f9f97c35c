import ArgumentParser
import BluejayCore
import Foundation
import Testing

@testable import BluejayTool

@Suite("Numbers with names", .timeLimit(.minutes(15)))
struct NamedNumberTests {
    static let values: [(String, [UInt8], String)] = [
        ("2A38", [2], "wrist (2)"), ("2A38", [7], "7"), ("2A06", [2], "high alert (2)"),
        ("2A06", [0], "no alert (0)"), ("2A5D", [16], "chain ring (16)"),
        ("2A09", [1], "monday (1)"),
        ("2A1D", [1], "armpit (1)"), ("2A1D", [0], "0"), ("2A0D", [8], "double daylight time (8)"),
        ("2A13", [2], "GPS (2)"), ("2A40", [3], "cancel silent mode (3)"),
        ("2A41", [1], "ringer normal (1)"), ("2A43", [5], "SMS/MMS (5)"),
        ("2A4E", [1], "report protocol mode (1)"), ("2A4C", [0], "suspend (0)"),
        ("2A8C", [2], "unspecified (2)"), ("2A93", [11], "whole body exercising (11)"),
        ("2AA3", [9], "steady (9)"), ("2AA6", [1], "supported (1)"), ("2BA3", [2], "paused (2)"),
        ("2BC3", [1], "muted (1)"), ("2A39", [1], "reset energy expended (1)"),
        ("2A01", [0x40, 0x03], "Heart Rate Sensor (832)"),
        ("2A01", [0x41, 0x03], "Heart Rate Belt (833)"),
        ("2A01", [0xC2, 0x03], "Mouse (962)"), ("2A01", [0x7F, 0x03], "Heart Rate Sensor (895)"),
        ("2A0E", [0xE9], "UTC-5:45 (-23)"), ("2A0E", [4], "UTC+1:00 (4)"),
        ("2A0E", [0x80], "unknown (-128)"), ("2A0E", [0x81], "-127"),
        ("2A16", [2], "cancel reference update (2)"), ("2B4A", [1], "right handed (1)"),
        ("2A01", [0xFF, 0xFF], "65535"), ("2A07", [0xFC], "-4 dBm"),
        (
            "2A2B", [0xEA, 0x07, 11, 29, 12, 30, 15, 7, 128, 1],
            "time 2026-11-29 12:30:15, day Sunday, fraction 0.5 s, adjusted manual update"
        ),
    ]

    @Test("A number of a characteristic is shown by its name or with its unit", arguments: values)
    func shown(uuid: String, bytes: [UInt8], text: String) throws {
        let format = ValueFormat.auto.resolved(for: BluetoothUUID(string: uuid))
        #expect(try format.text(of: Data(bytes)) == text)
    }

    @Test("A name in any case and with any separators is converted to its number")
    func typed() throws {
        let level = BluetoothUUID(string: "2A06")
        for name in ["high alert", "High-Alert", "HIGH_ALERT"] {
            #expect(try InputFormat.name.bytes(of: name, for: level) == Data([2]))
        }
        let zone = BluetoothUUID(string: "2A0E")
        #expect(try InputFormat.name.bytes(of: "utc-1:00", for: zone) == Data([0xFC]))
        #expect(try InputFormat.name.bytes(of: "UTC+1:00", for: zone) == Data([4]))
        #expect(throws: ValidationError.self) {
            try InputFormat.name.bytes(of: "UTC 1:00", for: zone)
        }
        let appearance = BluetoothUUID(string: "2A01")
        #expect(
            try InputFormat.name.bytes(of: "heart rate belt", for: appearance)
                == Data([0x41, 0x03])
        )
    }

    static let refusals: [(String, String, String)] = [
        ("2A06", "high", "high is not one of: no alert, mild alert, high alert"),
        ("2A37", "wrist", "the numbers of 2A37 have no names; use another --as"),
        ("2A38", "", " is not one of: other, chest, wrist, finger, hand, ear lobe, foot"),
    ]

    @Test("An unassigned name is rejected with the names that exist", arguments: refusals)
    func refused(uuid: String, text: String, reason: String) {
        let failure = #expect(throws: ValidationError.self) {
            try InputFormat.name.bytes(of: text, for: BluetoothUUID(string: uuid))
        }
        #expect(failure?.message == reason)
    }

    @Test("Each named characteristic is assigned, and its format is not one of the help")
    func assigned() {
        for (format, numbers) in NamedNumbers.all {
            let uuid = BluetoothUUID(string: numbers.uuid)
            #expect(uuid.standardName != nil)
            #expect(ValueFormat.auto.resolved(for: uuid) == format)
            #expect(!ValueFormat.allValueStrings.contains(format.rawValue))
        }
        #expect(NamedNumbers.all.count == 23)
    }
}
