import Foundation
import Staging
import TestSupport
import Testing

@testable import BluejaySimulator

/// Tests `Listening` and `ValueWriter`.
@Suite("bluejay listen to several values", .timeLimit(.minutes(15)))
struct ListenTests {
    private static let address = "C0:00:00:00:00:05"

    private static func box(_ services: [String] = ["FFE0"]) -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: "Box", advertising: ["FFE0"])
        for service in services {
            device.addService(
                service,
                [
                    ScriptedCharacteristic("FFE1", ["notify"], .sends([[1]], everySeconds: 1)),
                    ScriptedCharacteristic("FFE2", ["notify"], .sends([[2]], everySeconds: 1)),
                    ScriptedCharacteristic("FFE3", ["read"], .value([3])),
                ]
            )
        }
        return device
    }

    @Test("With several characteristics, each line begins with the characteristic")
    func several() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let outcome = try await stage.run(
                "listen",
                "Box",
                "FFE1",
                "ffe2",
                "FFE1",
                "--count",
                "6"
            )
            #expect(outcome.status == 0)
            #expect(outcome.lines.count == 6)
            #expect(Set(outcome.lines) == ["FFE1: 01", "FFE2: 02"])
            let isConnected = await stage.isConnected(Self.address)
            #expect(!isConnected)
        }
    }

    @Test("Characteristics with one UUID are told apart by their services")
    func sameUUID() async throws {
        try await ToolStage.play(.accelerated(), [Self.box(["FFE0", "FFF0"])]) { stage in
            let outcome = try await stage.run(
                "listen",
                "Box",
                "FFE0/FFE1",
                "FFF0/FFE1",
                "--count",
                "6"
            )
            #expect(Set(outcome.lines) == ["FFE0/FFE1: 01", "FFF0/FFE1: 01"])
        }
    }

    @Test("One characteristic that does not notify ends the command with the reason")
    func notNotifying() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let outcome = try await stage.run("listen", "Box", "FFE1", "FFE3")
            #expect(outcome.status == 1)
            let reason = "not supported: the characteristic neither notifies nor indicates"
            #expect(outcome.lines.last?.contains(reason) == true)
        }
    }

    @Test(
        "--plot and --as raw take one characteristic",
        arguments: [["--plot"], ["--as", "raw"]]
    )
    func refused(options: [String]) async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let program = try await stage.begin(["listen", "Box", "FFE1", "FFE2"] + options)
            try await wait { program.status != nil }
            #expect(program.status == 64)
            let reason = "\(options.joined(separator: " ")) takes one characteristic"
            #expect(program.lines.first?.contains(reason) == true)
        }
    }

    @Test("With --reconnect, listening continues after the connection is lost")
    func reconnect() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let program = try await stage.begin(["listen", "Box", "FFE1", "FFE2", "--reconnect"])
            for count in 1...3 {
                try await program.wait(for: "FFE1: 01", count: count * 2)
                try await program.wait(for: "FFE2: 02", count: count * 2)
                await stage.system.perform { $0.device(Self.address)?.dropLink() }
                try await program.wait(
                    for: "bluejay: connected again to Box (\(Self.address))",
                    count: count
                )
            }
            let lost = "bluejay: connection lost; connecting again"
            #expect(program.lines.count { $0 == lost } == 3)
            let seen = program.lines.count { $0 == "FFE1: 01" }
            try await program.wait(for: "FFE1: 01", count: seen + 1)
            #expect(await program.end(SIGINT) == 130)
            let isConnected = await stage.isConnected(Self.address)
            #expect(!isConnected)
        }
    }

    @Test("With --reconnect, listening survives a restart of bluetoothd")
    func restart() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let program = try await stage.begin(["listen", "Box", "FFE1", "--reconnect"])
            try await program.wait(for: "01")
            await stage.system.killDaemon()
            try await stage.system.startDaemon()
            try await program.wait(for: "bluejay: connected again")
            let seen = program.lines.count { $0 == "01" }
            try await program.wait(for: "01", count: seen + 2)
            #expect(await program.end(SIGTERM) == 143)
        }
    }

    @Test("With --reconnect, the time limit ends the command while the device is away")
    func limit() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let program = try await stage.begin(
                ["listen", "Box", "FFE1", "--reconnect", "--for", "4"]
            )
            try await program.wait(for: "01")
            await stage.system.perform { $0.device(Self.address)?.leaveRange() }
            try await wait { program.status != nil }
            #expect(program.status == 0)
        }
    }

    // MARK: Keys that only one side has

    private static func pairedBox(_ stage: ToolStage) async throws -> RunningProgram {
        let pairing = try await stage.run("pair", "Box")
        #expect(pairing.status == 0, "\(pairing.lines)")
        let program = try await stage.begin(["listen", "Box", "FFE1", "--reconnect"])
        try await program.wait(for: "01")
        return program
    }

    private static let forgetRemedy = "here with `bluejay forget \(address)`"

    @Test(
        "With --reconnect, a link lost because encryption failed ends the command with the remedy"
    )
    func authenticationFailure() async throws {
        var options = SimulatorOptions.accelerated()
        // Older versions report no reason.
        options.version = .v5_86
        try await ToolStage.play(options, [Self.box()]) { stage in
            let program = try await Self.pairedBox(stage)
            await stage.system.perform {
                $0.device(Self.address)?.link?.close(reason: .authenticationFailed)
            }
            try await wait { program.status != nil }
            #expect(program.status == 1)
            let last = program.lines.last ?? ""
            #expect(
                last.hasPrefix("bluejay: connection lost because encryption failed; "),
                "\(last)"
            )
            #expect(last.contains(Self.forgetRemedy), "\(last)")
            #expect(!program.lines.contains { $0.contains("connecting again") })
        }
    }

    @Test("With --reconnect, a connection refused because of lost keys ends the command")
    func missingKeys() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let program = try await Self.pairedBox(stage)
            await stage.system.perform { world in
                let name = "org.bluez.Error.LeConnectionKeyMissing"
                world.apply(.callsRefused("Connect", name: name, text: "LE Link Key missing"))
                world.device(Self.address)?.dropLink()
            }
            try await wait { program.status != nil }
            #expect(program.status == 1)
            let last = program.lines.last ?? ""
            #expect(last.contains("one side has lost the keys of the pairing"), "\(last)")
            #expect(last.contains(Self.forgetRemedy), "\(last)")
        }
    }

    @Test(
        "With --reconnect, the likely reason of refused connections to a paired device is shown once"
    )
    func likelyMissingKeys() async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            let program = try await Self.pairedBox(stage)
            await stage.system.perform { world in
                let text = "le-connection-abort-by-local"
                world.apply(.callsRefused("Connect", name: "org.bluez.Error.Failed", text: text))
                world.device(Self.address)?.dropLink()
            }
            try await program.wait(for: "bluejay: connection lost; connecting again")
            try await wait {
                program.lines.contains { $0.contains("has lost the keys of the pairing") }
            }
            await stage.system.perform { $0.apply(.callsReleased("Connect")) }
            try await program.wait(for: "bluejay: connected again")
            #expect(program.lines.count { $0.contains(Self.forgetRemedy) } == 1)
            #expect(await program.end(SIGINT) == 130)
        }
    }

    @Test(
        "With --reconnect, links of a paired device that end before a value suggest lost keys, once"
    )
    func endedWithoutValues() async throws {
        let device = SimulatedDevice(address: Self.address, name: "Box", advertising: ["FFE0"])
        device.addService("FFE0", [ScriptedCharacteristic("FFE1", ["notify"], .value([1]))])
        var options = SimulatorOptions.accelerated()
        options.version = .v5_66
        try await ToolStage.play(options, [device]) { stage in
            let pairing = try await stage.run("pair", "Box")
            #expect(pairing.status == 0, "\(pairing.lines)")
            let program = try await stage.begin(["listen", "Box", "FFE1", "--reconnect"])
            try await wait { await stage.isListening(Self.address, to: "FFE1") }
            for count in 1...4 {
                await stage.system.perform { $0.device(Self.address)?.dropLink() }
                try await program.wait(for: "bluejay: connected again", count: count)
            }
            let hints = program.lines.filter { $0.contains("lost the keys of the pairing") }
            #expect(hints.count == 1)
            #expect(hints.first?.contains("`bluejay forget \(Self.address)`") == true)
            #expect(await program.end(SIGINT) == 130)
        }
    }
}
