import BluejayDBus
import BluejaySimulator
import TestTraits
import Testing

@Suite("The battery service of bluetoothd (bluez.md, pitfall 54)", .timeLimit(.minutes(15)))
struct BatteryTests {
    private let device = "~F0_F1_F2_F3_F4_F5"
    private let battery = "0000180f-0000-1000-8000-00805f9b34fb"

    private func stage(
        _ kind: SimulatedBlueZVersion = .v5_66,
        _ flags: [String] = ["read", "notify"],
        _ behavior: ScriptedBehavior = .value([77])
    ) async throws -> SimulatorStage {
        let stage = try await SimulatorStage(kind)
        await stage.system.perform { world in
            world.device("F0:F1:F2:F3:F4:F5")?
                .addService("180F", [ScriptedCharacteristic("2A19", flags, behavior)])
        }
        return stage
    }

    private let interface = "~F0_F1_F2_F3_F4_F5 org.bluez.Battery1"

    /// Connects until the battery is reported, and returns the signals.
    @discardableResult
    private func connectedWithBattery(_ stage: SimulatorStage) async -> [String] {
        await stage.discover()
        _ = await stage.client.taken()
        await stage.client.call(SimulatorStage.device, "Device1", "Connect")
        await stage.client.wait(for: "InterfacesAdded \(interface)")
        return await stage.client.taken()
    }

    private func percentage(_ stage: SimulatorStage) async -> BusValue? {
        await stage.client.property(SimulatorStage.device, "Battery1", "Percentage")
    }

    @Test(
        "BlueZ 5.66 hides the battery service, and reports the level after ServicesResolved",
        .pitfall(.claimedServices)
    )
    func hidden() async throws {
        let stage = try await stage()
        let lines = await connectedWithBattery(stage).suffix(2)
        #expect(lines.first?.hasPrefix("SIG \(device) [UUIDs") == true)
        #expect(lines.last == "InterfacesAdded \(interface)")
        #expect(await percentage(stage) == .byte(77))
        let source = await stage.client.property(SimulatorStage.device, "Battery1", "Source")
        #expect(source == .string("GATT Battery Service"))
        #expect(await stage.client.objects().contains { $0.hasSuffix("/service0025") } == false)
        let uuids = await stage.client.property(SimulatorStage.device, "Device1", "UUIDs")
        #expect(uuids?.texts?.contains(battery) == true)
    }

    @Test("The removal of the battery service removes only its interface, and the device stays")
    func interfaces() async throws {
        let stage = try await stage()
        await connectedWithBattery(stage)
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.removeService("180F") }
        await stage.client.wait(for: "InterfacesRemoved \(interface)")
        #expect(await percentage(stage) == nil)
        #expect(
            await stage.client.property(SimulatorStage.device, "Device1", "Connected")
                == .boolean(true)
        )
    }

    @Test("The percentage follows the notifications; invalid and unchanged values are not reported")
    func follows() async throws {
        let stage = try await stage()
        await connectedWithBattery(stage)
        for value in [76, 76, 101, 75] as [UInt8] {
            await stage.system.perform {
                $0.device("F0:F1:F2:F3:F4:F5")?.send([value], on: "2A19")
            }
        }
        await stage.client.wait(for: "SIG \(device) [Percentage 75]")
        #expect(
            await stage.client.taken() == [
                "SIG \(device) [Percentage 76] []", "SIG \(device) [Percentage 75] []",
            ]
        )
    }

    @Test("A level without notifications is reported; a level whose read is refused is not")
    func withoutNotifications() async throws {
        let readable = try await stage(.v5_66, ["read"])
        await connectedWithBattery(readable)
        #expect(await percentage(readable) == .byte(77))
        let refused = try await stage(.v5_66, ["read", "notify"], .refuses(0x80))
        await refused.connect()
        await refused.read("0023")
        #expect(await percentage(refused) == nil)
    }

    @Test(
        "The battery is removed with a disconnection or a lost link, and returns with the next link"
    )
    func ends() async throws {
        let stage = try await stage()
        await connectedWithBattery(stage)
        await stage.client.call(SimulatorStage.device, "Device1", "Disconnect")
        await stage.client.wait(for: "SIG \(device) [Connected false]")
        #expect(
            await stage.client.taken() == [
                "call Disconnect", "InterfacesRemoved \(interface)",
                "SIG \(device) [ServicesResolved false] []", "ret Disconnect",
                "SIG \(device) [Connected false] []",
            ]
        )
        await stage.client.call(SimulatorStage.device, "Device1", "Connect")
        await stage.client.wait(for: "InterfacesAdded \(interface)")
        _ = await stage.client.taken()
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.dropLink() }
        await stage.client.wait(for: "InterfacesRemoved \(interface)")
        #expect(
            await stage.client.taken() == [
                "SIG \(device) [ServicesResolved false; Connected false] []",
                "InterfacesRemoved \(interface)",
            ]
        )
    }

    @Test("BlueZ 5.86 also exposes the service, and refuses writes", .pitfall(.claimedServices))
    func exported() async throws {
        let stage = try await stage(.v5_86, ["read", "write", "notify"])
        await connectedWithBattery(stage)
        #expect(await percentage(stage) == .byte(77))
        let path = SimulatorStage.device + "/service0025/char0026"
        func call(_ member: String, _ arguments: [BusValue] = []) async -> CallResult {
            await stage.client.call(path, "GattCharacteristic1", member, arguments)
        }
        let value = try await call("ReadValue", [.properties([])]).get()
        #expect(value.first == .bytes([77]))
        let written = await call("WriteValue", [.bytes([1]), .properties([])])
        #expect(
            written.outcome == "org.bluez.Error.NotAuthorized \"Operation Not Authorized\""
        )
        #expect(await call("StartNotify").outcome == "ok")
        #expect(await call("StopNotify").outcome == "ok")
        // bluetoothd itself stays subscribed.
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.send([12], on: "2A19") }
        await stage.client.wait(for: "SIG \(device) [Percentage 12]")
    }
}
