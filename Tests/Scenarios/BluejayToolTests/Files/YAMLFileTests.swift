import BluejayDeviceFile
import BluejayYAML
import Foundation
import TestSupport
import Testing

@Suite("Device files in YAML", .timeLimit(.minutes(15)))
struct YAMLFileTests {
    private static func read(_ text: String) throws -> DeviceFile {
        try DeviceFile(Data(text.utf8), .yaml)
    }

    /// `DeviceFileTests.whole`, handwritten as YAML.
    private static let whole = """
        # A sensor
        version: 1
        address: c4:7c:8d:6a:1f:02
        addressType: public
        name: Sensor
        advertises: [180d, 0000180F-0000-1000-8000-00805f9b34fb]
        manufacturerData:
          - {company: 004c, value: 0215}
          - company: 0059
            text: abcd
        services:
          - uuid: 180D
            characteristics:
              - uuid: 2A37
                properties: [notify]
                descriptors: [{uuid: 2901, text: Beats}]
              - uuid: 2A38
                properties: [read, write]
                value: 01
              - {uuid: 2A37, properties: [encrypt-indicate], value: ""}
          - uuid: 6E400001-B5A3-F393-E0A9-E50E24DCCA9E
            primary: false
        notifications:
          - {characteristic: 180D/2A37#1, milliseconds: 20, value: ff00}
          - {characteristic: 180d/2a37, milliseconds: 10, text: 12}
        """

    @Test(
        "YAML decodes to the same device as JSON, without quoted strings"
    )
    func reading() throws {
        #expect(try Self.read(Self.whole) == DeviceFileTests.device())
        let lines = Self.whole.replacing("\n", with: "\r\n")
        #expect(try Self.read("\u{FEFF}" + lines) == DeviceFileTests.device())
        #expect(try Self.read(DeviceFileTests.whole) == DeviceFileTests.device())
    }

    @Test(
        "A string that other parsers treat as a number or Boolean remains a string",
        arguments: ["1e3f", "0x10", "no", "1_000", "012", ".inf", "12:30", "2001-01-01", "yes"]
    )
    func looks(name: String) throws {
        #expect(try Self.read("version: 1\nname: \(name)").name == name)
    }

    @Test(
        "Encoding round-trips any name, and uuid is the first key of an entry"
    )
    func roundTrip() throws {
        var device = try DeviceFileTests.device()
        for name in [
            "0059", "no", "1e3", "~", "null", "a: b", "# c", "é\u{1F600}", "\u{7}\n\"", " ",
        ] {
            device.name = name
            let bytes = try device.bytes(.yaml)
            #expect(try DeviceFile(bytes, .yaml) == device)
            #expect(try DeviceFile(bytes, .yaml).bytes(.yaml) == bytes)
        }
        let text = String(decoding: try device.bytes(.yaml), as: UTF8.self)
        #expect(text.hasPrefix("version: 1\naddress: "))
        #expect(text.contains("\n- uuid: 180D\n  characteristics:\n  - uuid: 2A37\n"))
    }

    @Test("A string that resembles a number or Boolean is written in quotes")
    func quotes() throws {
        let device = DeviceFile(
            name: "no",
            manufacturerData: [0x0059: [1]]
        )
        let text = String(decoding: try device.bytes(.yaml), as: UTF8.self)
        #expect(text.contains("name: 'no'\n") || text.contains("name: \"no\"\n"))
        #expect(text.contains("company: '0059'\n") || text.contains("company: \"0059\"\n"))
        #expect(text.contains("value: '01'\n") || text.contains("value: \"01\"\n"))
    }

    private static let deep = String(repeating: "[", count: 100_000)
    private static let deepLines = (0..<2000).map { String(repeating: " ", count: $0) + "a:\n" }
        .joined()
    /// Nested lists, each with ten references to the previous one.
    private static let laughs =
        "a0: &a0 [x]\n"
        + (1...20).map { number in
            let all = Array(repeating: "*a\(number - 1)", count: 10).joined(separator: ", ")
            return "a\(number): &a\(number) [\(all)]\n"
        }.joined()

