import Foundation
import TestSupport
import Testing

@Suite("The script that writes the tables of assigned numbers", .timeLimit(.minutes(15)))
struct AssignedNumberScriptTests {
    private static let library = "Sources/Engine/BluejayCore/AssignedNumbers"
    private static let folder = "Sources/Tool/BluejayTool/AssignedNumbers"
    private static let tool = "\(folder)/AssignedNumberTable+"

    /// The files of a small checkout.
    private static let lists = [
        "company_identifiers/company_identifiers.yaml": """
        company_identifiers:

          - value: 0x10AE
            name: 'Raycon Inc.'

          - value: 0x004C
            name: 'Xi''an "Häfele" Co.'

          - value: 0x0000
            name: "Ericsson  AB "
        """,
        "core/appearance_values.yaml": """
        # Copyright
        appearance_values:
         - category: 0x000
           name: Unknown
         - category: 0x00D
           name: Heart Rate Sensor
           subcategory:
            - value: 0x01
              name: Heart Rate Belt
         - category: 0x035
           name: Insulin Pump
           subcategory:
            - value: 0x05
              name: "Insulin Pump, patch pump"
        """,
        "uuids/service_uuids.yaml": uuids(["0x1800", "GAP"], ["0x180D", "Heart Rate"]),
        "uuids/declarations.yaml": uuids(["0x2800", "Primary Service"]),
        "uuids/descriptors.yaml": uuids(["0x2900", "Characteristic Extended Properties"]),
        "uuids/characteristic_uuids.yaml": uuids(
            ["0x2B8C", #""CO\\textsubscript{2} Concentration""#],
            ["0x2A37", "Heart Rate Measurement"]
        ),
        "uuids/browse_group_identifiers.yaml": uuids(["0x1002", "PublicBrowseRoot"]),
        "uuids/member_uuids.yaml": uuids(["0xFE59", #""Akciju \"SAF\", Inc.""#]),
        "uuids/mesh_profile_uuids.yaml": uuids(["0x1600", "Ambient Light Sensor"]),
        "uuids/object_types.yaml": uuids(["0x2ACA", "Unspecified"]),
        "uuids/protocol_identifiers.yaml": uuids(["0x0001", "SDP"]),
        "uuids/sdo_uuids.yaml": uuids(["0xFFFE", "Wireless Power Transfer"]),
        "uuids/service_class.yaml": uuids(["0x1101", "Serial Port"]),
        "uuids/units.yaml": uuids(["0x2703", "time (second)"]),
    ]

    private static func uuids(_ rows: [String]...) -> String {
        "uuids:\n"
            + rows.map { " - uuid: \($0[0])\n   name: \($0[1])\n   id: org.bluetooth.a\n" }.joined()
    }

    /// Runs the script on a checkout, in a repository with one withdrawn service and no other rows.
    private static func run(
        _ lists: [String: String],
        _ body: (Outcome, (String) -> String) throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ path: String, _ text: String) throws {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: file)
        }
        for (path, text) in lists { try write("public/assigned_numbers/\(path)", text) }
        let names = ["Services", "Characteristics2A", "Characteristics2B"]
        for name in names {
            let row = name == "Services" ? "        1811 Withdrawn\n" : ""
            let text = "extension A {\n    static let a = \"\"\"\n\(row)        \"\"\"\n}\n"
            try write("repository/\(library)/StandardNames+\(name).swift", text)
        }
        let script = repositoryFile(".ci/assigned-numbers").path
        let (checkout, repository) = ("\(folder.path)/public", "\(folder.path)/repository")
        let outcome = try await outcome(of: ["python3", script, checkout, repository])
        try body(outcome) { path in
            (try? String(contentsOf: URL(filePath: "\(repository)/\(path)"), encoding: .utf8)) ?? ""
        }
    }

    @Test("A small checkout gives small tables")
    func sample() async throws {
        try await Self.run(Self.lists) { outcome, file in
            #expect(
                outcome
                    == Outcome([
                        "StandardNames+Services.swift: 5 rows",
                        "StandardNames+Characteristics2A.swift: 1 rows",
                        "StandardNames+Characteristics2B.swift: 1 rows",
                        "AssignedNumberTable+Companies.swift: 3 rows",
                        "AssignedNumberTable+OtherUUIDs.swift: 8 rows",
                        "AssignedNumberTable+Appearances.swift: 5 rows",
                    ])
            )
            #expect(
                file("\(Self.tool)Companies.swift") == """
                    // Written by .ci/assigned-numbers.
                    extension AssignedNumberTable {
                        /// The companies by their identifiers.
                        static let companies = AssignedNumberTable(
                            \"""
                            0000 Ericsson AB
                            004C Xi'an "Häfele" Co.
                            10AE Raycon Inc.
                            \"""
                        )
                    }

                    """
            )
            #expect(
                Self.rows(file("\(Self.tool)OtherUUIDs.swift")) == [
                    "0001 SDP", "1002 PublicBrowseRoot", "1101 Serial Port",
                    "1600 Ambient Light Sensor", "2703 time (second)", "2ACA Unspecified",
                    "FE59 Akciju \"SAF\", Inc.", "FFFE Wireless Power Transfer",
                ]
            )
            #expect(
                Self.rows(file("\(Self.tool)Appearances.swift")) == [
                    "0000 Unknown", "0340 Heart Rate Sensor",
                    "0341 Heart Rate Sensor: Heart Rate Belt",
                    "0D40 Insulin Pump", "0D45 Insulin Pump: patch pump",
                ]
            )
            #expect(
                file("\(Self.library)/StandardNames+Services.swift")
                    == """
                    extension A {
                        static let a = \"""
                            1800 Generic Access
                            180D Heart Rate
                            1811 Withdrawn
                            2800 Primary Service
                            2900 Characteristic Extended Properties
                            \"""
                    }

                    """
            )
            #expect(
                Self.rows(file("\(Self.library)/StandardNames+Characteristics2B.swift")) == [
                    "2B8C CO2 Concentration"
                ]
            )
        }
    }

    @Test(
        "A table that is too long for one file is written in parts of whole blocks of 256 numbers"
    )
    func parts() async throws {
        var lists = Self.lists
        let companies = (0x00C0..<0x0410).filter { $0 != 0x0100 }.map { number in
            let digits = String(number, radix: 16, uppercase: true)
            return "  - value: 0x\(digits)\n    name: 'Company \(digits)'\n"
        }
        lists["company_identifiers/company_identifiers.yaml"] =
            "company_identifiers:\n" + companies.joined()
        try await Self.run(lists) { outcome, file in
            #expect(
                outcome.lines.filter { $0.contains("Companies") } == [
                    "AssignedNumberTable+Companies0000.swift: 319 rows",
                    "AssignedNumberTable+Companies0200.swift: 528 rows",
                ]
            )
            #expect(
                file("\(Self.tool)Companies.swift") == """
                    // Written by .ci/assigned-numbers.
                    extension AssignedNumberTable {
                        /// The companies by their identifiers.
                        static let companies = AssignedNumberTable(parts: [
                            companies0000,
                            companies0200,
                        ])
                    }

                    """
            )
            let last = file("\(Self.folder)/Companies/AssignedNumberTable+Companies0200.swift")
            #expect(
                last.hasPrefix(
                    """
                    // Written by .ci/assigned-numbers.
                    extension AssignedNumberTable {
                        /// The companies by their identifiers, from 0200 to 040F.
                        static let companies0200 = \"""
                            0200 Company 200
                    """
                )
            )
            #expect(last.hasSuffix("        040F Company 40F\n        \"\"\"\n}\n"))
        }
    }

    private static func rows(_ text: String) -> [String] {
        text.matches(of: #/(?m)^        ([0-9A-F]{4} .*)$/#).map { String($0.1) }
    }

    @Test(
        "A list that the script cannot read is reported by its line, and no table is written",
        arguments: [
            ("uuids/units.yaml", "uuids:\n - uuid: 0x12345\n", "2: invalid number 0x12345"),
            ("uuids/units.yaml", "uuids:\n - uuid: 0x2700\n   name: 'a\n", "3: 'a has an error"),
            (
                "uuids/units.yaml", "uuids:\n - uuid: 0x2700\n   name: &a b\n",
                "3: &a b needs quotes"
            ),
            ("uuids/units.yaml", "uuids:\n   name: a\n", "2: a name without a number"),
            ("uuids/units.yaml", "uuids:\n - uuid: 0x2700\n   name: \"\"\n", "3: invalid name ''"),
            ("uuids/units.yaml", "uuids:\n  wrong\n", "2: expected a key and a value: wrong"),
            ("uuids/units.yaml", "uuids:\n", " has no uuid"),
            (
                "uuids/units.yaml",
                "uuids:\n - uuid: 0xFE59\n   name: Other\n", "FE59 has two names"
            ),
            (
                "core/appearance_values.yaml",
                "appearance_values:\n - category: 0x400\n   name: a\n", "2: invalid number 0x400"
            ),
        ]
    )
    func invalid(file: String, text: String, message: String) async throws {
        var lists = Self.lists
        lists[file] = text
        try await Self.run(lists) { outcome, file in
            #expect(outcome.status == 1)
            #expect(outcome.lines.count == 1)
            #expect(outcome.lines.first?.contains(message) == true, "\(outcome.lines)")
            #expect(file("\(Self.tool)Companies.swift").isEmpty)
        }
    }

    @Test("A folder without the lists is reported")
    func missing() async throws {
        try await Self.run([:]) { outcome, _ in
            #expect(outcome.status == 1)
            #expect(outcome.lines.first?.hasSuffix("service_uuids.yaml does not exist") == true)
        }
    }
}
