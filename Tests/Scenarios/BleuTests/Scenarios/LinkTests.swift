import Bleu
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import BusTrace
import Distributed
import Foundation
import Synchronization
import Testing

/// Tests `PeripheralConnection`.
@Suite("Links of a system")
struct LinkTests {
    @Test("No link exists before the first call, and a single link serves eleven calls")
    func lazyLink() async throws {
        try await BleuStage.play { stage in
            let recorder = try await BusRecorder.start(busAddress: stage.world.busAddress)
            let (_, proxy) = try await stage.connectedSensor()
            let system = proxy.actorSystem
            let same = try await system.connect(to: proxy.id, as: RoomSensor.self)
            try await stage.wait(.seconds(30))
            let before = await recorder.stop()
            #expect(Self.connects(before) == 0)
            #expect(await system.isConnected(proxy.id) == false)

            let second = try await BusRecorder.start(busAddress: stage.world.busAddress)
            for _ in 0..<5 { _ = try await proxy.readTemperature() }
            for _ in 0..<6 { _ = try await same.reading(unit: "K") }
            #expect(Self.connects(await second.stop()) == 1)
            #expect(await system.isConnected(proxy.id))
        }
    }

    private static func connects(_ messages: [RecordedMessage]) -> Int {
        messages.count { $0.kind == .call && $0.member == "Connect" }
    }

    @Test("A call that may have run fails when the link is lost, and the next call reconnects")
    func lostInMidCall() async throws {
        try await BleuStage.play { stage in
            let (parts, proxy) = try await stage.connectedSensor()
            let call = stage.start { try await proxy.waitAndEcho("") }
            try await stage.wait(.seconds(1))
            let next = stage.start { try await proxy.readTemperature() }
            try await stage.wait(.milliseconds(100))
            try await stage.loseLink()
            await #expect(throws: BleuError.self) { try await call.value }
            #expect(try await next.value == 21.5)
            parts.door.open()
            #expect(try await proxy.numberOfCalls() == 2, "no call ran twice")
        }
    }

