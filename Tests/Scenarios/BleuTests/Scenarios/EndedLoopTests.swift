import Bleu
import BluejayCore
import BluejayGLib
import BluejaySimulator
import Foundation
import Testing

@Suite("A system whose loop stops", .timeLimit(.minutes(15)))
struct EndedLoopTests {
    /// A simulated BlueZ in real time, and a system on each of two loops with their own threads.
    private struct Pair {
        let blueZ: SimulatedSystem
        let server: BLEActorSystem
        let client: BLEActorSystem

        init() async throws {
            var options = SimulatorOptions()
            options.controller = .extended
            options.adapters = 2
            blueZ = try await SimulatedSystem.start(options)
            server = Self.system(0, blueZ.busAddress)
            client = Self.system(1, blueZ.busAddress)
        }

        private static func system(_ number: Int, _ busAddress: String) -> BLEActorSystem {
            BLEActorSystem(
                host: BluetoothHost(
                    mainLoop: MainLoop(threadName: "system \(number)"),
                    adapter: "hci\(number)",
                    busAddress: busAddress
                )
            )
        }

        func connected(_ parts: SensorParts = SensorParts()) async throws -> RoomSensor {
            try await server.startAdvertising(RoomSensor(parts, actorSystem: server))
            let proxy = try await client.connect(to: adapterID(0), as: RoomSensor.self)
            #expect(try await proxy.readTemperature() == 21.5)
            return proxy
        }
    }

    private static func expectUnavailable(_ call: () async throws -> Void) async {
        do {
            try await call()
            Issue.record("the call has succeeded")
        } catch BleuError.bluetoothUnavailable, BleuError.connectionFailed {
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("The end of the loop ends the calls, streams, states and links of a caller")
    func central() async throws {
        let pair = try await Pair()
        let proxy = try await pair.connected()
        let client = pair.client
        var states = client.connectionStates(of: proxy.id).makeAsyncIterator()
        #expect(await states.next() == .connected)
        let ticks = try await proxy.failingTicks()
        let elements = Task { for try await _ in ticks {} }
        let call = Task { _ = try await proxy.waitAndEcho("") }
        let discovery = Task { _ = try await client.discover(RoomLamp.self, timeout: 1_000) }
        let absent = Task {
            let lamp = try await client.connect(to: adapterID(9), as: RoomLamp.self)
            try await lamp.toggle()
        }
        try await Task.sleep(for: .milliseconds(500))
        client.host.mainLoop.stop()
        await Self.expectUnavailable { try await elements.value }
        await Self.expectUnavailable { try await call.value }
        await Self.expectUnavailable { try await discovery.value }
        await Self.expectUnavailable { try await absent.value }
        var last: ConnectionState?
        while let state = await states.next() { last = state }
        #expect(last == .disconnected)
        #expect(await client.isConnected(proxy.id) == false)
        await Self.expectLater(client)
    }

    /// Everything that begins after the stop ends at once.
    private static func expectLater(_ system: BLEActorSystem) async {
        await expectUnavailable { _ = try await system.discover(RoomLamp.self) }
        await expectUnavailable {
            let proxy = try await system.connect(to: adapterID(0), as: RoomSensor.self)
            _ = try await proxy.readTemperature()
        }
        await expectUnavailable {
            _ = try await system.connectMultiple(to: [adapterID(0)], as: RoomSensor.self)
        }
        await expectUnavailable {
            try await system.startAdvertising(RoomSensor(actorSystem: system))
        }
        await #expect(throws: BleuRegistrationError.notAdvertising) {
            try await system.updateAdvertisement(AdvertisementData())
        }
        #expect(await system.isConnected(adapterID(0)) == false)
        var states = system.connectionStates(of: adapterID(0)).makeAsyncIterator()
        #expect(await states.next() == .disconnected)
        #expect(await states.next() == nil)
        try? await system.disconnect(from: adapterID(0))
        try? await system.stopAdvertising()
    }

    @Test("The end of the loop removes the actors, and cancels their methods and producers")
    func peripheral() async throws {
        let pair = try await Pair()
        let parts = SensorParts()
        let proxy = try await pair.connected(parts)
        let ticks = try await proxy.failingTicks()
        let elements = Task { for try await _ in ticks {} }
        try await Task.sleep(for: .milliseconds(200))
        pair.server.host.mainLoop.stop()
        while parts.ticker.ended.value == 0 { try await Task.sleep(for: .milliseconds(20)) }
        await Self.expectUnavailable { try await elements.value }
        while !pair.server.host.mainLoop.context.hasEnded { await Task.yield() }
        // The last report of the client's adapter may be older than the end.
        try await Task.sleep(for: .milliseconds(200))
        #expect(try await pair.client.discover(RoomSensor.self, timeout: 1).isEmpty)
        await Self.expectLater(pair.server)
    }

    @Test("A start of advertising without a reply of bluetoothd ends with the loop")
    func startAdvertising() async throws {
        let pair = try await Pair()
        let server = pair.server
        await pair.blueZ.perform { $0.apply(.daemonFrozen(for: .seconds(10_000))) }
        let first = Task { try await server.startAdvertising(RoomSensor(actorSystem: server)) }
        let second = Task { try await server.startAdvertising(RoomLamp(actorSystem: server)) }
        try await Task.sleep(for: .milliseconds(300))
        server.host.mainLoop.stop()
        await Self.expectUnavailable { try await first.value }
        await Self.expectUnavailable { try await second.value }
    }

    @Test("A system whose loop stopped before its first use fails at once")
    func unused() async throws {
        let pair = try await Pair()
        pair.client.host.mainLoop.stop()
        while !pair.client.host.mainLoop.context.hasEnded { await Task.yield() }
        await Self.expectLater(pair.client)
    }
}
