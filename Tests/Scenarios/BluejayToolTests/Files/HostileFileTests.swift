import BluejayDeviceFile
import BluejayYAML
import Foundation
import TestSupport
import TestTraits
import Testing

@Suite("Untrusted device files", .computing, .timeLimit(.minutes(15)))
struct HostileFileTests {
    private static func read(_ text: String, _ format: DeviceFileFormat) throws -> DeviceFile {
        try DeviceFile(Data(text.utf8), format)
    }

    private static func reason(_ text: String, _ format: DeviceFileFormat) -> String {
        do {
            _ = try read(text, format)
            return "read"
        } catch {
            return "\(error)"
        }
    }

    // MARK: Time

    /// Nested lists, each with eight references to the previous one: 8 to the power of 12 values.
    private static let laughs =
        "version: 1\na0: &a0 [x]\n"
        + (1...12).map { number in
            let all = Array(repeating: "*a\(number - 1)", count: 8).joined(separator: ",")
            return "a\(number): &a\(number) [\(all)]\n"
        }.joined()

    /// Keys that refer to all of it, in every notation of YAML.
    private static let keys = [
        "? *a12\n: 1\n", "*a12 : 1\n", "*a12: 1\n", "b: {[*a12] : 1}\n", "b: {[*a12]: 1}\n",
        "b: {? *a12 : 1}\n", "b: [*a12 : 1]\n", "b:\n - ? *a12\n   : 1\n", "b: {{a: *a12} : 1}\n",
        "b: {!!seq [*a12] : 1}\n", "b: {\n ?\n *a12 : 1}\n", "?\n  - *a12\n: 1\n",
        "b:\n  ? a: *a12\n  : 1\n",
    ]

