import BluejayDeviceFile
import Foundation
import Testing

@testable import BluejayTool

@Suite("The text of generated clients")
struct GeneratedTextTests {
    // MARK: Names

    @Test(
        "A text becomes a name of a member",
        arguments: [
            ("Heart Rate Measurement", "heartRateMeasurement"),
            ("CSC Measurement", "cscMeasurement"),
            ("PnP ID", "pnpID"), ("Tx Power Level", "txPowerLevel"), ("interval", "interval"),
            ("Émission d'énergie", "emissionDenergie"), ("3D position", "characteristic3DPosition"),
            ("class", "classValue"), ("self", "selfValue"), ("*/ \"x\"\n", "x"),
            (String(repeating: "a", count: 300), String(repeating: "a", count: 32)),
        ]
    )
    func members(text: String, name: String) {
        #expect(SwiftName.member(text) == name)
    }

    @Test("A text without ASCII letters and digits has no name", arguments: ["", "😀", "*/", "中文"])
    func nameless(text: String) {
        #expect(SwiftName.member(text) == nil)
        #expect(SwiftName.type(text) == nil)
    }

    @Test(
        "A text becomes a name of a type that hides no other type",
        arguments: [
            ("Heart Rate Sensor", "HeartRateSensor"), ("sensor", "Sensor"), ("Data", "DataDevice"),
            ("bluejay", "BluejayDevice"), ("HeartRateReading", "HeartRateReadingDevice"),
            ("2 Lamps", "Device2Lamps"), ("Self", "SelfDevice"),
        ]
    )
    func types(text: String, name: String) {
        #expect(SwiftName.type(text) == name)
        #expect(SwiftName.isUsableType(name))
    }

    @Test(
        "A stream has the plural of the name, or Values after it",
        arguments: [
            ("temperature", "temperatures"), ("humidity", "humidities"), ("relay", "relays"),
            ("switch", "switches"), ("status", "statusValues"), ("rowerData", "rowerDataValues"),
            ("characteristic2A5B", "characteristic2A5BValues"),
        ]
    )
    func plurals(name: String, plural: String) {
        #expect(SwiftName.plural(name) == plural)
    }

    private static func characteristic(
        _ uuid: String,
        _ description: String? = nil
    ) throws -> DeviceFile.Characteristic {
        let owner = try #require(AttributeUUID("2901"))
        return DeviceFile.Characteristic(
            uuid: try #require(AttributeUUID(uuid)),
            properties: ["read", "write", "notify"],
            descriptors: description.map { [.init(uuid: owner, value: Array($0.utf8))] } ?? []
        )
    }

    private static func device(_ own: [DeviceFile.Characteristic]) throws -> GeneratedDevice {
        let uuid = try #require(AttributeUUID("FFF0"))
        let service = DeviceFile.Service(uuid: uuid, characteristics: own)
        return GeneratedDevice(DeviceFile(services: [service]), named: "Lamp")
    }

