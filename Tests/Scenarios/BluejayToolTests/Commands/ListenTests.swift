import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

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
}
