import BluejayDBus
import BluejaySimulator
import TestSupport
import TestTraits
import Testing

@Suite("The power of an adapter, as recorded", .timeLimit(.minutes(15)))
struct PowerTests {
    private let hci0 = "/org/bluez/hci0"

    private func set(_ isOn: Bool, in stage: SimulatorStage) async -> String {
        await stage.client.set(hci0, "Adapter1", "Powered", .boolean(isOn)).outcome
    }

    @Test(
        "rfkill ends the links, then the power, then reports the reason; unblocking restores the power"
    )
    func blocked() async throws {
        let stage = try await SimulatorStage(adapters: 1)
        await stage.connect()
        await stage.system.perform { $0.setBlocked(true) }
        await stage.client.wait(for: "SIG hci0 [PowerState \"off-blocked\"]")
        let lines = await stage.client.taken().filter { $0.hasPrefix("SIG") }
        #expect(
            lines == [
                "SIG ~F0_F1_F2_F3_F4_F5 [ServicesResolved false; Connected false] []",
                "SIG hci0 [Powered false; Discovering false; PowerState \"on\"] []",
                "SIG hci0 [PowerState \"off-blocked\"] []",
            ]
        )
        #expect(await set(true, in: stage) == "org.bluez.Error.Failed \"Failed\"")
        #expect(await set(false, in: stage) == "ok")
        await stage.system.perform { $0.setBlocked(false) }
        await stage.client.wait(for: "SIG hci0 [PowerState \"on\"; Powered true]")
    }

    @Test("On Debian 11 bluetoothd reports rfkill as the reason, and has no PowerState")
    func blockedOnOldKernel() async throws {
        let stage = try await SimulatorStage(.v5_55, adapters: 1)
        _ = await stage.client.taken()
        await stage.system.perform { $0.setBlocked(true) }
        await stage.client.wait(for: "SIG hci0 [Powered")
        #expect(
            await set(true, in: stage) == "org.bluez.Error.Blocked \"Blocked through rfkill\""
        )
    }

    @Test(
        "A second change during the first is refused; 5.55 reports success",
        .pitfall(.powerRefused)
    )
    func second() async throws {
        for (kind, expected) in [
            (SimulatedBlueZVersion.v5_66, "org.bluez.Error.Busy \"\""), (.v5_55, "ok"),
        ] {
            let stage = try await SimulatorStage(kind, scale: 10_000, adapters: 1)
            await stage.system.perform { $0.setPowered(false, ofAdapter: 0) }
            #expect(await set(true, in: stage) == expected)
        }
    }

    @Test("Power changes of the system during another change follow it, in order")
    func systemDuringAChange() async throws {
        let stage = try await SimulatorStage(.v5_86, adapters: 1)
        _ = await stage.client.taken()
        await withCheckedContinuation { continuation in
            Task {
                await stage.system.perform { world in
                    world.setPowered(false, ofAdapter: 0)
                    world.setPowered(true, ofAdapter: 0)
                    world.setPowered(false, ofAdapter: 0) { continuation.resume() }
                }
            }
        }
        var states: [Substring] = []
        // The reply arrives before the state.
        try await wait {
            let lines = await stage.client.taken().filter { $0.hasPrefix("SIG hci0 [PowerState") }
            states += lines.map { $0.split(separator: "\"")[1] }
            return states.count >= 6
        }
        #expect(states == ["on-disabling", "off", "off-enabling", "on", "on-disabling", "off"])
    }
}
