import Bleu
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import BusTrace
import Distributed
import Foundation
import Synchronization
import TestTraits
import Testing

/// Tests `LocalCentralActor`.
@Suite("Several systems on one bus", .timeLimit(.minutes(15)))
struct SystemTests {
    @Test(
        "Each of two and four systems serves an actor and calls the one of the next system",
        arguments: kinds
    )
    func ring(kind: SimulatedBlueZVersion) async throws {
        for count in [2, 4] {
            try await BleuStage.play(kind, adapters: count) { stage in
                var nodes: [RoomNode] = []
                for number in 0..<count {
                    let node = RoomNode(number, of: count, actorSystem: stage.system(number))
                    try await node.actorSystem.startAdvertising(node)
                    nodes.append(node)
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (number, node) in nodes.enumerated() {
                        group.addTask {
                            let next = (number + 1) % count
                            #expect(try await node.next().number() == next)
                            let sum = try await node.next().sum(upTo: 9)
                            #expect(sum == 45 + next)
                        }
                    }
                    try await group.waitForAll()
                }
                let path = try await nodes[0].pass([], steps: count == 2 ? 1 : 3)
                #expect(path == Array(0...(count == 2 ? 1 : 3)))
            }
        }
    }

    @Test("The release of a system ends its streams, and a new system on its adapter can be called")
    func released() async throws {
        try await BleuStage.play { stage in
            let client = stage.system(1)
            let proxy = try await client.connect(to: adapterID(0), as: RoomSensor.self)
            for _ in 0..<3 {
                let parts = SensorParts()
                var server: BLEActorSystem? = stage.system(0)
                weak let reference = server
                if let server {
                    try await server.startAdvertising(RoomSensor(parts, actorSystem: server))
                }
                try await stage.wait(.seconds(3))
                let failing = stage.start {
                    for try await _ in try await proxy.failingTicks() {}
                }
                try await stage.wait(.seconds(3))
                #expect(try await proxy.readTemperature() == 21.5)
                try await server?.stopAdvertising()
                server = nil
                try await stage.wait(.seconds(3))
                #expect(reference == nil)
                #expect(parts.ticker.ended.value == 1)
                await #expect(throws: BleuError.self) { try await failing.value }
            }
        }
    }

    @Test("The release of a system ends a running call within its timeout")
    func releasedInMidCall() async throws {
        try await BleuStage.play(mtu: 23) { stage in
            let client = stage.system(1)
            let proxy = try await client.connect(to: adapterID(0), as: RoomSensor.self)
            let data = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 4) })
            for pause in [1, 5, 20, 100, 500] {
                var server: BLEActorSystem? = stage.system(0)
                if let server { try await server.startAdvertising(RoomSensor(actorSystem: server)) }
                try await stage.wait(.seconds(3))
                #expect(try await proxy.readTemperature() == 21.5, "\(pause) ms")
                let call = stage.start { try await proxy.echo(data) }
                try await stage.wait(.milliseconds(pause))
                try await server?.stopAdvertising()
                server = nil
                let start = stage.world.clock.now
                do {
                    #expect(try await call.value == data)
                } catch is BleuError {}
                #expect(start.duration(to: stage.world.clock.now) < .seconds(45))
            }
        }
    }

    @Test(
        "Unplugging either adapter ends calls and streams, which work again afterwards",
        arguments: [0, 1]
    )
    func unplugged(adapter: Int) async throws {
        try await BleuStage.play { stage in
            let (parts, proxy) = try await stage.connectedSensor()
            _ = try await proxy.readTemperature()
            let failing = stage.start { for try await _ in try await proxy.failingTicks() {} }
            try await stage.wait(.seconds(1))
            let call = stage.start { try await proxy.waitAndEcho("") }
            try await stage.wait(.seconds(1))
            try stage.perform { $0.apply(.adapterUnplugged(adapter)) }
            await #expect(throws: BleuError.self) { try await call.value }
            await #expect(throws: BleuError.self) { try await failing.value }
            try await stage.wait(.seconds(2))
            #expect(parts.ticker.ended.value == 1)
            parts.door.open()
            try stage.perform { $0.apply(.adapterPlugged(adapter)) }
            try await stage.wait(.seconds(20))
            #expect(try await proxy.numberOfCalls() == 2)
        }
    }

    @Test(
        "A killed bluetoothd ends calls and streams, which work again afterwards",
        arguments: kinds
    )
    func killed(kind: SimulatedBlueZVersion) async throws {
        try await BleuStage.play(kind) { stage in
            let (parts, proxy) = try await stage.connectedSensor()
            _ = try await proxy.readTemperature()
            let failing = stage.start { for try await _ in try await proxy.failingTicks() {} }
            let call = stage.start { try await proxy.waitAndEcho("") }
            try await stage.wait(.seconds(2))
            parts.ticker.send(1)
            try stage.perform { $0.apply(.daemonKilled) }
            await #expect(throws: BleuError.self) { try await call.value }
            await #expect(throws: BleuError.self) { try await failing.value }
            try await stage.wait(.seconds(1))
            #expect(parts.ticker.ended.value == 1)
            parts.door.open()
            try stage.perform { $0.apply(.daemonStarted) }
            try await stage.wait(.seconds(5))
            var received: [Int] = []
            for await number in try await proxy.count(to: 3) { received.append(number) }
            #expect(received == [1, 2, 3])
        }
    }

    @Test("An update of the advertisement keeps an open stream")
    func update() async throws {
        try await BleuStage.play { stage in
            let parts = SensorParts()
            let server = stage.system(0)
            try await server.startAdvertising(RoomSensor(parts, actorSystem: server))
            let client = stage.system(1)
            let proxy = try await client.connect(to: adapterID(0), as: RoomSensor.self)
            var iterator = try await proxy.ticks().makeAsyncIterator()
            for number in 0..<4 {
                try await server.updateAdvertisement(AdvertisementData(localName: "\(number)"))
                parts.ticker.send(number)
                #expect(await iterator.next() == number)
            }
            #expect(parts.ticker.ended.value == 0)
        }
    }
}

