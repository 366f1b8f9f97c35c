import Foundation
import TestSupport
import Testing

/// A device file as a stranger may write it, and what the programs do with it.
struct StrangeFile: CustomTestStringConvertible, Sendable {
    enum Content: Sendable {
        case text(String)
        case bytes([UInt8])
        /// A command of a shell, which creates the file `$0`.
        case command(String)
        /// A file that exists.
        case path(String)
    }

    let testDescription: String
    /// The name of the file, which determines the format.
    let name: String
    let content: Content
    /// The message of a refusal after the name of the file; `nil` if the file is accepted.
    let refusal: String?

    init(_ title: String, _ name: String, _ content: Content, refusal: String? = nil) {
        testDescription = title
        self.name = name
        self.content = content
        self.refusal = refusal
    }

    /// A YAML device with a readable characteristic, and other lines.
    private static func yaml(_ lines: String) -> Content {
        .text("version: 1\nname: Box\n\(lines)\n")
    }

    private static func value(ofBytes count: Int) -> Content {
        let digits = String(repeating: "2a", count: count)
        return .text(
            #"{"version": 1, "name": "Box", "services": [{"uuid": "FFE0", "characteristics": ["#
                + #"{"uuid": "FFE1", "properties": ["read"], "value": "\#(digits)"}]}]}"#
        )
    }

    /// Nested lists, each with nine references to the previous one: 9 to the power of 9 values.
    private static let laughs =
        "version: 1\na0: &a0 [lol]\n"
        + (1...9).map { number in
            let all = Array(repeating: "*a\(number - 1)", count: 9).joined(separator: ", ")
            return "a\(number): &a\(number) [\(all)]\n"
        }.joined()

    static let all = [
        StrangeFile(
            "tabs in YAML",
            "tabs.yaml",
            yaml("services:\n\t- uuid: FFE0"),
            refusal:
                ": the file is not YAML: found character that cannot start any token in line 4, column 1"
        ),
        StrangeFile(
            "a byte order mark, CR LF and comments",
            "windows.yml",
            .text(
                "\u{FEFF}# My device\r\nversion: 1 # always\r\nname: Box\r\nservices:\r\n"
                    + "  - uuid: 0xFFE0\r\n    characteristics: # one\r\n"
                    + "      - {uuid: ffe1, properties: [read], value: 0x2A}\r\n"
            )
        ),
        StrangeFile(
            "aliases",
            "aliases.yaml",
            yaml(
                """
                services:
                  - uuid: FFE0
                    characteristics:
                      - {uuid: FFE1, properties: &all [read, notify], value: &value "2a"}
                      - {uuid: FFE2, properties: *all, value: *value}
                """
            )
        ),
        StrangeFile(
            "a merge key",
            "merge.yaml",
            yaml(
                """
                services:
                  - uuid: FFE0
                    characteristics:
                      - &first {uuid: FFE1, properties: [read], value: 2a}
                      - <<: *first
                        uuid: FFE2
                """
            ),
            refusal: ": services[0].characteristics[1].<< is an unknown field; use one of uuid, "
                + "properties, value, text, descriptors (line 6)"
        ),
        StrangeFile(
            "a duplicate key",
            "twice.json",
            .text("{\"version\": 1,\n \"name\": \"Box\",\n \"name\": \"Lamp\"}"),
            refusal: ": the file is not JSON: name appears twice in line 3, column 2"
        ),
        StrangeFile(
            "a number as a string",
            "number.json",
            .text(#"{"version": "1"}"#),
            refusal: ": version is not a whole number (line 1)"
        ),
        StrangeFile(
            "UUIDs in each notation, and a comma after the last value",
            "uuids.json",
            .text(
                """
                {"version": 1, "name": "Box", "services": [
                  {"uuid": "0xffe0", "characteristics": [
                    {"uuid": "0000FFE1-0000-1000-8000-00805F9B34FB", "properties": ["read"], "value": "0x2A"},
                    {"uuid": "ffe2", "properties": ["read"], "value": "2A"},
                  ]},
                ]}
                """
            )
        ),
        StrangeFile(
            "a name of 300 bytes of emoji",
            "emoji.yaml",
            .text("version: 1\nname: \(String(repeating: "🐦", count: 75))\n"),
            refusal: ": name has 300 bytes; use 1 to 248 (line 2)"
        ),
        StrangeFile("a value of 512 bytes", "512.json", value(ofBytes: 512)),
        StrangeFile(
            "a value of 513 bytes",
            "513.json",
            value(ofBytes: 513),
            refusal:
                ": services[0].characteristics[0].value has 513 bytes; the limit is 512 (line 1)"
        ),
        StrangeFile("no byte", "empty.yaml", .text(""), refusal: ": the file is empty"),
        StrangeFile(
            "comments in JSON",
            "comments.json",
            .text("// My device\n{\"version\": 1}"),
            refusal:
                ": the file is not JSON: // is not a value; a string requires quotes in line 1, column 1"
        ),
        StrangeFile(
            "a billion laughs",
            "laughs.yaml",
            .text(laughs),
            refusal: ": the file has more than 100511 values, including those repeated by aliases "
                + "(line 2)"
        ),
        StrangeFile(
            "a million brackets",
            "brackets.json",
            .text(String(repeating: "[", count: 1_000_000)),
            refusal: ": the file has more than 100 levels (line 1)"
        ),
        StrangeFile(
            "a program",
            "program",
            .bytes([0x7F, 0x45, 0x4C, 0x46, 0x02, 0x01, 0xFF, 0xFE, 0x1B, 0x5B]),
            refusal: ": the file is not UTF-8 (line 1)"
        ),
        StrangeFile(
            "a folder",
            "folder.json",
            .command("mkdir \"$0\""),
            refusal: " cannot be read: Is a directory"
        ),
        StrangeFile(
            "a missing file",
            "missing.yaml",
            .command("true"),
            refusal: " cannot be read: No such file or directory"
        ),
        StrangeFile(
            "a file without an end",
            "/dev/zero",
            .path("/dev/zero"),
            refusal: " is too long; the limit is 128 MiB"
        ),
        StrangeFile(
            "a huge file",
            "huge.json",
            .command("truncate -s 100G \"$0\""),
            refusal: " is too long; the limit is 128 MiB"
        ),
        StrangeFile(
            "an empty device",
            "/dev/null",
            .path("/dev/null"),
            refusal: ": the file is empty"
        ),
        StrangeFile(
            "escape sequences",
            "escape.json",
            .text(#"{"version": 1, "\#u{1B}]0;title\#u{07}": 1}"#),
            refusal:
                ": the file is not JSON: a string contains a control character in line 1, column 17"
        ),
        StrangeFile(
            "a weather station",
            "station.json",
            .path(repositoryFile("Tests/Programs/GeneratedClients/station.json").path)
        ),
    ]
}
