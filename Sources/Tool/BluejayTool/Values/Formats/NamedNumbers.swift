import ArgumentParser
import BluejayCore
import Foundation

/// The assigned names of a characteristic's numbers.
///
/// The names are those of Bluetooth's GATT Specification Supplement, in lower case.
struct NamedNumbers {
    /// The characteristic.
    let uuid: String
    let byteCount: Int
    let isSigned: Bool
    private let names: [UInt64: String]

    /// Names by the bits of the number.
    private init(
        _ uuid: String,
        byteCount: Int = 1,
        isSigned: Bool = false,
        _ names: [UInt64: String]
    ) {
        self.uuid = uuid
        self.byteCount = byteCount
        self.isSigned = isSigned
        self.names = names
    }

    /// Names for 0, 1 and so on.
    private init(_ uuid: String, _ names: [String]) {
        self.init(uuid, Dictionary(uniqueKeysWithValues: zip(0..., names)))
    }

    /// Names that the library has.
    private init<Value: StandardValue>(_ uuid: String, _ type: Value.Type) {
        let names = (UInt8.min...UInt8.max).compactMap { number in
            type.init(rawValue: number).name.map { (UInt64(number), $0.lowercased()) }
        }
        self.init(uuid, Dictionary(uniqueKeysWithValues: names))
    }

    func name(of number: UInt64) -> String? { names[number] }

    /// Returns the number with a name, in any case and with any separators, as bytes.
    ///
    /// - Throws: `ValidationError` if the characteristic has no such name.
    static func bytes(of name: String, for characteristic: BluetoothUUID?) throws -> Data {
        guard let numbers = characteristic.flatMap(format(of:)).flatMap({ all[$0] }) else {
            let subject = characteristic.map { "\($0.uuidString)" } ?? "the characteristic"
            throw ValidationError("the numbers of \(subject) have no names; use another --as")
        }
        let names = numbers.names.sorted { $0.key < $1.key }
        // The names of two time zones may differ in their sign only.
        let exact = names.filter { $0.value.lowercased() == name.lowercased() }
        let similar = names.filter { normalized($0.value) == normalized(name) }
        let matches = exact.isEmpty ? similar : exact
        guard matches.count == 1, let match = matches.first else {
            let list = names.prefix(20).map(\.value) + (names.count > 20 ? ["…"] : [])
            throw ValidationError("\(name) is not one of: \(list.joined(separator: ", "))")
        }
        return match.key.toBluetoothData().prefix(numbers.byteCount)
    }

    private static func normalized(_ text: String) -> String {
        text.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    /// Returns the format for a characteristic, or `nil` if its numbers have no names.
    static func format(of uuid: BluetoothUUID) -> ValueFormat? { formats[uuid.uuidString] }

    private static let formats = Dictionary(
        uniqueKeysWithValues: all.map { ($0.value.uuid, $0.key) }
    )

    static let all: [ValueFormat: NamedNumbers] = [
        .addressResolution: NamedNumbers("2AA6", ["not supported", "supported"]),
        .alertCategory: NamedNumbers(
            "2A43",
            [
                "simple alert", "email", "news", "call", "missed call", "SMS/MMS", "voice mail",
                "schedule", "high prioritized alert", "instant message",
            ]
        ),
        .alertLevel: NamedNumbers("2A06", AlertLevel.self),
        .appearance: NamedNumbers("2A01", byteCount: 2, AppearanceNames.all),
        .bodySensorLocation: NamedNumbers("2A38", BodySensorLocation.self),
        .dayOfWeek: NamedNumbers("2A09", BluetoothWeekday.self),
        .dstOffset: NamedNumbers(
            "2A0D",
            [
                0: "standard time", 2: "half an hour daylight time", 4: "daylight time",
                8: "double daylight time", 255: "unknown",
            ]
        ),
        .gender: NamedNumbers("2A8C", ["male", "female", "unspecified"]),
        .handedness: NamedNumbers(
            "2B4A",
            ["left handed", "right handed", "ambidextrous", "unspecified"]
        ),
        .heartRateControl: NamedNumbers("2A39", [1: "reset energy expended"]),
        .hidControl: NamedNumbers("2A4C", ["suspend", "exit suspend"]),
        .mediaState: NamedNumbers("2BA3", ["inactive", "playing", "paused", "seeking"]),
        .mute: NamedNumbers("2BC3", ["not muted", "muted", "disabled"]),
        .pressureTrend: NamedNumbers(
            "2AA3",
            [
                "unknown", "continuously falling", "continuously rising", "falling, then steady",
                "rising, then steady", "falling before a lesser rise",
                "falling before a greater rise", "rising before a greater fall",
                "rising before a lesser fall", "steady",
            ]
        ),
        .protocolMode: NamedNumbers("2A4E", ["boot protocol mode", "report protocol mode"]),
        .ringerControl: NamedNumbers(
            "2A40",
            [1: "silent mode", 2: "mute once", 3: "cancel silent mode"]
        ),
        .ringerSetting: NamedNumbers("2A41", ["ringer silent", "ringer normal"]),
        .sensorLocation: NamedNumbers("2A5D", SensorLocation.self),
        .sportType: NamedNumbers(
            "2A93",
            [
                "unspecified", "running (treadmill)", "cycling (ergometer)", "rowing (ergometer)",
                "cross training (elliptical)", "climbing", "skiing", "skating", "arm exercising",
                "lower body exercising", "upper body exercising", "whole body exercising",
            ]
        ),
        .temperatureType: NamedNumbers(
            "2A1D",
            [
                1: "armpit", 2: "body", 3: "ear", 4: "finger", 5: "gastrointestinal tract",
                6: "mouth", 7: "rectum", 8: "toe", 9: "eardrum",
            ]
        ),
        .timeSource: NamedNumbers(
            "2A13",
            [
                "unknown", "network time protocol", "GPS", "radio time signal", "manual",
                "atomic clock", "cellular network", "not synchronized",
            ]
        ),
        .timeUpdateControl: NamedNumbers(
            "2A16",
            [1: "get reference update", 2: "cancel reference update"]
        ),
        .timeZone: NamedNumbers("2A0E", isSigned: true, timeZones),
    ]

    /// The offsets of standard time from UTC in quarters of an hour.
    private static let timeZones: [UInt64: String] = {
        var names: [UInt64: String] = [0x80: "unknown"]
        for quarters in -48...56 {
            let minutes = abs(quarters) % 4 * 15
            let text = "\(abs(quarters) / 4):" + (minutes == 0 ? "00" : "\(minutes)")
            names[UInt64(quarters & 0xFF)] = "UTC" + (quarters < 0 ? "-" : "+") + text
        }
        return names
    }()
}