    @Test("A lost link reconnects without a call")
    func reconnection() async throws {
        try await BleuStage.play { stage in
            let (_, proxy) = try await stage.connectedSensor()
            let states = StateLog(proxy.actorSystem.connectionStates(of: proxy.id), in: stage)
            _ = try await proxy.readTemperature()
            try await stage.loseLink()
            try await stage.wait(.seconds(10))
            #expect(
                states.all == [.disconnected, .connecting, .connected, .connecting, .connected]
            )
            try await proxy.actorSystem.disconnect(from: proxy.id)
            #expect(await proxy.actorSystem.isConnected(proxy.id) == false)
            try await stage.wait(.seconds(10))
            #expect(states.all.suffix(2) == [.disconnecting, .disconnected])
            #expect(try await proxy.readTemperature() == 21.5)
        }
    }

    @Test("Five retries fail after 31 s of delays with the error of the last attempt")
    func unreachable() async throws {
        try await BleuStage.play { stage in
            let system = stage.system(1)
            let proxy = try await system.connect(to: adapterID(0), as: RoomSensor.self)
            do {
                _ = try await proxy.readTemperature()
                Issue.record("a peripheral that does not exist has answered")
            } catch BleuError.peripheralNotFound(let id) {
                #expect(id == adapterID(0))
            }
            await #expect(throws: BleuError.self) {
                try await system.connect(to: UUID(), as: RoomSensor.self)
            }
        }
    }

    @Test(
        "A type that the peripheral does not serve fails with its service UUID, and the link stays"
    )
    func otherType() async throws {
        try await BleuStage.play { stage in
            let (_, proxy) = try await stage.connectedSensor()
            let system = proxy.actorSystem
            let lamp = try await system.connect(to: proxy.id, as: RoomLamp.self)
            do {
                try await lamp.toggle()
                Issue.record("a service that does not exist was called")
            } catch BleuError.serviceNotFound(let id) {
                #expect(id == ServiceMapper.serviceUUID(for: RoomLamp.self))
            }
            #expect(await system.isConnected(proxy.id))
            #expect(try await proxy.readTemperature() == 21.5)
        }
    }

    @Test("A call without a reply times out, its late reply is ignored, and the next one works")
    func timeOut() async throws {
        try await BleuStage.play { stage in
            let (parts, proxy) = try await stage.connectedSensor()
            _ = try await proxy.readTemperature()
            do {
                _ = try await proxy.waitAndEcho("late")
                Issue.record("no time-out")
            } catch BleuError.connectionTimeout {}
            parts.door.open()
            #expect(try await proxy.reading(unit: "K").unit == "K")
            do {
                _ = try await proxy.waitForValue()
                Issue.record("no time-out of a read")
            } catch BleuError.connectionTimeout {}
            parts.door.open()
            #expect(try await proxy.readTemperature() == 21.5)
        }
    }

    @Test("A cancelled task leaves the queue or its call; the next call works")
    func cancellation() async throws {
        try await BleuStage.play { stage in
            let (parts, proxy) = try await stage.connectedSensor()
            let running = stage.start { try await proxy.waitAndEcho("") }
            try await stage.wait(.seconds(1))
            let waiting = stage.start { try await proxy.calibrate(offset: 3) }
            try await stage.wait(.milliseconds(100))
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
            parts.door.open()
            #expect(try await proxy.readTemperature() == 21.5)
        }
    }

    @Test(
        "While Bluetooth is off calls wait until their timeout, and resume when Bluetooth returns"
    )
    func bluetoothOff() async throws {
        try await BleuStage.play { stage in
            let (_, proxy) = try await stage.connectedSensor()
            _ = try await proxy.readTemperature()
            try stage.setPowered(false, 1)
            try await stage.wait(.seconds(1))
            let call = stage.start { try await proxy.readTemperature() }
            try await stage.wait(.seconds(5))
            try stage.setPowered(true, 1)
            #expect(try await call.value == 21.5)
            try stage.setPowered(false, 1)
            try await stage.wait(.seconds(1))
            do {
                _ = try await proxy.readTemperature()
                Issue.record("a call without Bluetooth has succeeded")
            } catch BleuError.bluetoothUnavailable {}
        }
    }

    @Test("After bluetoothd is killed, calls fail or wait until it restarts")
    func killed() async throws {
        try await BleuStage.play { stage in
            let (_, proxy) = try await stage.connectedSensor()
            _ = try await proxy.readTemperature()
            try stage.perform { $0.apply(.daemonKilled) }
            try await stage.wait(for: "loss") { await !proxy.actorSystem.isConnected(proxy.id) }
            let call = stage.start { try await proxy.readTemperature() }
            try await stage.wait(.seconds(2))
            try stage.perform { $0.apply(.daemonStarted) }
            #expect(try await call.value == 21.5)
        }
    }

    @Test("A link above the limit is refused, and an unused link makes room")
    func quota() async throws {
        try await BleuStage.play(adapters: 3) { stage in
            for number in [0, 2] {
                let system = stage.system(number)
                try await system.startAdvertising(RoomSensor(actorSystem: system))
            }
            var configuration = BleuConfiguration()
            configuration.maximumConnections = 1
            let system = stage.system(1, configuration)
            let second = try await system.connect(to: adapterID(2), as: RoomSensor.self)
            do {
                let first = try await system.connect(to: adapterID(0), as: RoomSensor.self)
                #expect(try await first.readTemperature() == 21.5)
                do {
                    _ = try await second.readTemperature()
                    Issue.record("two links")
                } catch BleuError.quotaExceeded {}
                _ = try await first.readTemperature()
            }
            #expect(try await second.readTemperature() == 21.5)
            #expect(await system.isConnected(adapterID(0)) == false)
        }
    }

    @Test(
        "Several peripherals are connected in parallel, in order, and none if one is missing"
    )
    func multiple() async throws {
        try await BleuStage.play(adapters: 4) { stage in
            for number in [0, 2] {
                let system = stage.system(number)
                try await system.startAdvertising(RoomSensor(actorSystem: system))
            }
            let system = stage.system(1)
            let ids = [adapterID(2), adapterID(0)]
            let sensors = try await system.connectMultiple(to: ids, as: RoomSensor.self)
            #expect(sensors.map(\.id) == ids)
            for id in ids { #expect(await system.isConnected(id)) }
            for id in ids { try await system.disconnect(from: id) }
            do {
                _ = try await system.connectMultiple(
                    to: ids + [adapterID(3)],
                    as: RoomSensor.self
                )
                Issue.record("a missing peripheral is connected")
            } catch BleuError.peripheralNotFound(let id) {
                #expect(id == adapterID(3))
            }
            for id in ids { #expect(await system.isConnected(id) == false) }
        }
    }

    @Test("A missing peripheral releases no link that another caller already uses")
    func multipleWithUser() async throws {
        try await BleuStage.play(adapters: 5) { stage in
            let parts = SensorParts()
            for number in [0, 2, 4] {
                let system = stage.system(number)
                try await system.startAdvertising(RoomSensor(parts, actorSystem: system))
            }
            let system = stage.system(1)
            let ids = [adapterID(0), adapterID(2), adapterID(3), adapterID(4)]
            let multiple = stage.start {
                _ = try await system.connectMultiple(to: ids, as: RoomSensor.self)
            }
            try await stage.wait(.seconds(2))
            // One stream without a proxy, and one proxy without a call.
            var stream = try await system.connect(to: adapterID(0), as: RoomSensor.self).ticks()
                .makeAsyncIterator()
            let proxy = try await system.connect(to: adapterID(2), as: RoomSensor.self)
            #expect(try await proxy.readTemperature() == 21.5)
            await #expect(throws: BleuError.self) { try await multiple.value }
            try await stage.wait(.seconds(5))
            #expect(await system.isConnected(adapterID(0)))
            #expect(await system.isConnected(adapterID(2)))
            #expect(await system.isConnected(adapterID(4)) == false)
            parts.ticker.send(7)
            #expect(await stream.next() == 7)
            #expect(try await proxy.readTemperature() == 21.5)
        }
    }

    @Test("The service of a released actor is removed, and its callers get serviceNotFound")
    func releasedActor() async throws {
        try await BleuStage.play { stage in
            let server = stage.system(0)
            var sensor: RoomSensor? = RoomSensor(actorSystem: server)
            if let sensor { try await server.startAdvertising(sensor) }
            let proxy = try await stage.system(1).connect(to: adapterID(0), as: RoomSensor.self)
            #expect(try await proxy.readTemperature() == 21.5)
            try await server.stopAdvertising()
            #expect(try await proxy.readTemperature() == 21.5)
            withExtendedLifetime(sensor) {}
            sensor = nil
            try await stage.wait(.seconds(3))
            for _ in 0..<2 {
                do {
                    _ = try await proxy.readTemperature()
                    Issue.record("the actor is still called")
                } catch BleuError.serviceNotFound {}
            }
            try await server.startAdvertising(RoomSensor(actorSystem: server))
            try await stage.wait(.seconds(3))
            #expect(try await proxy.readTemperature() == 21.5)
        }
    }

    @Test("A link that an earlier program left is used, and ends with a disconnect")
    func leftLink() async throws {
        try await BleuStage.play { stage in
            let server = stage.system(1)
            try await server.startAdvertising(RoomSensor(actorSystem: server))
            let system = stage.system(0)
            let proxy = try #require(try await system.discover(RoomSensor.self).first)
            try stage.perform { $0.apply(.otherProgramConnects("00:AA:01:01:00:01")) }
            try await stage.wait(.seconds(5))
            let recorder = try await BusRecorder.start(busAddress: stage.world.busAddress)
            #expect(try await proxy.readTemperature() == 21.5)
            try await system.disconnect(from: proxy.id)
            let messages = await recorder.stop()
            #expect(Self.connects(messages) == 0)
            #expect(messages.count { $0.kind == .call && $0.member == "Disconnect" } == 1)
        }
    }

    @Test("If two systems call each other, a disconnect keeps the link of the other one")
    func bothRoles() async throws {
        try await BleuStage.play { stage in
            let systems = [stage.system(0), stage.system(1)]
            for system in systems {
                try await system.startAdvertising(RoomSensor(actorSystem: system))
            }
            let second = try await systems[0].connect(to: adapterID(1), as: RoomSensor.self)
            #expect(try await second.readTemperature() == 21.5)
            let first = try await systems[1].connect(to: adapterID(0), as: RoomSensor.self)
            #expect(try await first.readTemperature() == 21.5)
            try await systems[1].disconnect(from: first.id)
            try await stage.wait(.seconds(5))
            #expect(await systems[0].isConnected(second.id))
            #expect(try await second.readTemperature() == 21.5)
        }
    }

    @Test("The links of a system end with it")
    func released() async throws {
        try await BleuStage.play { stage in
            let first = stage.system(0)
            try await first.startAdvertising(RoomSensor(actorSystem: first))
            let recorder = try await BusRecorder.start(busAddress: stage.world.busAddress)
            do {
                let system = stage.system(1)
                let proxy = try await system.connect(to: adapterID(0), as: RoomSensor.self)
                _ = try await proxy.readTemperature()
            }
            try await stage.wait(.seconds(5))
            let messages = await recorder.stop()
            #expect(messages.count { $0.kind == .call && $0.member == "Disconnect" } == 1)
        }
    }
}

distributed actor RoomLamp: PeripheralActor {
    typealias ActorSystem = BLEActorSystem

    distributed func toggle() async throws {}
}

final class StateLog: Swift.Sendable {
    private let stored = Mutex<[ConnectionState]>([])

    var all: [ConnectionState] { stored.withLock { $0 } }

    init(_ states: AsyncStream<ConnectionState>, in stage: BleuStage) {
        Task(executorPreference: ContextExecutor(stage.world.mainLoop.context)) { [weak self] in
            for await state in states { self?.stored.withLock { $0.append(state) } }
        }
    }
}
