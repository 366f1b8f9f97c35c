import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Adapter calls with await", .timeLimit(.minutes(15)))
struct AdapterCallTests {
    @Test("Every adapter call can be awaited right after start")
    func everyCall() async throws {
        let stage = try await AsyncStage(starts: false)
        let bluejay = stage.bluejay
        await bluejay.start()
        #expect(try await bluejay.listAdapters().map(\.name) == ["hci0"])
        #expect(bluejay.adapter?.name == "hci0")
        #expect(try await bluejay.setPowered(false).isPowered == false)
        #expect(try await bluejay.setPowered(true, of: "hci0").isPowered)
        #expect(try await bluejay.setAdapterAlias("lab").alias == "lab")
        #expect(try await bluejay.useAdapter("hci0").alias == "lab")
        #expect(try await bluejay.useAdapter(nil).name == "hci0")
        let found = try await bluejay.connect(bluejay.find())
        #expect(try await bluejay.connectedPeripherals() == [found])
        #expect(try await bluejay.connectedPeripherals(withServices: [service]) == [found])
        #expect(try await bluejay.knownPeripherals().map(\.identifier) == [found])
        #expect(try await bluejay.knownPeripherals(onlyBonded: true) == [])
        await #expect(throws: BluejayError.inUse("peripheral \(found)")) {
            try await bluejay.forget(found)
        }
        await #expect(throws: BluejayError.inUse("adapter hci0")) {
            try await bluejay.useAdapter(nil)
        }
        try await bluejay.disconnect()
        try await bluejay.forget(found)
        await #expect(throws: BluejayError.peripheralNotFound(found)) {
            try await bluejay.forget(found)
        }
    }

    @Test("Adapter calls before start throw")
    func beforeStart() async throws {
        let stage = try await AsyncStage(starts: false)
        let refusal = BluejayError.bluetoothUnavailable(.unknown)
        await #expect(throws: refusal) { try await stage.bluejay.listAdapters() }
        await #expect(throws: refusal) { try await stage.bluejay.setPowered(true) }
        await #expect(throws: refusal) { try await stage.bluejay.knownPeripherals() }
        #expect(stage.bluejay.adapters == [])
        #expect(stage.bluejay.adapter == nil)
    }

    @Test("A cancelled task stops waiting, but its adapter call still takes effect")
    func cancelled() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        _ = try await bluejay.listAdapters()
        await stage.system.perform { $0.apply(.callsHeld("Set")) }
        let task = Task.immediate { try await bluejay.setPowered(false) }
        await stage.onLoop { _ in }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let other = Task {
            try? await Task.sleep(for: .seconds(600))
            return try await bluejay.listAdapters()
        }
        other.cancel()
        await #expect(throws: CancellationError.self) { try await other.value }
        var events = bluejay.connectionEvents.makeAsyncIterator()
        #expect(await events.next() == .bluetoothAvailable(true))
        await stage.system.perform { $0.apply(.callsReleased("Set")) }
        #expect(await events.next() == .bluetoothAvailable(false))
    }

    @Test("Adapter events start with the present state and end with the instance")
    func events() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        let adapter = try #require(try await bluejay.listAdapters().first)
        var events = bluejay.adapterEvents.makeAsyncIterator()
        #expect(await events.next() == .appeared(adapter))
        #expect(await events.next() == .inUse(adapter))
        let off = try await bluejay.setPowered(false)
        #expect(await events.next() == .changed(off, from: adapter))
        await stage.system.perform { $0.unplug(adapter: 0) }
        #expect(await events.next() == .vanished(off))
        #expect(await events.next() == .inUse(nil))
        _ = await bluejay.stopAndExtractBluetoothState()
        #expect(await events.next() == nil)
    }

    @Test("A slow reader of a stream that buffers the newest receives the latest event")
    func newest() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        _ = try await bluejay.listAdapters()
        let events = bluejay.adapterEvents(bufferingPolicy: .bufferingNewest(1))
        let off = try await bluejay.setPowered(false)
        let on = try await bluejay.setPowered(true)
        await stage.onLoop { _ in }
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == .changed(on, from: off))
    }
}
