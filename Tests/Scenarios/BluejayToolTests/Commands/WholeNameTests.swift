import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("Specifying a device for a command that changes it", .timeLimit(.minutes(15)))
struct WholeNameTests {
    private static let address = "C0:00:00:00:00:10"

    private static func lamp(_ name: String, _ address: String = address) -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: name, advertising: ["FFE0"])
        device.addService(
            "FFE0",
            [ScriptedCharacteristic("FFE1", ["read", "write"], .echoes([7]))]
        )
        device.serveChannels(on: 0x80, .sink)
        return device
    }

    /// Commands that change a device; the end of their input ends those that would send it.
    private static func changes(_ name: String) -> [String] {
        [
            "write '\(name)' FFE1 01", "pair '\(name)'", "uart '\(name)'",
            "channel '\(name)' --psm 0x80 --linger 0", "record '\(name)' /dev/null --for 1",
        ].map { "bluejay \($0) --timeout 1 </dev/null" }
    }

    @Test(
        "A command that changes a device rejects a prefix or another case of its name",
        arguments: ["Lamp 1", "lamp 10"]
    )
    func wholeName(_ name: String) async throws {
        try await ToolStage.play(.accelerated(), [Self.lamp("Lamp 10")]) { stage in
            for line in Self.changes(name) {
                let outcome = try await stage.shell(line)
                let refusal =
                    "bluejay: device \"\(name)\" not found within 1 s; similar: "
                    + "Lamp 10 (\(Self.address)); specify the whole name or the address"
                #expect(outcome == Outcome([refusal], 3), "\(line)")
            }
            // bluetoothd knows the device now.
            try await stage.check(
                "forget",
                name,
                gives: [
                    "bluejay: unknown device \"\(name)\"; similar: Lamp 10 (\(Self.address)); "
                        + "specify the whole name or the address"
                ],
                status: 3
            )
            let device = await stage.system.read {
                $0.device(Self.address).map {
                    (changes: $0.writeCount + $0.channels.count, isConnected: $0.isConnected)
                }
            }
            #expect(device??.changes == 0)
            #expect(device??.isConnected == false)
        }
    }

    @Test("A command that changes a device rejects a name shared by two devices")
    func sharedName() async throws {
        let other = "C0:00:00:00:00:11"
        let devices = [Self.lamp("Lamp"), Self.lamp("Lamp", other)]
        try await ToolStage.play(.accelerated(), devices) { stage in
            for line in Self.changes("Lamp") {
                try await Self.expectAmbiguity(of: line, other, stage)
            }
            try await stage.check("write", other, "FFE1", "01", gives: [])
            let counts = await stage.system.read { world in
                [Self.address, other].map { world.device($0)?.writeCount }
            }
            #expect(counts == [0, 1])
            // bluetoothd keeps paired devices, and drops others after 30 s.
            for address in [Self.address, other] {
                #expect(try await stage.run("pair", address).status == 0)
            }
            try await Self.expectAmbiguity(of: "bluejay forget Lamp", other, stage)
            for address in [Self.address, other] {
                try await stage.check("forget", address, gives: ["forgot Lamp (\(address))"])
            }
        }
    }

    private static func expectAmbiguity(
        of line: String,
        _ other: String,
        _ stage: ToolStage
    ) async throws {
        let outcome = try await stage.shell(line)
        #expect(outcome.status == 3, "\(line)")
        #expect(outcome.lines.count == 1, "\(line): \(outcome.lines)")
        let text = outcome.lines.first ?? ""
        #expect(text.hasPrefix("bluejay: \"Lamp\" is ambiguous: "), "\(line): \(text)")
        #expect(text.contains(address) && text.contains(other))
    }

    @Test("A command that reads prints the device on standard error unless the argument is exact")
    func reading() async throws {
        try await ToolStage.play(.accelerated(), [Self.lamp("Lamp 10")]) { stage in
            let note = "bluejay: using Lamp 10 (\(Self.address))"
            try await stage.check("read", "Lamp 1", "FFE1", gives: [note, "07"])
            try await stage.check("read", "lamp 10", "FFE1", gives: [note, "07"])
            try await stage.check("read", "Lamp 10", "FFE1", gives: ["07"])
            try await stage.check("read", Self.address, "FFE1", gives: ["07"])
            let output = try await stage.shell("bluejay read Lamp FFE1 2>/dev/null")
            #expect(output == Outcome(["07"]))
        }
    }

    @Test(
        "A command that sends to a device requires a device or -",
        arguments: [["uart"], ["channel", "--psm", "0x80"], ["forget"], ["record", "file"]]
    )
    func required(_ arguments: [String]) async throws {
        let (_, status) = try await runProgram("bluejay", arguments, isErrorOutput: true)
        #expect(status == 64)
    }

    @Test("A rejected channel disconnects the device")
    func refusedChannel() async throws {
        try await ToolStage.play(.accelerated(), [Self.lamp("Lamp")]) { stage in
            let outcome = try await stage.run("channel", "Lamp", "--psm", "0x81")
            #expect(outcome.status == 1)
            #expect(await !stage.isConnected(Self.address))
        }
    }
}
