import BluejayDBus
import TestSupport
import Testing

@testable import BluejaySimulator

/// Tests `GATTClientObjects`.
@Suite("Changed services and reused handles", .timeLimit(.minutes(15)))
struct ServiceChangeTests {
    private let device = "~F0_F1_F2_F3_F4_F5"
    private let extra = "12345678-1234-5678-1234-56789abcde00"

    private func onPeripheral(
        in stage: SimulatorStage,
        _ work: @escaping @Sendable (SimulatedDevice) -> Void
    ) async {
        await stage.system.perform { world in world.device("F0:F1:F2:F3:F4:F5").map(work) }
    }

    private func listeners(in stage: SimulatorStage) async -> Int? {
        let uuid = SimulatorStage.service + "2"
        return await stage.system.read {
            $0.device("F0:F1:F2:F3:F4:F5")?.listenerCount(of: uuid) ?? -1
        }
    }

    @Test("Services registered again under the same handles lose their subscribers")
    func registeredAnew() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.characteristic("0011", "StartNotify")
        _ = await stage.client.taken()
        await onPeripheral(in: stage) { $0.registerServicesAgain() }
        await stage.client.wait(for: "InterfacesAdded \(SimulatorStage.seen("0023"))")
        let base = "-0000-1000-8000-00805f9b34fb\""
        await stage.client.wait(
            for:
                "SIG \(device) [UUIDs [\"00001800\(base) \"00001801\(base) \"\(SimulatorStage.service)0\"]"
        )
        let lines = await stage.client.taken()
        let removed = lines.filter { $0.hasPrefix("InterfacesRemoved") }
        let added = lines.filter { $0.hasPrefix("InterfacesAdded") }
        #expect(removed.count == 13)
        #expect(removed.last == "InterfacesRemoved \(device)/service000e")
        #expect(added.first == "InterfacesAdded \(device)/service000e")
        let old = Set(removed.map { $0.replacing("InterfacesRemoved ", with: "") })
        #expect(old == Set(added.map { $0.replacing("InterfacesAdded ", with: "") }))
        // The services stay resolved, and the list is signalled without and with the service.
        #expect(lines.filter { $0.hasPrefix("SIG") }.count == 2)
        #expect(lines.contains { $0.contains("ServicesResolved") } == false)
        #expect(await listeners(in: stage) == 0)
        let notifying = await stage.client.property(
            SimulatorStage.path("0011"),
            "GattCharacteristic1",
            "Notifying"
        )
        #expect(notifying == .boolean(false))
        let none = await stage.characteristic("0011", "StopNotify")
        #expect(none.outcome == "org.bluez.Error.Failed \"No notify session started\"")
        #expect(await stage.characteristic("0011", "StartNotify").outcome == "ok")
        #expect(await listeners(in: stage) == 1)
    }

    @Test("A service can reuse the handle of another one")
    func reusedHandle() async throws {
        let stage = try await SimulatorStage()
        let uuid = extra
        await onPeripheral(in: stage) {
            $0.addService(uuid, [ScriptedCharacteristic("2A00", ["read"], .value([1]))])
        }
        await stage.connect()
        await onPeripheral(in: stage) {
            let handle = $0.handle(ofService: uuid)
            $0.removeService(uuid)
            let new = [ScriptedCharacteristic("2A01", ["read"], .value([2]))]
            $0.addService("FFE0", new, at: handle)
        }
        await stage.client.wait(for: "InterfacesAdded \(device)/service0025/char0026")
        let path = SimulatorStage.device + "/service0025/char0026"
        let result = await stage.client.call(
            path,
            "GattCharacteristic1",
            "ReadValue",
            [.properties([])]
        )
        #expect(try result.get().first == .bytes([2]))
        let known = await stage.client.property(path, "GattCharacteristic1", "UUID")
        #expect(known == .string("00002a01-0000-1000-8000-00805f9b34fb"))
    }

    @Test("A registration without a link changes no object, and the subscribers stay")
    func withoutLink() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.characteristic("0011", "StartNotify")
        await onPeripheral(in: stage) { $0.dropLink() }
        await stage.client.wait(for: "SIG \(device) [ServicesResolved false")
        await onPeripheral(in: stage) { $0.registerServicesAgain() }
        #expect(await listeners(in: stage) == 0)
        await stage.client.call(SimulatorStage.device, "Device1", "Connect")
        await stage.client.wait(for: "SIG \(device) [ServicesResolved true")
        let lines = await stage.client.taken()
        #expect(lines.contains { $0.hasPrefix("Interfaces") } == false)
        #expect(await listeners(in: stage) == 1)
    }

    @Test("The battery level is tracked again after its service was registered again")
    func battery() async throws {
        let stage = try await SimulatorStage()
        await onPeripheral(in: stage) {
            let level = ScriptedCharacteristic("2A19", ["read", "notify"], .value([50]))
            $0.addService("180F", [level])
        }
        await stage.connect()
        try await wait {
            await stage.client.property(SimulatorStage.device, "Battery1", "Percentage")
                == .byte(50)
        }
        _ = await stage.client.taken()
        await onPeripheral(in: stage) { $0.registerServicesAgain() }
        await stage.client.wait(for: "InterfacesRemoved \(device) org.bluez.Battery1")
        await stage.client.wait(for: "InterfacesAdded \(device) org.bluez.Battery1")
        await onPeripheral(in: stage) { $0.send([49], on: "2A19") }
        await stage.client.wait(for: "SIG \(device) [Percentage 49]")
    }

    @Test("A service gets the next unused handle or a free one; an occupied handle is refused")
    func handles() throws {
        var database = AttributeDatabase()
        let small = ServiceDescription(uuid: "a")
        func add(at handle: UInt16? = nil) -> AttributeDatabase.Service? {
            database.add(small, at: handle)
        }
        let first = try #require(add())
        let second = try #require(add())
        #expect(add(at: second.handle) == nil)
        #expect(add(at: 0) == nil)
        database.remove(first.handle)
        #expect(add()?.handle == 3)
        let again = try #require(add(at: 1))
        #expect(again.looksLike(first))
        #expect(again != first)
        #expect(database.services.map(\.handle) == [1, 2, 3])
        #expect(add(at: 0xFFFF)?.handle == 0xFFFF)
        #expect(add() == nil)
    }
}
