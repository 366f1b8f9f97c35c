import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("The references that bluejay prints and accepts", .timeLimit(.minutes(15)))
struct PrintedReferenceTests {
    private static let address = "C0:00:00:00:00:05"

    /// A station with two temperatures and a humidity, each with a description.
    private static func station() -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: "Station", advertising: ["181A"])
        func described(_ uuid: String, _ text: String, _ value: [UInt8]) -> ScriptedCharacteristic {
            ScriptedCharacteristic(
                uuid,
                ["read", "write", "notify", "writable-auxiliaries"],
                .value(value),
                descriptors: [("2901", Array(text.utf8))]
            )
        }
        device.addService(
            "181A",
            [
                described("2A6E", "Cellar\u{1B}[2J", [0x10, 0x09]),
                described("2A6E", "Roof", [0x20, 0x03]), described("2A6F", "Damp", [0x88, 0x13]),
            ]
        )
        return device
    }

    @Test("The services command shows user descriptions without control characters")
    func descriptions() async throws {
        try await ToolStage.play(.accelerated(), [Self.station()]) { stage in
            let lines = try await stage.run("services", "Station").lines
            let named = lines.filter { $0.contains("\"") }
            let properties = "read, write, notify, extended-properties, writable-auxiliaries"
            #expect(
                named == [
                    "├─ 2A6E Temperature \"Cellar\u{FFFD}[2J\"  \(properties)",
                    "├─ 2A6E#1 Temperature \"Roof\"  \(properties)",
                    "└─ 2A6F Humidity \"Damp\"  \(properties)",
                ]
            )
            let objects = try await stage.run("services", Self.address, "--json").lines
            #expect(objects.contains { $0.contains(#""description":"Roof""#) })
        }
    }

    @Test("A descriptor is read by its characteristic, and optionally by its service")
    func readDescriptor() async throws {
        try await ToolStage.play(.accelerated(), [Self.station()]) { stage in
            let device = Self.address
            for reference in ["2A6F/2901", "181A/2A6F/2901", "humidity/2901#0"] {
                try await stage.check("read", device, reference, gives: ["Damp"])
            }
            try await stage.check("read", device, "2A6E#1/2901", gives: ["Roof"])
            try await stage.check(
                "read",
                device,
                "2A6E/2901",
                gives: [
                    "bluejay: \"2A6E/2901\" is ambiguous: 181A/2A6E#0/2901, 181A/2A6E#1/2901"
                ],
                status: 1
            )
            try await stage.check(
                "read",
                device,
                "2A6F/2904",
                gives: [
                    "bluejay: the device has no descriptor \"2A6F/2904\"; "
                        + "`bluejay services` lists them"
                ],
                status: 1
            )
            let object = try await stage.run("read", device, "2A6E#1/2901", "--json").lines
            #expect(object.first?.contains(#""characteristic":"2A6E""#) == true)
            #expect(object.first?.contains(#""descriptor":"2901""#) == true)
            #expect(object.first?.contains(#""instance":1"#) == true)
            #expect(object.first?.contains(#""text":"Roof""#) == true)
        }
    }

    @Test("A descriptor is written with response, and is no target for listen")
    func writeDescriptor() async throws {
        try await ToolStage.play(.accelerated(), [Self.station()]) { stage in
            let device = Self.address
            try await stage.check("write", device, "2A6F/2901", "--as", "text", "Dry", gives: [])
            try await stage.check("read", device, "2A6F/2901", gives: ["Dry"])
            try await stage.check(
                "write",
                device,
                "2A6F/2901",
                "00",
                "--without-response",
                gives: ["bluejay: a descriptor is written with response; omit --without-response"],
                status: 1
            )
            let managed = try await stage.run("write", device, "2A6F/2902", "0100")
            #expect(managed.status == 1)
            #expect(managed.lines.last?.hasSuffix("; use `bluejay listen`") == true)
            try await stage.check(
                "listen",
                device,
                "2A6F/2901",
                gives: ["bluejay: \"2A6F/2901\" is a descriptor; specify a characteristic"],
                status: 1
            )
        }
    }

    @Test("The second instance of a characteristic is printed and accepted as 2A6E#1")
    func instances() async throws {
        try await ToolStage.play(.accelerated(), [Self.station()]) { stage in
            let device = Self.address
            try await stage.check("read", device, "2A6E#1", gives: ["8 °C"])
            try await stage.check("read", device, "181A/temperature#0", gives: ["23.2 °C"])
            let object = try await stage.run("read", device, "2A6E#1", "--json").lines.first
            #expect(object?.contains(#""instance":1"#) == true)
            let written = try await stage.run("write", device, "2A6E#1", "2003", "--json").lines
            #expect(written.first?.contains(#""instance":1"#) == true)
            try await stage.check("read", device, "181A/2A6E#1", gives: ["8 °C"])
            try await stage.check(
                "read",
                device,
                "2A6E#2",
                gives: [
                    "bluejay: the device has no characteristic \"2A6E#2\"; "
                        + "`bluejay services` lists them"
                ],
                status: 1
            )
        }
    }

    @Test("An address with hyphens or without separators is accepted")
    func addresses() async throws {
        try await ToolStage.play(.accelerated(), [Self.station()]) { stage in
            for device in ["C0-00-00-00-00-05", "c00000000005"] {
                try await stage.check("read", device, "2A6F", gives: ["50 %"])
            }
            let adapter = try await stage.run(
                "read",
                Self.address,
                "2A6F",
                "--adapter",
                "00AA01000000"
            )
            #expect(adapter == Outcome(["50 %"]))
            try await stage.check(
                "read",
                "C0000000000",
                "2A6F",
                "--timeout",
                "1",
                gives: [
                    "bluejay: device \"C0000000000\" not found within 1 s; check that it is on "
                        + "and in range; `bluejay scan` lists the devices"
                ],
                status: 3
            )
        }
    }

    @Test("The name of a scan matches in any case, and as it is printed")
    func scanByName() async throws {
        let other = "C0:00:00:00:00:09"
        let lamp = SimulatedDevice(address: other, name: "\u{1B}Lamp")
        try await ToolStage.play(.accelerated(), [Self.station(), lamp]) { stage in
            for (name, address) in [("sTAT", Self.address), ("\u{FFFD}lamp", other)] {
                let program = try await stage.begin(["scan", "--name", name])
                try await program.wait(for: address)
                #expect(program.lines.count == 1)
                #expect(await program.end(SIGTERM) == 143)
            }
        }
    }
}