    @Test("Names that collide with a name, a stream or a setter of another member are numbered")
    func collisions() throws {
        let device = try Self.device([
            Self.characteristic("2A6E", "Inside"), Self.characteristic("2A6E", "Outside"),
            Self.characteristic("2A6E", "Outside"), Self.characteristic("2A6F", "Ignored"),
            Self.characteristic("FFF1", "connect"), Self.characteristic("FFF2", "Set inside"),
            Self.characteristic("FFF3", "Insides"), Self.characteristic("FFF4"),
            Self.characteristic("FFF4"), Self.characteristic("2A4D"), Self.characteristic("2A4D"),
        ])
        #expect(
            device.characteristics.map(\.name) == [
                "inside", "outside", "outside2", "humidity", "connect2", "setInside2", "insides2",
                "characteristicFFF4", "characteristicFFF4Instance2", "report", "report2",
            ]
        )
    }

    // MARK: Literals and comments

    @Test(
        "No text ends a string literal",
        arguments: [
            ("a\"b", #""a\"b""#), ("\\(x)", #""\\(x)""#), ("a\nb\r", #""a\u{A}b\u{D}""#),
            ("\u{202E}\u{200D}", #""\u{202E}\u{200D}""#), ("é中😀", "\"é中😀\""),
            ("e\u{301}", #""e\u{301}""#), ("\u{2028}", #""\u{2028}""#),
        ]
    )
    func literals(text: String, literal: String) {
        #expect(SwiftText.literal(text) == literal)
    }

    @Test("A long literal is split into parts that keep every character")
    func parts() {
        let text = String(repeating: "a\"\u{1}", count: 80)
        let parts = SwiftText.parts(text, columns: 80)
        #expect(parts.allSatisfy { $0.count <= 80 })
        #expect(parts.map { $0.dropFirst().dropLast() }.joined().count == 80 * 8)
        #expect(SwiftText.parts("", columns: 80) == ["\"\""])
    }

    @Test("A comment keeps its line, its end and its single sentence")
    func comments() {
        #expect(SwiftText.comment("*/ a\nb\r\u{2028}c") == "/ a b c")
        #expect(SwiftText.comment("One. Two! `x` \u{202E}[y](z)") == "One Two x y (z)")
        let long = SwiftText.comment(String(repeating: "a", count: 300))
        #expect(long == String(repeating: "a", count: 31) + "…")
    }

    // MARK: Types

    @Test(
        "The type of a value follows the number of the characteristic if it decodes all values",
        arguments: [
            ("2A37", [[0, 60]], "HeartRateReading"), ("2A37", [[0, 60], []], "Data"),
            ("2A6E", [[1, 2]], "TemperatureReading"), ("2A29", [[0x41]], "String"),
            ("2A29", [[0xFF]], "Data"), ("2A19", [], "BatteryReading"), ("FFE1", [[1]], "Data"),
        ]
    )
    func types(uuid: String, values: [[UInt8]], name: String) {
        #expect(ValueType.type(of: uuid, for: values).name == name)
    }

    @Test("A type that cannot be encoded is written as data, and a sample keeps its bytes")
    func samples() {
        #expect(ValueType.type(of: "2A18", for: []).written.name == "Data")
        #expect(ValueType.type(of: "2A06", for: []).written.name == "AlertLevel")
        #expect(ValueType.type(of: "2A06", for: []).sample([2]) == [2])
        #expect(ValueType.type(of: "2A06", for: []).sample(nil).count == 1)
        #expect(ValueType.type(of: "2A08", for: []).sample(nil).count == 7)
        #expect(ValueType.type(of: "2A2B", for: []).sample(nil).count == 10)
    }

    // MARK: Layout

    @Test("An expression that does not fit its line has an argument or a row of numbers on each")
    func layout() {
        let numbers = SwiftExpression.array((0..<30).map { .text("\($0)0000") })
        let lines = SwiftExpression.call("f", ("a", .text("1")), (nil, numbers)).lines(
            "let x = ",
            at: 4
        )
        #expect(lines.prefix(3) == ["    let x = f(", "        a: 1,", "        ["])
        #expect(lines.suffix(2) == ["        ]", "    )"])
        #expect(lines.dropFirst(3).first?.hasPrefix("            00000, 10000, ") == true)
        #expect(lines.count == 8)
        #expect(lines.allSatisfy { $0.count <= 100 })
        #expect(SwiftExpression.call("f", ("a", .text("1"))).lines(at: 0) == ["f(a: 1)"])
    }

    @Test("A long recording is cut in the twin, which names the number of the omitted values")
    func longRecordings() throws {
        var file = try Self.device([Self.characteristic("2A37")]).file
        let index = DeviceFile.CharacteristicIndex(service: 0, characteristic: 0)
        file.notifications = (0..<60).map { .init(index: index, milliseconds: $0, value: [0, 60]) }
        let lines = TwinSource(device: GeneratedDevice(file, named: "Lamp")).lines
        #expect(lines.contains("        // The file has 10 more."))
        #expect(lines.count { $0.contains("TimedValue(at:") } == 50)
    }
}
