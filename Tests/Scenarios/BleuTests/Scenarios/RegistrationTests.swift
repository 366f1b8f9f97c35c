import BluejaySimulator
import Distributed
import Foundation
import Testing

@testable import Bleu

@Suite("Types of actors", .timeLimit(.minutes(15)))
struct RegistrationTests {
    @Test("The methods of a registered type are called by frames only", arguments: kinds)
    func registered(kind: SimulatedBlueZVersion) async throws {
        try await BleuStage.play(kind) { stage in
            let methods = [
                "calibrate", "count", "failKnown", "longText", "note", "allLines",
                "readTemperature", "reading",
            ]
            // Simulates a server that could not list the methods.
            let server = stage.system(0)
            let description = PeripheralDescription(
                typeName: "RoomSensor",
                qualifiedName: "BleuTests.RoomSensor",
                service: ServiceMapper.serviceUUID(for: RoomSensor.self),
                methods: methods.map { DistributedMethod(registered: $0, of: "RoomSensor") }
            )
            let sensor = RoomSensor(actorSystem: server)
            try await server.peripheral.startAdvertising(LocalActor(sensor, description))
            let client = stage.system(1)
            client.register(RoomSensor.self, methods: methods)
            let proxy = try await client.connect(to: adapterID(0), as: RoomSensor.self)
            #expect(try await proxy.readTemperature() == 21.5)
            try await proxy.calibrate(offset: 1)
            #expect(try await proxy.reading(unit: "K") == SensorReading(value: 22.5, unit: "K"))
            try await proxy.note("a")
            #expect(try await proxy.allLines() == ["a"])
            #expect(try await proxy.longText().count == 3000)
            await #expect(throws: RemoteFailure.self) { try await proxy.failKnown() }
            var received: [Int] = []
            for await number in try await proxy.count(to: 3) { received.append(number) }
            #expect(received == [1, 2, 3])
            do {
                _ = try await proxy.numberOfCalls()
                Issue.record("a method that is not registered was called")
            } catch BleuError.characteristicNotFound(let uuid) {
                let expected = ServiceMapper.characteristicUUID(
                    for: "numberOfCalls",
                    in: RoomSensor.self
                )
                #expect(uuid == expected)
            }
        }
    }

    @Test("Methods with unsupported streams are refused by name, and other streams are accepted")
    func misplacedStreams() async throws {
        try await BleuStage.play { stage in
            let system = stage.system(0)
            await #expect(
                throws: BleuRegistrationError.misplacedStreams(
                    type: "MisplacedRoom",
                    methods: [
                        "aliased", "inArray", "inStream", "inThrowingStream", "inValue", "optional",
                        "optionalThrowing", "parameter",
                    ]
                )
            ) { try await system.startAdvertising(MisplacedRoom(actorSystem: system)) }
            try await system.startAdvertising(RoomSensor(actorSystem: system))
        }
    }

    @Test(
        "Overloads, types with one name and generic types are refused, and a later start succeeds"
    )
    func refused() async throws {
        try await BleuStage.play { stage in
            let system = stage.system(0)
            await #expect(
                throws: BleuRegistrationError.overloadedMethods(
                    type: "OverloadedRoom",
                    methods: ["read"]
                )
            ) { try await system.startAdvertising(OverloadedRoom(actorSystem: system)) }
            do {
                try await system.startAdvertising(GenericRoom<Int>(actorSystem: system))
                Issue.record("a generic type is served")
            } catch BleuRegistrationError.genericType(let name) {
                #expect(name.contains("GenericRoom"))
            }
            do {
                try await system.startAdvertising(FirstHouse.Room(actorSystem: system))
                Issue.record("two types of one name are served")
            } catch BleuRegistrationError.sameName(let one, let other) {
                #expect(one.contains("FirstHouse") && other.contains("SecondHouse"))
            }
            try await system.startAdvertising(RoomLamp(actorSystem: system))
            let client = stage.system(1)
            let lamp = try await client.connect(to: adapterID(0), as: RoomLamp.self)
            try await lamp.toggle()
        }
    }

    @Test("A second actor of a type is refused; actors of several types are served together")
    func instances() async throws {
        try await BleuStage.play { stage in
            let system = stage.system(0)
            let sensor = RoomSensor(actorSystem: system)
            try await system.startAdvertising(sensor)
            try await system.startAdvertising(sensor)
            await #expect(throws: BleuRegistrationError.alreadyServed(type: "RoomSensor")) {
                try await system.startAdvertising(RoomSensor(actorSystem: system))
            }
            try await system.startAdvertising(RoomLamp(actorSystem: system))
            let client = stage.system(1)
            #expect(try await client.discover(RoomLamp.self).map(\.id) == [adapterID(0)])
            #expect(try await client.discover(RoomSensor.self).map(\.id) == [adapterID(0)])
            let proxy = try await client.connect(to: adapterID(0), as: RoomSensor.self)
            let lamp = try await client.connect(to: adapterID(0), as: RoomLamp.self)
            for _ in 0..<3 {
                try await lamp.toggle()
                #expect(try await proxy.readTemperature() == 21.5)
            }
            try await system.stopAdvertising()
            try await system.startAdvertising(RoomSensor(actorSystem: system))
            #expect(try await proxy.numberOfCalls() == 0)
        }
    }
}

distributed actor OverloadedRoom: PeripheralActor {
    typealias ActorSystem = BLEActorSystem

    distributed func read() async throws -> Int { 1 }
    distributed func read(_ number: Int) async throws -> Int { number }
}

distributed actor GenericRoom<Value: Codable & Swift.Sendable>: PeripheralActor {
    typealias ActorSystem = BLEActorSystem

    distributed func read() async throws -> Int { 1 }
}

enum FirstHouse {
    distributed actor Room: PeripheralActor {
        typealias ActorSystem = BLEActorSystem

        distributed func name() async throws -> String { "first" }
    }
}

enum SecondHouse {
    distributed actor Room: PeripheralActor {
        typealias ActorSystem = BLEActorSystem

        distributed func name() async throws -> String { "second" }
    }
}

struct StreamBox<Content: Codable & Swift.Sendable>: Codable, Swift.Sendable {
    var content: Content
}

distributed actor MisplacedRoom: PeripheralActor {
    typealias ActorSystem = BLEActorSystem
    typealias MaybeUpdates = AsyncStream<Int>?

    distributed func optional() async throws -> AsyncStream<Int>? { nil }
    distributed func optionalThrowing() -> AsyncThrowingStream<Int, any Error>? { nil }
    distributed func aliased(_ number: Int) -> MaybeUpdates { nil }
    distributed func inArray() -> [AsyncStream<Int>] { [] }
    distributed func inValue() -> StreamBox<AsyncStream<Int>?> { StreamBox(content: nil) }
    distributed func inStream() -> AsyncStream<AsyncStream<Int>> { AsyncStream { $0.finish() } }
    distributed func inThrowingStream() -> AsyncThrowingStream<AsyncStream<Int>?, any Error> {
        AsyncThrowingStream { $0.finish() }
    }
    distributed func parameter(_ stream: AsyncStream<Int>) {}
    distributed func stream() -> AsyncStream<Int?> { AsyncStream { $0.finish() } }
    distributed func optionals() -> AsyncThrowingStream<[Int?], any Error> {
        AsyncThrowingStream { $0.finish() }
    }
}
