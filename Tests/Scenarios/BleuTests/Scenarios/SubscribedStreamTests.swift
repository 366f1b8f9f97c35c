import BleuEncryption
import Bluejay
import BluejayAsync
import BluejayCore
import BluejaySimulator
import BluejayTesting
import Distributed
import Foundation
import Testing

@testable import Bleu

@Suite("Streams that a subscription starts", .timeLimit(.minutes(15)))
struct SubscribedStreamTests {
    private static func uuid(_ method: String) -> String {
        ServiceMapper.characteristicUUID(for: method, in: RoomSensor.self).uuidString
    }

    private static func serve(
        _ stage: BleuStage,
        _ configuration: BleuConfiguration = BleuConfiguration()
    ) async throws -> SensorParts {
        let (parts, system) = (SensorParts(), stage.system(0, configuration))
        try await system.startAdvertising(RoomSensor(parts, actorSystem: system))
        return parts
    }

    private static func central(
        _ stage: BleuStage,
        mtu: Int = 517,
        subscribedTo method: String
    ) async throws -> TestCentral {
        let central = try stage.world.addCentral(mtu: mtu)
        try await central.connect(toAdapter: 0)
        try await central.subscribe(to: uuid(method))
        return central
    }

    private static func texts(_ values: [[UInt8]]) -> [String] {
        values.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("Any central receives the elements as plain JSON", arguments: kinds)
    func bluejay(kind: SimulatedBlueZVersion) async throws {
        try await BleuStage.play(kind, adapters: 3) { stage in
            let parts = try await Self.serve(stage)
            let bluejay = stage.world.makeBluejay(adapter: "hci1")
            await bluejay.start()
            let service = ServiceIdentifier(
                uuid: BluetoothUUID(ServiceMapper.serviceUUID(for: RoomSensor.self))
            )
            let ticks = CharacteristicIdentifier(
                uuid: BluetoothUUID(string: Self.uuid("ticks")),
                service: service
            )
            _ = try await bluejay.connect(toFirst: .anyService([service]))
            let reader = stage.start {
                var received: [String] = []
                // Before 5.76, frames for other centrals arrive, too.
                for try await value in bluejay.values(of: ticks) where value[0] >= 0x20 {
                    received.append(String(decoding: value, as: UTF8.self))
                    if received.count == 40 { break }
                }
                return received
            }
            try await stage.wait(.seconds(5))
            try #require(parts.ticker.readers == 1)
            // A caller beside it receives its own stream.
            let proxy = try await stage.system(2).connect(to: adapterID(0), as: RoomSensor.self)
            var iterator = try await proxy.ticks().makeAsyncIterator()
            #expect(parts.ticker.readers == 2)
            for number in 1...40 {
                parts.ticker.send(number)
                #expect(await iterator.next() == number)
            }
            #expect(try await reader.value == (1...40).map { "\($0)" })
            // Before 5.70, an unsubscription is reported only if no other subscriber remains.
            if kind == .v5_66 { try await bluejay.disconnect() }
            // While another central is subscribed, the socket may have closed by mistake for 5 s.
            try await stage.wait(.seconds(6))
            #expect(parts.ticker.ended.value == 1)
            parts.ticker.send(41)
            #expect(await iterator.next() == 41)
        }
    }

    @Test("The producer ends within a second of the subscription, or of the link", arguments: kinds)
    func ended(kind: SimulatedBlueZVersion) async throws {
        try await BleuStage.play(kind) { stage in
            let parts = try await Self.serve(stage)
            let ends: [CentralStep] = [.unsubscribe(Self.uuid("ticks")), .loseLink, .disconnect]
            for (number, end) in ends.enumerated() {
                let central = try await Self.central(stage, subscribedTo: "ticks")
                try await stage.wait(.milliseconds(500))
                parts.ticker.send(number)
                let received = try await central.next(of: Self.uuid("ticks"))
                #expect(Self.texts(received) == ["\(number)"])
                #expect(parts.ticker.ended.value == number)
                try await central.play([end]).check()
                try await stage.wait(.seconds(1))
                #expect(parts.ticker.ended.value == number + 1)
                try await central.leave()
            }
        }
    }

    @Test("The subscription of a caller starts no additional stream", arguments: kinds)
    func callers(kind: SimulatedBlueZVersion) async throws {
        try await BleuStage.play(kind) { stage in
            let (parts, proxy) = try await stage.connectedSensor()
            for round in 1...3 {
                // A frame without response precedes the subscription.
                if round == 2 { try await proxy.note("a") }
                var iterator = try await proxy.ticks().makeAsyncIterator()
                try await stage.wait(.seconds(1))
                #expect(parts.ticker.readers == round)
                parts.ticker.send(round)
                #expect(await iterator.next() == round)
                try await stage.loseLink()
            }
        }
    }

    @Test("A frame of a subscriber ends its streams, and its call may return the same stream")
    func frames() async throws {
        try await BleuStage.play { stage in
            let (system, source) = (stage.system(0), UpdateSource())
            try await system.startAdvertising(StoredUpdates(source, actorSystem: system))
            let central = try stage.world.addCentral()
            try await central.connect(toAdapter: 0)
            for method in ["updates", "plainUpdates", "unfoldingUpdates"] {
                let uuid = ServiceMapper.characteristicUUID(for: method, in: StoredUpdates.self)
                try await central.subscribe(to: uuid.uuidString)
                try await stage.wait(.seconds(1))
                let call = Message(kind: .call, session: 7, call: 1, body: Data("[]".utf8))
                let replies = try await Self.replies(to: call, uuid.uuidString, central)
                #expect(replies == [.stream, .end], "\(method)")
                try await central.leave()
                try await central.connect(toAdapter: 0)
            }
        }
    }

    @Test("The call of a subscriber waits until the producer of its subscription has ended")
    func slowProducer() async throws {
        try await BleuStage.play { stage in
            let (system, door) = (stage.system(0), Door())
            try await system.startAdvertising(PlainStreams(door, actorSystem: system))
            let central = try stage.world.addCentral()
            try await central.connect(toAdapter: 0)
            let uuid = ServiceMapper.characteristicUUID(for: "held", in: PlainStreams.self)
            try await central.subscribe(to: uuid.uuidString)
            try await stage.wait(for: "producer") { door.count == 1 }
            let call = Message(kind: .call, session: 7, call: 1, body: Data("[]".utf8))
            let opening = stage.start {
                try await stage.wait(.seconds(2))
                let early = central.values(of: uuid.uuidString).count
                door.open()
                return early
            }
            let replies = try await Self.replies(to: call, uuid.uuidString, central)
            #expect(try await opening.value == 0)
            #expect(replies == [.stream, .end])
        }
    }

    /// Writes a message and returns the kinds of the two messages that follow.
    private static func replies(
        to message: Message,
        _ characteristic: String,
        _ central: TestCentral
    ) async throws -> [FrameKind] {
        var transport = BLETransport(receiving: .fromPeripheral)
        for frame in try transport.frames(of: message, frameSize: 100) {
            try await central.write([UInt8](frame), to: characteristic)
        }
        return try await central.next(2, of: characteristic).compactMap { frame in
            guard case .message(let reply) = transport.receive(Data(frame), now: .zero) else {
                return nil
            }
            return reply.kind
        }
    }

    @Test("70 consecutive subscriptions leave no producer, and the next one has a stream")
    func many() async throws {
        try await BleuStage.play { stage in
            let parts = try await Self.serve(stage)
            let central = try await Self.central(stage, subscribedTo: "ticks")
            for pause in [0, 50, 1_000] {
                for _ in 0..<70 {
                    try await stage.wait(.milliseconds(pause))
                    try await central.unsubscribe(from: Self.uuid("ticks"))
                    try await central.subscribe(to: Self.uuid("ticks"))
                }
                try await stage.wait(.seconds(1))
                #expect(parts.ticker.readers == parts.ticker.ended.value + 1)
                parts.ticker.send(pause)
                let received = try await central.next(of: Self.uuid("ticks"))
                #expect(Self.texts(received) == ["\(pause)"])
            }
        }
    }

    @Test("Producers that ignore their end count against the limit of a central")
    func heldProducers() async throws {
        try await BleuStage.play { stage in
            var configuration = BleuConfiguration()
            configuration.maximumQueuedCalls = 8
            let parts = try await Self.serve(stage, configuration)
            let central = try await Self.central(stage, subscribedTo: "heldStream")
            for _ in 0..<70 {
                try await stage.wait(.seconds(1))
                try await central.unsubscribe(from: Self.uuid("heldStream"))
                try await stage.wait(.seconds(1))
                try await central.subscribe(to: Self.uuid("heldStream"))
            }
            #expect((1...9).contains(parts.door.count))
            parts.door.open()
            try await stage.wait(for: "end of the producers") {
                if parts.door.count > 0 { parts.door.open() }
                return parts.door.count == 0
            }
            try await central.leave()
            try await central.connect(toAdapter: 0)
            try await central.subscribe(to: Self.uuid("ticks"))
            try await stage.wait(.seconds(1))
            #expect(parts.ticker.readers == 1)
        }
    }

    @Test("Producers that never wait send at most 32 elements in 100 ms")
    func endless() async throws {
        try await BleuStage.play { stage in
            let parts = try await Self.serve(stage)
            _ = try await Self.central(stage, subscribedTo: "endless")
            try await stage.wait(.seconds(1))
            #expect((32...400).contains(parts.produced.value))
        }
    }

    @Test("An element longer than a notification is omitted", arguments: kinds)
    func longElements(kind: SimulatedBlueZVersion) async throws {
        try await BleuStage.play(kind) { stage in
            let system = stage.system(0)
            try await system.startAdvertising(PlainStreams(actorSystem: system))
            for (mtu, lengths) in [(23, [18]), (100, [18, 19]), (517, [18, 19, 510])] {
                let uuid = ServiceMapper.characteristicUUID(for: "texts", in: PlainStreams.self)
                let central = try stage.world.addCentral(mtu: mtu)
                try await central.connect(toAdapter: 0)
                try await central.subscribe(to: uuid.uuidString)
                try await stage.wait(.seconds(2))
                let received = central.values(of: uuid.uuidString)
                #expect(received.map(\.count) == lengths.map { $0 + 2 }, "\(mtu)")
                try await central.leave()
            }
        }
    }

    @Test("An error of the method, or of its stream, ends the stream silently")
    func errors() async throws {
        try await BleuStage.play { stage in
            let system = stage.system(0)
            try await system.startAdvertising(PlainStreams(actorSystem: system))
            let central = try stage.world.addCentral()
            try await central.connect(toAdapter: 0)
            for (method, texts) in [("failing", ["1"]), ("refused", [])] {
                let uuid = ServiceMapper.characteristicUUID(for: method, in: PlainStreams.self)
                try await central.subscribe(to: uuid.uuidString)
                try await stage.wait(.seconds(2))
                #expect(Self.texts(central.values(of: uuid.uuidString)) == texts)
            }
        }
    }

    @Test("With aesGCM, a subscription starts no stream")
    func encrypted() async throws {
        try await BleuStage.play { stage in
            var configuration = BleuConfiguration()
            configuration.encryption = .aesGCM
            configuration.sessionCipher = AESGCMSessions()
            let parts = try await Self.serve(stage, configuration)
            _ = try await Self.central(stage, subscribedTo: "ticks")
            try await stage.wait(.seconds(1))
            #expect(parts.ticker.readers == 0)
        }
    }

    @Test("A central does not mistake JSON for a frame")
    func json() {
        for text in [
            "[1,2,3,4,5]", "{\"a\": 12}", "\"abcdefgh\"", "123456789", "-1.25e300", "null",
        ] {
            let bytes = Data(text.utf8)
            var transport = BLETransport(receiving: .fromPeripheral)
            // The session that these bytes would have.
            transport.session = bytes.littleEndian(UInt16.self, at: 1)
            let outcome = transport.receive(bytes, now: .zero)
            if case .damaged(nil, nil) = outcome { continue }
            #expect(outcome == .ignored, "\(text)")
        }
    }
}

distributed actor PlainStreams: PeripheralActor {
    typealias ActorSystem = BLEActorSystem

    private let stored: AsyncStream<Int>

    init(_ door: Door = Door(), actorSystem: BLEActorSystem) {
        self.actorSystem = actorSystem
        stored = AsyncStream {
            await door.wait()
            return nil
        }
    }

    distributed func held() -> AsyncStream<Int> { stored }
    distributed func texts() -> AsyncStream<String> {
        AsyncStream { continuation in
            for length in [18, 19, 510, 511, 600] {
                continuation.yield(String(repeating: "x", count: length))
            }
        }
    }
    distributed func failing() -> AsyncThrowingStream<Int, any Error> {
        AsyncThrowingStream { continuation in
            continuation.yield(1)
            continuation.finish(throwing: SensorError(code: 1))
        }
    }
    distributed func refused() throws -> AsyncStream<Int> { throw SensorError(code: 1) }
}