    private static let wrong: [(text: String, words: String)] = [
        ("", "the file is empty"),
        ("version: \"1\"", "version is not a whole number"),
        ("version: 1.5", "version is not a whole number"),
        ("version: .inf", "version is not a whole number"),
        ("version:", "version is missing"),
        ("version: ~", "version is missing"),
        ("version: 2", "version is 2; this program reads version 1"),
        ("- 1", "the file is not an object"),
        ("version: 1\nname: [a]", "name is not a string"),
        ("version: 1\nname: ''", "name has 0 bytes; use 1 to 248"),
        (
            "version: 1\nservices: [{uuid: 180D, primary: no}]",
            "services[0].primary must be true or false"
        ),
        (
            "version: 1\nservices: [{uuid: 180}]",
            "services[0].uuid is not a UUID of 4, 8 or 36 characters: 180"
        ),
        (
            "version: 1\nversion: 1",
            "the file is not YAML: version appears twice in line 1, column 1"
        ),
        ("? [a]\n: 1", "the file has a field name that is not a string"),
        (
            laughs,
            "the file has more than \(laughs.utf8.count + 100_000) values, including those repeated by aliases"
        ),
        (deep, "the file has more than 100 levels"),
        (deepLines, "the file has more than 100 levels"),
        (String(repeating: "- ", count: 5000), "the file has more than 100 levels"),
    ]

    @Test("An invalid file is reported with the position of the error", arguments: wrong)
    func refused(_ text: String, _ words: String) {
        let error = #expect(throws: DeviceFileError.self) { try Self.read(text) }
        #expect(error?.withoutLine == words)
    }

    private static let noYAML = [
        "version: 1\n---\nversion: 1", "version: 1\n\tname: a", "version: *nobody", "a: [", "a: 'b",
        "a: \u{1}", "version: 1\n name: a", "%YAML 9.9\n---\nversion: 1", "!<",
    ]

    @Test("Invalid YAML is rejected with the reason of the parser", arguments: noYAML)
    func unreadable(_ text: String) {
        let error = #expect(throws: DeviceFileError.self) { try Self.read(text) }
        #expect(error?.description.hasPrefix("the file is not YAML: ") == true)
    }

    @Test("Random bytes and invalid UTF-8 are rejected")
    func bytes() {
        for seed in 0..<500 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(throws: DeviceFileError.self) { try DeviceFile(Data(bytes), .yaml) }
        }
        let error = #expect(throws: DeviceFileError.self) { try DeviceFile(Data([0xFF]), .yaml) }
        #expect(error?.description == "the file is not UTF-8 (line 1)")
    }

    @Test("A file truncated at any byte is read or rejected with a reason")
    func cut() {
        for length in 0..<Self.whole.utf8.count {
            do throws(DeviceFileError) {
                _ = try DeviceFile(Data(Self.whole.utf8.prefix(length)), .yaml)
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }

    @Test("The file extension determines the format")
    func names() {
        for name in ["a.yaml", "A.YML", "/b/c.d.yml"] {
            #expect(DeviceFileFormat(ofFile: name) == .yaml)
        }
        for name in ["a.json", "-", "yaml", "a.yaml.txt", ""] {
            #expect(DeviceFileFormat(ofFile: name) == .json)
        }
    }

    @Test("YAML files can be recorded, replayed and served")
    func programs() async throws {
        let stage = try await RecordingStage()
        let text = Self.whole.replacing("public", with: "random").replacing(
            "encrypt-indicate",
            with: "read"
        )
        .replacing("180D/2A37#1", with: "2A37#0").replacing(", value: \"\"", with: "")
        try stage.write(text, to: "sensor.yaml")
        let read = try await stage.bluejay(
            [
                "replay", stage.path("sensor.yaml"), "--", programPath("bluejay"), "read", "Sensor",
                "2A38",
            ]
        )
        #expect(read.lines == ["chest (1)"] && read.status == 0)
        let record = [
            "replay", stage.path("sensor.yaml"), "--", programPath("bluejay"), "record", "Sensor",
            stage.path("again.yml"), "--for", "1",
        ]
        #expect(try await stage.bluejay(record).status == 0)
        let again = try DeviceFile(
            Data(contentsOf: URL(filePath: stage.path("again.yml"))),
            .yaml
        )
        #expect(again.services.map(\.uuid.description).contains("180D"))
        let server = try await stage.started([
            "serve", stage.path("sensor.yaml"), "--adapter", "hci1",
        ])
        try await server.wait(for: "advertising Sensor with 180D, 180F")
        #expect(await server.end(SIGTERM) == 143)
    }

    @Test("The JSON and YAML examples of the page describe the same device")
    func document() throws {
        let page = repositoryFile("Documentation/DeviceFiles.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        func block(_ language: String) throws -> Data {
            let parts = text.components(separatedBy: "```\(language)\n")
            let block = try #require(parts.dropFirst().first?.components(separatedBy: "```").first)
            return Data(block.utf8)
        }
        let device = try DeviceFile(block("json"), .json)
        #expect(device.notifications.count == 1)
        #expect(try DeviceFile(block("yaml"), .yaml) == device)
    }
}
