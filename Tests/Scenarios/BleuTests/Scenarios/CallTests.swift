import Bleu
import BluejaySimulator
import Distributed
import Foundation
import Testing

let kinds: [SimulatedBlueZVersion] = [.v5_66, .v5_76, .v5_86]

/// Tests `FrameWriter`.
@Suite("Calls of distributed methods")
struct CallTests {
    @Test("A peripheral is found by its type, and its methods are called", arguments: kinds)
    func methods(kind: SimulatedBlueZVersion) async throws {
        try await BleuStage.play(kind) { stage in
            let (_, proxy) = try await stage.connectedSensor()
            #expect(proxy.id == adapterID(0))
            #expect(try await proxy.readTemperature() == 21.5)
            try await proxy.calibrate(offset: 1)
            #expect(try await proxy.readTemperature() == 22.5)
            let reading = try await proxy.reading(unit: "°C")
            #expect(reading == SensorReading(value: 22.5, unit: "°C"))
        }
    }

    @Test("A method without parameters is a GATT read of plain JSON")
    func plainValue() async throws {
        try await BleuStage.play { stage in
            let sensor = RoomSensor(actorSystem: stage.system(0))
            try await sensor.actorSystem.startAdvertising(sensor)
            let method = ServiceMapper.characteristicUUID(
                for: "readTemperature",
                in: RoomSensor.self
            )
            let value = try await stage.play([.connect, .read(method.uuidString)])
            #expect(value.map { String(decoding: $0, as: UTF8.self) } == "21.5")
        }
    }

    @Test("A method that neither throws nor returns is sent without a reply, in order")
    func oneWay() async throws {
        try await BleuStage.play { stage in
            let (_, proxy) = try await stage.connectedSensor()
            let lines = (0..<40).map { "line \($0)" }
            for line in lines { try await proxy.note(line) }
            #expect(try await proxy.allLines() == lines)
        }
    }

    @Test("A long result is fetched, and its method runs once", arguments: kinds)
    func longResult(kind: SimulatedBlueZVersion) async throws {
        try await BleuStage.play(kind) { stage in
            let (_, proxy) = try await stage.connectedSensor()
            #expect(try await proxy.longText().count == 3000)
            #expect(try await proxy.numberOfCalls() == 1)
        }
    }

    @Test("A result that takes longer than a GATT read is fetched")
    func slowResult() async throws {
        try await BleuStage.play { stage in
            let (sensor, proxy) = try await stage.connectedSensor()
            let call = stage.start { try await proxy.waitForValue() }
            try await stage.wait(.seconds(7))
            sensor.door.open()
            #expect(try await call.value == 5)
            #expect(try await proxy.numberOfCalls() == 1)
        }
    }

    @Test("An error of a named type arrives as itself, and any other as a failure with its type")
    func errors() async throws {
        try await BleuStage.play { stage in
            var configuration = BleuConfiguration()
            let (_, stranger) = try await stage.connectedSensor()
            await #expect(
                throws: RemoteFailure(typeName: "SensorError", message: "")
            ) { try await stranger.failKnown() }
            await #expect(
                throws: RemoteFailure(typeName: "OpaqueError", message: "")
            ) { try await stranger.failUnknown("") }
            #expect(try await stranger.numberOfCalls() == 1, "a read that throws runs once")
            try await stranger.actorSystem.disconnect(from: stranger.id)
            configuration.errorTypes = [SensorError.self]
            let system = stage.system(1, configuration)
            let proxy = try await system.connect(to: stranger.id, as: RoomSensor.self)
            await #expect(throws: SensorError(code: 7)) { try await proxy.failKnown() }
        }
    }

    @Test("Messages of all sizes arrive unchanged", arguments: [23, 185, 247, 517])
    func sizes(mtu: Int) async throws {
        try await BleuStage.play(mtu: mtu) { stage in
            let (_, proxy) = try await stage.connectedSensor()
            for size in [0, 1, mtu / 2, mtu - 3, mtu, 1024, 1100, 20_000] {
                let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
                #expect(try await proxy.echo(data) == data, "\(size) bytes")
            }
        }
    }

    @Test("Two concurrent centrals receive their own replies", arguments: kinds)
    func twoCentrals(kind: SimulatedBlueZVersion) async throws {
        try await BleuStage.play(kind, adapters: 3) { stage in
            let sensor = RoomSensor(actorSystem: stage.system(0))
            try await sensor.actorSystem.startAdvertising(sensor)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for central in 1...2 {
                    group.addTask {
                        let found = try await stage.system(central).discover(RoomSensor.self)
                        let proxy = try #require(found.first)
                        for number in 0..<20 {
                            let unit = String(repeating: "\(central)", count: 40 + number)
                            let reading = try await proxy.reading(unit: unit)
                            #expect(reading == SensorReading(value: 21.5, unit: unit))
                        }
                        #expect(try await proxy.longText().count == 3000)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("Calls to one peripheral run one after the other, in their order")
    func order() async throws {
        try await BleuStage.play { stage in
            let (sensor, proxy) = try await stage.connectedSensor()
            _ = try await proxy.readTemperature()
            let first = stage.start { try await proxy.waitAndEcho("first") }
            try await stage.wait(.milliseconds(100))
            let second = stage.start { try await proxy.numberOfCalls() }
            try await stage.wait(.milliseconds(500))
            sensor.door.open()
            #expect(try await first.value == "first")
            #expect(try await second.value == 2)
        }
    }

    @Test("An actor of the same process is called without Bluetooth")
    func localActor() async throws {
        try await BleuStage.play { stage in
            let sensor = RoomSensor(actorSystem: stage.system(0))
            let same = try await sensor.actorSystem.connect(to: sensor.id, as: RoomSensor.self)
            #expect(same === sensor)
            #expect(try await same.readTemperature() == 21.5)
        }
    }
}
