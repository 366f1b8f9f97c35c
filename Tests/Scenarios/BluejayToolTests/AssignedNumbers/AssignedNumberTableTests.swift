import BluejayCore
import BluejaySimulator
import Foundation
import Staging
import Testing

@testable import Bluejay
@testable import BluejayTool

@Suite("The tables of assigned numbers", .timeLimit(.minutes(15)))
struct AssignedNumberTableTests {
    private static let tables: [(String, AssignedNumberTable)] = [
        ("companies", .companies), ("otherUUIDs", .otherUUIDs), ("appearances", .appearances),
    ]

    @Test(
        "A company has the name of the list, also at both ends and beside a gap",
        arguments: [
            (0x0000, "Ericsson AB"), (0x0001, "Nokia Mobile Phones"), (0x004C, "Apple, Inc."),
            (0x0065, "HP, Inc."), (0x0067, "GN Hearing"),
            (0x10AD, "CoreHW Semiconductor Oy"), (0x10AE, "Raycon Inc."),
        ] as [(UInt16, String)]
    )
    func companies(number: UInt16, name: String) {
        #expect(AssignedNumberTable.companies.name(of: number) == name)
    }

    @Test(
        "A number without a company has no name",
        arguments: [0x0066, 0x10AF, 0x8000, 0xFFFF] as [UInt16]
    )
    func noCompany(number: UInt16) {
        #expect(AssignedNumberTable.companies.name(of: number) == nil)
    }

    @Test("A company that advertises often has a short name")
    func shortNames() {
        #expect(CompanyName.of(0x004C) == "Apple")
        #expect(CompanyName.of(0x0000) == "Ericsson AB")
        #expect(CompanyName.of(0xFFFF) == nil)
        for number in CompanyName.shortNames.keys {
            #expect(AssignedNumberTable.companies.name(of: number) != nil, "\(number)")
        }
    }

    @Test(
        "A UUID of 16 bits has the name of its list, in each spelling",
        arguments: [
            ("0001", "SDP"), ("110A", "Audio Source"), ("2700", "unitless"),
            ("180D", "Heart Rate"), ("2902", "Client Characteristic Configuration"),
            ("FE59", "Nordic Semiconductor ASA"), ("FFFE", "Wireless Power Transfer"),
            ("0000fe59-0000-1000-8000-00805f9b34fb", "Nordic Semiconductor ASA"),
        ]
    )
    func uuids(text: String, name: String) {
        #expect(BluetoothUUID(string: text).assignedName == name)
    }

    @Test(
        "A UUID outside the lists has no name",
        arguments: [
            "0000", "FFFF", "FFE0", "12345678", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
            "0001FE59-0000-1000-8000-00805F9B34FB",
        ]
    )
    func noUUID(text: String) {
        #expect(BluetoothUUID(string: text).assignedName == nil)
    }

    @Test("An appearance has the names of its category and its kind")
    func appearances() {
        let table = AssignedNumberTable.appearances
        #expect(table.name(of: 0x0000) == "Unknown")
        #expect(table.name(of: 0x0083) == "Computer: Laptop")
        #expect(table.name(of: 0x0340) == "Heart Rate Sensor")
        #expect(table.name(of: 0x0341) == "Heart Rate Sensor: Heart Rate Belt")
        #expect(table.name(of: 0x0D44) == "Insulin Pump: patch pump")
        #expect(table.name(of: 0x0342) == nil)
        #expect(table.name(of: 0xFFFF) == nil)
    }

    @Test("The categories of the library are those of the table")
    func categories() {
        for category in UInt16(0)..<0x400 {
            let appearance = Appearance(rawValue: category << 6)
            let name = AssignedNumberTable.appearances.name(of: category << 6)
            #expect(appearance.categoryName == name, "\(category)")
        }
    }

    @Test("Each row is found by its number, and each other number has no name", arguments: tables)
    func rows(title: String, table: AssignedNumberTable) {
        let rows = table.text.split(separator: "\n").map { ($0.prefix(5), $0.dropFirst(5)) }
        var names: [UInt16: Substring] = [:]
        for (head, name) in rows {
            guard let number = UInt16(head.prefix(4), radix: 16) else {
                Issue.record("\(title): \(head) is not a number")
                continue
            }
            #expect(head == Hexadecimal.text(UInt64(number), digits: 4, isUppercase: true) + " ")
            names[number] = name
        }
        #expect(names.count == rows.count)
        for number in UInt16.min...UInt16.max
        where table.name(of: number) != names[number].map(String.init) {
            Issue.record("\(title): \(number)")
        }
    }

    @Test("The lists are complete")
    func counts() {
        let counts = Self.tables.map { $0.1.text.split(separator: "\n").count }
        #expect(counts == [4008, 957, 342])
    }

    @Test("A table of no, one and two rows finds its numbers")
    func small() {
        #expect(AssignedNumberTable("").name(of: 0) == nil)
        let one = AssignedNumberTable("0002 two")
        #expect([1, 2, 3].map(one.name) == [nil, "two", nil])
        let two = AssignedNumberTable("0002 two\n0004 four é")
        #expect([1, 2, 3, 4, 5].map(two.name) == [nil, "two", nil, "four é", nil])
    }

    @Test("The tool shows the owner of a service and the kind of a device")
    func shown() async throws {
        let beacon = SimulatedDevice(
            address: "C0:00:00:00:00:01",
            name: "Beacon",
            advertising: ["FE59"]
        )
        beacon.setAppearance(0x0083)
        beacon.addService("FE59", [ScriptedCharacteristic("2A37", ["read"], .value([0]))])
        try await ToolStage.play(.accelerated(), [beacon]) { stage in
            let scan = try await stage.run("scan", "--for", "1")
            #expect(scan.lines.contains { $0.contains("\tNordic Semiconductor ASA\t") })
            let services = try await stage.run("services", "Beacon")
            #expect(services.lines.contains("FE59 Nordic Semiconductor ASA"))
            let info = try await stage.run("info", "Beacon")
            #expect(info.lines.contains("appearance     Laptop (131)"))
        }
    }
}
