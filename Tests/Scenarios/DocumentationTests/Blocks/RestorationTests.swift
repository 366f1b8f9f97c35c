import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Blocks of the iOS README: background restoration", .timeLimit(.minutes(15)))
struct RestorationTests {
    /// Runs a program until it listens and kills it; BlueZ keeps the peripheral's link.
    private func killed(
        _ program: String,
        _ play: (SimulatedSystem, () async throws -> Program) async throws -> Void
    ) async throws {
        let slot = await BusSlot.acquire()
        defer { withExtendedLifetime(slot) {} }
        let state = FileManager.default.temporaryDirectory
            .appending(path: "bluejay-document-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: state) }
        var options = SimulatorOptions()
        options.timeScale = 0.1
        let system = try await SimulatedSystem.start(options)
        await system.perform { world in
            world.add(
                gadget([
                    ScriptedCharacteristic("2A37", ["notify"], .value([])),
                    ScriptedCharacteristic("2A38", ["read", "notify"], .value([1])),
                ])
            )
        }
        let start = { try await Program([program], bus: system.busAddress, state: state) }
        let first = try await start()
        await first.notes.wait(for: "available true")
        #expect(first.notes.lines.contains("restoration true"))
        first.order("connect")
        await first.notes.wait(for: "connected Gadget")
        first.order("listen")
        await first.notes.wait(for: "listening")
        await send([0, 60], in: system)
        await first.notes.wait(for: "heard [0, 60]")
        await first.kill()
        try await play(system, start)
        system.stop()
    }

    private func send(_ value: [UInt8], in system: SimulatedSystem) async {
        await system.perform { $0.device(gadgetAddress)?.send(value, on: "2A37") }
    }

    @Test("Block 28 restores the peripheral of a killed app, which can listen again")
    func appDelegate() async throws {
        try await killed("app-delegate") { system, start in
            let second = try await start()
            await second.notes.wait(for: "connected Gadget")
            try await waitForListener(of: "2A37", in: system)
            await send([0, 61], in: system)
            second.order("listen")
            await second.notes.wait(for: "listening")
            await send([0, 62], in: system)
            await second.notes.wait(for: "heard [0, 62]")
            await second.kill()
        }
    }

    @Test("Block 30 keeps a promised subscription and discards values until the listen")
    func promise() async throws {
        try await killed("relauncher") { system, start in
            let second = try await start()
            await second.notes.wait(for: "restored Gadget")
            await second.notes.wait(for: "connected Gadget")
            try await waitForListener(of: "2A37", in: system)
            await send([0, 61], in: system)
            second.order("asked")
            await second.notes.wait(for: "asked")
            #expect(await listeners(in: system) == 1)
            check(second.notes.lines.contains { $0.hasPrefix("heard") }, is: false)
            await second.kill()
        }
    }

    @Test("Block 29 unsubscribes a listen that is not restored")
    func stop() async throws {
        try await killed("stopping-relauncher") { system, start in
            let second = try await start()
            await second.notes.wait(for: "restored Gadget")
            try await waitForListener(of: "2A37", in: system)
            await send([0, 61], in: system)
            await second.notes.wait(for: "unhandled 2A37 [0, 61]")
            second.order("asked")
            await second.notes.wait(for: "asked")
            #expect(await listeners(in: system) == 0)
            await second.kill()
        }
    }

    @Test("Restoration reports a peripheral out of range as not restored")
    func gone() async throws {
        try await killed("relauncher") { system, start in
            await system.perform { $0.device(gadgetAddress)?.leaveRange() }
            let second = try await start()
            await second.notes.wait(for: "not restored Gadget")
            await second.kill()
        }
    }

    private func listeners(in system: SimulatedSystem) async -> Int? {
        await system.read { $0.device(gadgetAddress)?.listenerCount(of: "2A37") } ?? nil
    }
}