    @Test("A key of nested aliases is rejected with its line", arguments: keys)
    func keyBombs(_ key: String) {
        for lineBreak in ["\n", "\r\n", "\r", "\u{2028}", "\u{85}"] {
            let text = (Self.laughs + key).replacing("\n", with: lineBreak)
            let reason = Self.reason(text, .yaml)
            #expect(
                reason.hasPrefix("the file has a field name that is not a string (line 1"),
                "\(key)"
            )
        }
    }

    @Test(
        "Aliases are supported as values, and strings may contain YAML punctuation"
    )
    func aliases() throws {
        let device = try Self.read(
            """
            version: 1
            name: a *b & c
            services:
              - uuid: 180D
                characteristics:
                  - {uuid: 2A37, properties: &both [read, notify]}
                  - {uuid: 2A38, properties: *both}
            """,
            .yaml
        )
        #expect(device.services[0].characteristics[1].properties == ["read", "notify"])
        #expect(try Self.read("version: 1\nname: \"[a]: *b ? {c}: &\"", .yaml).name?.count == 16)
    }

    private static func characteristics(_ count: Int) -> String {
        let all = Array(repeating: #"{"uuid":"2A37","properties":["notify"]}"#, count: count)
        return #""services":[{"uuid":"180D","characteristics":[\#(all.joined(separator: ","))]}]"#
    }

    private static func notifications(_ count: Int, of characteristics: Int) -> String {
        let all = (0..<count).map { number in
            let name = number % characteristics
            return #"{"characteristic":"2A37#\#(name)","milliseconds":\#(number),"value":"00"}"#
        }
        return #""notifications":[\#(all.joined(separator: ","))]"#
    }

    /// The log of the tests shows the construct, not the megabyte.
    private struct LargeFile: CustomTestStringConvertible {
        let testDescription: String
        let text: String

        init(_ construct: String, _ text: String) {
            testDescription = construct
            self.text = text
        }
    }

    /// Files of up to a megabyte that repeat one construct.
    private static let large = [
        LargeFile(
            "characteristics with notifications",
            #"{"version":1,\#(characteristics(9000)),\#(notifications(9000, of: 9000))}"#
        ),
        LargeFile(
            "notifications",
            #"{"version":1,\#(characteristics(1)),\#(notifications(18_000, of: 1))}"#
        ),
        LargeFile(
            "advertised UUIDs",
            #"{"version":1,"advertises":["#
                + (0..<80_000).map { "\"\(String(0x10000000 + $0, radix: 16))\"" }
                .joined(separator: ",") + "]}"
        ),
        LargeFile(
            "companies",
            #"{"version":1,"manufacturerData":["#
                + (0..<25_000).map {
                    #"{"company":"\#(String(0x1000 + $0, radix: 16))","value":""}"#
                }
                .joined(separator: ",") + "]}"
        ),
        LargeFile(
            "services",
            #"{"version":1,"services":["#
                + Array(repeating: #"{"uuid":"180D"}"#, count: 55_000).joined(separator: ",") + "]}"
        ),
        LargeFile("names", "{" + (0..<90_000).map { #""n\#($0)":1"# }.joined(separator: ",") + "}"),
        LargeFile("levels", String(repeating: "[", count: 1_000_000)),
        LargeFile("digits", #"{"version":"# + String(repeating: "1", count: 1_000_000) + "}"),
    ]

    // The defect took minutes.
    @Test("A file of a megabyte is read or rejected within 10 s", arguments: large)
    private func time(_ file: LargeFile) throws {
        for format in DeviceFileFormat.allCases {
            let time = try threadTime { _ = Self.reason(file.text, format) }
            #expect(time < .seconds(10), "\(file.testDescription) \(format)")
        }
    }

    // MARK: Lines

    /// JSON files, each with the position that its error reports.
    private static let lines: [(text: String, words: String)] = [
        ("{\n\"version\":1,\n\"name\" 2}", "expected a colon in line 3, column 8"),
        ("{\n\"version\":1\n\"name\":\"a\"}", "expected a comma or } in line 3, column 1"),
        ("{\n\"version\":1,,\n}", "expected a field name in quotes in line 2, column 13"),
        ("{\n\"version\":1,\n\"version\":1}", "version appears twice in line 3, column 1"),
        (
            "{\n\"version\":1}\n}",
            "unexpected text after the end of the document in line 3, column 1"
        ),
        ("{\n\"version\":01}", "01 is not a value; a string requires quotes in line 2, column 11"),
        (
            "{\n\"version\":one}",
            "one is not a value; a string requires quotes in line 2, column 11"
        ),
        ("{\n\"name\":\"a\n\"}", "a string contains a control character in line 2, column 10"),
        ("{\n\"name\":\"a", "unterminated string in line 2, column 10"),
        (
            "{\n\"name\":\"\\x\"}",
            "unknown escape sequence in a string in line 2, column 9"
        ),
        ("{\n\"name\":\"\\u12\"}", "\\u requires four hexadecimal digits in line 2, column 9"),
        ("{\n\"name\":\"\\ud83d\"}", "\\u with half of a surrogate pair in line 2, column 9"),
        ("{\n\"version\":\n}", "expected a value in line 3, column 1"),
        ("[1 2]", "expected a comma or ] in line 1, column 4"),
    ]

    @Test("Invalid JSON is rejected with the reason and the position", arguments: lines)
    func syntax(_ text: String, _ words: String) {
        #expect(Self.reason(text, .json) == "the file is not JSON: \(words)")
    }

    @Test("An invalid value is rejected with its line in both formats")
    func valueLines() {
        let json = """
            {
              "version": 1,
              "services": [
                {"uuid": "180D", "characteristics": [
                  {
                    "uuid": "2A37",
                    "properties": [
                      "read",
                      "reed"
                    ]
                  }
                ]}
              ]
            }
            """
        for format in DeviceFileFormat.allCases {
            let reason = Self.reason(json, format)
            #expect(
                reason.hasPrefix(
                    "services[0].characteristics[0].properties[1] is not a property: reed; "
                )
            )
            #expect(reason.hasSuffix(" (line 9)"))
            let missing = json.replacing("\"uuid\": \"2A37\",\n", with: "\n")
            #expect(
                Self.reason(missing, format)
                    == "services[0].characteristics[0].uuid is missing (line 5)"
            )
        }
    }

    // MARK: Common rules

    @Test("JSON and YAML treat commas, duplicate names, null and NUL in the same way")
    func alike() throws {
        let read = [
            #"{"version":1,}"#, #"{"version":1,"advertises":["180D",],}"#,
            #"{"version":1,"name":null,"services":null,"notifications":null}"#,
            #"{"version":1,"services":[{"uuid":"180D","primary":null,"characteristics":null}]}"#,
            #"{"version":1e0}"#, "\u{FEFF}{\"version\":1}", #"{"version":1,"name":"\u00e9\n\/"}"#,
            #"{"version":1,"name":"\\0 \\u0000"}"#,
        ]
        for text in read {
            #expect(try Self.read(text, .json) == Self.read(text, .yaml), "\(text)")
        }
        let refused: [(text: String, words: String)] = [
            (#"{"version":1,"version":1}"#, "version appears twice"),
            (#"{"version":1,"services":[{"uuid":"180D","uuid":"180D"}]}"#, "uuid appears twice"),
            (#"{"version":null}"#, "version is missing"),
            (#"{"version":1,"advertises":[null]}"#, "advertises[0] is not a string"),
            (#"{"version":1,"services":[null]}"#, "services[0] is not an object"),
            (
                #"{"version":1,"name":"a\u0000b"}"#,
                "the file has a string with a NUL; write it as \"value\""
            ),
            (
                #"{"version":1,"na\u0000me":"a"}"#,
                "the file has a string with a NUL; write it as \"value\""
            ),
            (
                "{\"version\":1,\"name\":\"a\0b\"}",
                "the file has a string with a NUL; write it as \"value\""
            ),
            (#"{"version":1.5}"#, "version is not a whole number"),
            (#"{"version":"1"}"#, "version is not a whole number"), ("", "the file is empty"),
            (
                #"{"version":1,"services":[{"uuid":"180D","primary":"true"}]}"#,
                "must be true or false"
            ),
        ]
        for (text, words) in refused {
            for format in DeviceFileFormat.allCases {
                let reason = Self.reason(text, format)
                #expect(reason.contains(words), "\(text) \(format): \(reason)")
                #expect(text.isEmpty || reason.contains("line 1"), "\(text) \(format): \(reason)")
            }
        }
    }

    @Test("A NUL is found after other lines, tags and multibyte characters")
    func nul() {
        let texts = [
            "version: 1\nname: \"a\\0\"", "version: 1\nname: \"\\x00\"",
            "version: 1\n# é\u{1F600}\nname: !!str &a \"é\\U00000000\"",
            "{a: \"é\", b: \"\\u0000\"}",
            "version: 1\r\rname: \"\\0\"", "version: 1\u{2028}name: \"\\0\"",
        ]
        for text in texts {
            #expect(Self.reason(text, .yaml).contains("a string with a NUL"), "\(text)")
        }
        #expect(Self.reason("version: 1\nname: '\\0'", .yaml) == "read")
        #expect(Self.reason("version: 1\nname: \\0", .yaml) == "read")
    }

    // MARK: Notations

    @Test("UUIDs, companies and values support the notations of the command line")
    func notations() throws {
        let plain = try Self.read(
            """
            {"version": 1, "advertises": ["180D"], "manufacturerData": [{"company": "004C", "value": "0102"}],
             "services": [{"uuid": "180D", "characteristics": [
               {"uuid": "2A37", "properties": ["notify"], "value": "0102",
                "descriptors": [{"uuid": "2901", "value": "0a0b"}]}]}],
             "notifications": [{"characteristic": "180D/2A37", "milliseconds": 1, "value": "ff00"}]}
            """,
            .json
        )
        for (prefix, separator) in [
            ("0x", ""), ("0X", ""), ("", " "), ("", ":"), ("", "-"), ("", "_"),
        ] {
            func value(_ first: String, _ second: String) -> String {
                prefix + first + separator + second
            }
            let text = """
                {"version": 1, "advertises": ["0x180D"],
                 "manufacturerData": [{"company": "0x004c", "value": "\(value("01", "02"))"}],
                 "services": [{"uuid": "0x180d", "characteristics": [
                   {"uuid": "0x2A37", "properties": ["notify"], "value": "\(value("01", "02"))",
                    "descriptors": [{"uuid": "0x2901", "value": "\(value("0A", "0b"))"}]}]}],
                 "notifications": [{"characteristic": "0x180D/0x2A37", "milliseconds": 1,
                                    "value": "\(value("FF", "00"))"}]}
                """
            for format in DeviceFileFormat.allCases {
                #expect(try Self.read(text, format) == plain, "\(prefix) \(separator) \(format)")
            }
        }
    }
}
