import BluejayDBus
import OrderedCollections
import Testing

@testable import BluejaySimulator

/// Tests `SimulatedBus`.
@Suite("A simulated system", .timeLimit(.minutes(15)))
struct SystemTests {
    @Test("Stopping a busy system releases all its resources")
    func stopped() async throws {
        let stage = try await SimulatorStage(scale: 1)
        await stage.connect()
        await stage.characteristic("0011", "StartNotify")
        for handle in ["0021", "001f"] {
            await stage.startReading(handle)
        }
        await stage.client.start(SimulatorStage.device, "Device1", "Disconnect")
        _ = await stage.client.objects()
        let remains = try #require(await stage.system.read { Remains($0) })
        #expect(remains.count == 4)
        stage.system.stop()
        // Returns once the world has ended.
        #expect(await stage.system.read { _ in true } == nil)
        #expect(remains.count == 0)
    }

    @Test("Two systems with the same devices are independent")
    func twoSystems() async throws {
        let first = try await SimulatorStage()
        let second = try await SimulatorStage()
        #expect(first.system.busAddress != second.system.busAddress)
        await first.connect()
        let connected = await second.system.read { $0.device("F0:F1:F2:F3:F4:F5")?.isConnected }
        #expect(connected == false)
    }
}

/// The objects of a world that are still alive; weak references may be read on any thread.
private final class Remains: @unchecked Swift.Sendable {
    private weak var world: SimulatedBlueZ?
    private weak var adapter: Adapter?
    private weak var device: Device?
    private weak var client: ATTClient?

    init(_ world: SimulatedBlueZ) {
        self.world = world
        adapter = world.adapters.first
        device = world.adapters.first?.devices.values.first
        client = device?.client
    }

    var count: Int {
        let all: [AnyObject?] = [world, adapter, device, client]
        return all.compactMap { $0 }.count
    }
}
