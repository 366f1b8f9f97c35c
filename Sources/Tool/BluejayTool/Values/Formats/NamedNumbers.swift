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
    private let names: [UInt64: String]

    private init(_ uuid: String, byteCount: Int = 1, _ names: [UInt64: String]) {
        self.uuid = uuid
        self.byteCount = byteCount
        self.names = names
    }

    /// Names for 0, 1 and so on.
    private init(_ uuid: String, from first: UInt64 = 0, _ names: String...) {
        self.init(uuid, Dictionary(uniqueKeysWithValues: zip(first..., names)))
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
        guard let match = names.first(where: { normalized($0.value) == normalized(name) }) else {
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
        .addressResolution: NamedNumbers("2AA6", "not supported", "supported"),
        .alertCategory: NamedNumbers(
            "2A43",
            "simple alert",
            "email",
            "news",
            "call",
            "missed call",
            "SMS/MMS",
            "voice mail",
            "schedule",
            "high prioritized alert",
            "instant message"
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
        .gender: NamedNumbers("2A8C", "male", "female", "unspecified"),
        .heartRateControl: NamedNumbers("2A39", from: 1, "reset energy expended"),
        .hidControl: NamedNumbers("2A4C", "suspend", "exit suspend"),
        .mediaState: NamedNumbers("2BA3", "inactive", "playing", "paused", "seeking"),
        .mute: NamedNumbers("2BC3", "not muted", "muted", "disabled"),
        .pressureTrend: NamedNumbers(
            "2AA3",
            "unknown",
            "continuously falling",
            "continuously rising",
            "falling, then steady",
            "rising, then steady",
            "falling before a lesser rise",
            "falling before a greater rise",
            "rising before a greater fall",
            "rising before a lesser fall",
            "steady"
        ),
        .protocolMode: NamedNumbers("2A4E", "boot protocol mode", "report protocol mode"),
        .ringerControl: NamedNumbers(
            "2A40",
            from: 1,
            "silent mode",
            "mute once",
            "cancel silent mode"
        ),
        .ringerSetting: NamedNumbers("2A41", "ringer silent", "ringer normal"),
        .sensorLocation: NamedNumbers("2A5D", SensorLocation.self),
        .sportType: NamedNumbers(
            "2A93",
            "unspecified",
            "running (treadmill)",
            "cycling (ergometer)",
            "rowing (ergometer)",
            "cross training (elliptical)",
            "climbing",
            "skiing",
            "skating",
            "arm exercising",
            "lower body exercising",
            "upper body exercising",
            "whole body exercising"
        ),
        .temperatureType: NamedNumbers(
            "2A1D",
            from: 1,
            "armpit",
            "body",
            "ear",
            "finger",
            "gastrointestinal tract",
            "mouth",
            "rectum",
            "toe",
            "eardrum"
        ),
        .timeSource: NamedNumbers(
            "2A13",
            "unknown",
            "network time protocol",
            "GPS",
            "radio time signal",
            "manual",
            "atomic clock",
            "cellular network",
            "not synchronized"
        ),
    ]
}