@Suite("Discovery", .timeLimit(.minutes(15)))
struct DiscoveryTests {
    @Test("A discovery without results returns an empty array at its timeout")
    func none() async throws {
        try await BleuStage.play { stage in
            let clock = stage.world.clock
            let start = clock.now
            let found = try await stage.system(1).discover(RoomSensor.self)
            #expect(found.isEmpty)
            let time = start.duration(to: clock.now)
            #expect(time >= .seconds(10) && time < .seconds(11), "\(time)")
        }
    }

    @Test(
        "A discovery ends 2 s after the last new peripheral, without a connection",
        arguments: kinds
    )
    func quietTime(kind: SimulatedBlueZVersion) async throws {
        try await BleuStage.play(kind, adapters: 3) { stage in
            let recorder = try await BusRecorder.start(busAddress: stage.world.busAddress)
            let clock = stage.world.clock
            let first = stage.system(0)
            try await first.startAdvertising(RoomSensor(actorSystem: first))
            let start = clock.now
            let discovery = stage.start { try await stage.system(1).discover(RoomSensor.self) }
            try await stage.wait(.milliseconds(1500))
            let second = stage.system(2)
            try await second.startAdvertising(RoomSensor(actorSystem: second))
            let found = try await discovery.value
            let time = start.duration(to: clock.now)
            #expect(found.map(\.id) == [adapterID(0), adapterID(2)])
            #expect(time >= .milliseconds(3500) && time < .seconds(6), "\(time)")
            let messages = await recorder.stop()
            #expect(!messages.contains { $0.kind == .call && $0.member == "Connect" })
        }
    }

    @Test("Without Bluetooth, a discovery and a start of advertising fail")
    func off() async throws {
        try await BleuStage.play { stage in
            try stage.setPowered(false, 0)
            try await stage.wait(.seconds(1))
            let system = stage.system(0)
            let sensor = RoomSensor(actorSystem: system)
            do {
                _ = try await system.discover(RoomSensor.self)
                Issue.record("a discovery without Bluetooth has ended")
            } catch BleuError.bluetoothUnavailable {}
            do {
                try await system.startAdvertising(sensor)
                Issue.record("an advertisement without Bluetooth has started")
            } catch BleuError.bluetoothUnavailable {}
            try stage.setPowered(true, 0)
            try await stage.wait(.seconds(1))
            #expect(try await system.discover(RoomSensor.self).isEmpty)
            try await system.startAdvertising(sensor)
        }
    }
}

@Suite("A bus that denies access to Bluetooth", .timeLimit(.minutes(15)))
struct UnauthorizedTests {
    private static func refuse(_ member: String, _ stage: BleuStage) throws {
        let name = "org.freedesktop.DBus.Error.AccessDenied"
        try stage.perform { $0.apply(.callsRefused(member, name: name, text: "no")) }
    }

    private static func expectUnauthorized(
        _ what: String,
        _ call: () async throws -> Void
    ) async throws {
        do {
            try await call()
            Issue.record("\(what) has succeeded")
        } catch BleuError.bluetoothUnauthorized {}
    }

    @Test(
        "A denied discovery, advertisement or connection is reported as a missing permission",
        .pitfall(.permissions)
    )
    func refused() async throws {
        try await BleuStage.play { stage in
            let (_, proxy) = try await stage.connectedSensor()
            try Self.refuse("StartDiscovery", stage)
            try Self.refuse("RegisterAdvertisement", stage)
            try Self.refuse("Connect", stage)
            try await Self.expectUnauthorized("a discovery") {
                _ = try await stage.system(1).discover(RoomSensor.self)
            }
            try await Self.expectUnauthorized("an advertisement") {
                let system = stage.system(1)
                try await system.startAdvertising(RoomLamp(actorSystem: system))
            }
            try await Self.expectUnauthorized("a read") { _ = try await proxy.readTemperature() }
            try await Self.expectUnauthorized("a call") { _ = try await proxy.reading(unit: "") }
        }
    }

