import Bleu
import BluejayTesting
import Testing

@Suite("Distributed actors survive every fault at every message", .timeLimit(.minutes(15)))
struct EveryFaultTests {
    private static var options: SimulatorOptions {
        var options = SimulatorOptions()
        options.version = .v5_86
        options.controller = .extended
        options.adapters = 2
        return options
    }

    @Test("A sensor that is served", .simulatedBlueZ(options), .everyFault)
    func served() async throws {
        let system = BleuStage(world: try .current).system(0)
        try await system.startAdvertising(RoomSensor(actorSystem: system))
        try await system.stopAdvertising()
    }

    @Test("A sensor that is discovered and called", .simulatedBlueZ(options), .everyFault)
    func called() async throws {
        let stage = BleuStage(world: try .current)
        let server = stage.system(0)
        let client = stage.system(1)
        try await server.startAdvertising(RoomSensor(actorSystem: server))
        do {
            let sensor = try #require(try await client.discover(RoomSensor.self).first)
            #expect(try await sensor.readTemperature() == 21.5)
            try await client.disconnect(from: sensor.id)
            try await server.stopAdvertising()
        } catch {
            try? await server.stopAdvertising()
            throw error
        }
    }
}