    @Test("A denied read or write is reported as a missing permission, and the link stays")
    func refusedCalls() async throws {
        try await BleuStage.play { stage in
            let (_, proxy) = try await stage.connectedSensor()
            _ = try await proxy.reading(unit: "K")
            try Self.refuse("ReadValue", stage)
            try Self.refuse("WriteValue", stage)
            try await Self.expectUnauthorized("a read") { _ = try await proxy.readTemperature() }
            try await Self.expectUnauthorized("a call") { _ = try await proxy.reading(unit: "K") }
            #expect(await proxy.actorSystem.isConnected(proxy.id))
        }
    }
}

@Suite("Cancelled tasks", .timeLimit(.minutes(15)))
struct CancellationTests {
    private static let pauses = [0, 1, 3, 10, 30, 60, 100, 150, 200, 300, 500, 1000]

    @Test("A call cancelled at any time leaves a working connection")
    func calls() async throws {
        try await BleuStage.play(mtu: 23) { stage in
            let (parts, proxy) = try await stage.connectedSensor()
            let data = Data(repeating: 7, count: 900)
            let forms: [@Sendable (RoomSensor) async throws -> Void] = [
                { _ = try await $0.waitForValue() }, { _ = try await $0.longText() },
                { _ = try await $0.waitAndEcho("") }, { _ = try await $0.echo(data) },
                { for await _ in try await $0.ticks() {} },
                { _ = try await $0.failKnown() },
            ]
            for pause in Self.pauses {
                for (number, form) in forms.enumerated() {
                    let task = stage.start { try await form(proxy) }
                    try await stage.wait(.milliseconds(pause))
                    task.cancel()
                    try await stage.wait(.milliseconds(10))
                    // A call that has already ended keeps its result.
                    _ = await task.result
                    parts.door.open()
                    #expect(try await proxy.echo(data) == data, "form \(number), \(pause) ms")
                }
                if pause > 100 { try await proxy.actorSystem.disconnect(from: proxy.id) }
            }
        }
    }

    @Test("A cancelled discovery or connection to several peripherals throws at once")
    func connections() async throws {
        try await BleuStage.play(adapters: 3) { stage in
            let server = stage.system(0)
            try await server.startAdvertising(RoomSensor(actorSystem: server))
            let system = stage.system(1)
            for pause in Self.pauses {
                let discovery = stage.start { try await system.discover(RoomLamp.self) }
                let ids = [adapterID(0), adapterID(2)]
                let connection = stage.start {
                    try await system.connectMultiple(to: ids, as: RoomSensor.self)
                }
                try await stage.wait(.milliseconds(pause))
                let start = stage.world.clock.now
                discovery.cancel()
                connection.cancel()
                await #expect(throws: CancellationError.self) { try await discovery.value }
                await #expect(throws: CancellationError.self) { try await connection.value }
                #expect(start.duration(to: stage.world.clock.now) < .seconds(3))
                #expect(await system.isConnected(adapterID(0)) == false, "\(pause) ms")
            }
            let proxy = try await system.connect(to: adapterID(0), as: RoomSensor.self)
            #expect(try await proxy.readTemperature() == 21.5)
        }
    }

    @Test("A task cancelled before the call makes no call")
    func before() async throws {
        try await BleuStage.play { stage in
            let (_, proxy) = try await stage.connectedSensor()
            let task = stage.start {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                _ = try await proxy.longText()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await proxy.numberOfCalls() == 0)
        }
    }
}

distributed actor RoomNode: PeripheralActor {
    typealias ActorSystem = BLEActorSystem

    private let place: Int
    private let count: Int

    init(_ place: Int, of count: Int, actorSystem: BLEActorSystem) {
        self.place = place
        self.count = count
        self.actorSystem = actorSystem
    }

    nonisolated func next() async throws -> RoomNode {
        let place = try await number()
        let count = try await numberOfNodes()
        return try await actorSystem.connect(to: adapterID((place + 1) % count), as: RoomNode.self)
    }

    distributed func number() async throws -> Int { place }
    distributed func numberOfNodes() async throws -> Int { count }

    distributed func sum(upTo last: Int) async throws -> Int { (0...last).reduce(place, +) }

    /// Collects the numbers of this node and of the nodes that it calls.
    distributed func pass(_ path: [Int], steps: Int) async throws -> [Int] {
        guard steps > 0 else { return path + [place] }
        return try await next().pass(path + [place], steps: steps - 1)
    }
}
