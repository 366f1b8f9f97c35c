import BluejaySimulator
import Distributed
import Foundation
import Testing

@testable import Bleu

@Suite("Methods and producers that ignore their cancellation", .timeLimit(.minutes(15)))
struct AbandonedWorkTests {
    private static let limit = 8

    private static func serve(_ stage: BleuStage) async throws -> SensorParts {
        var configuration = BleuConfiguration()
        configuration.maximumQueuedCalls = limit
        let (parts, system) = (SensorParts(), stage.system(0, configuration))
        try await system.startAdvertising(RoomSensor(parts, actorSystem: system))
        return parts
    }

    /// Starts and cancels calls on one link, and leaves.
    private static func abandon(
        _ count: Int,
        from adapter: Int,
        _ stage: BleuStage,
        isStream: Bool
    ) async throws {
        let system = stage.system(adapter)
        let proxy = try await system.connect(to: adapterID(0), as: RoomSensor.self)
        for _ in 0..<count {
            let call = stage.start {
                if isStream {
                    for await _ in try await proxy.heldStream() {}
                } else {
                    _ = try await proxy.waitAndEcho("a")
                }
            }
            try await stage.wait(.seconds(1))
            call.cancel()
            _ = try? await call.value
        }
        try await system.disconnect(from: adapterID(0))
        try await stage.wait(.seconds(2))
    }

    @Test(
        "The abandoned methods of a central are counted over all of its links",
        arguments: [false, true]
    )
    func links(isStream: Bool) async throws {
        try await BleuStage.play { stage in
            let parts = try await Self.serve(stage)
            for _ in 0..<4 {
                try await Self.abandon(Self.limit + 2, from: 1, stage, isStream: isStream)
                // The last pull of a stream that has ended waits, too.
                #expect((Self.limit...Self.limit + 1).contains(parts.door.count))
            }
            let proxy = try await stage.system(1).connect(to: adapterID(0), as: RoomSensor.self)
            await #expect(throws: BleuError.self) { try await proxy.calibrate(offset: 1) }
            parts.door.open()
            try await stage.wait(for: "end of the methods") {
                if parts.door.count > 0 { parts.door.open() }
                return (try? await proxy.calibrate(offset: 1)) != nil
            }
            #expect(try await proxy.readTemperature() == 22.5)
        }
    }

    @Test("A server has a separate limit for centrals with changing addresses")
    func centrals() async throws {
        try await BleuStage.play(adapters: 8) { stage in
            let parts = try await Self.serve(stage)
            for adapter in 1...7 {
                try await Self.abandon(Self.limit, from: adapter, stage, isStream: false)
                #expect(parts.door.count <= 4 * Self.limit)
            }
            #expect(parts.door.count == 4 * Self.limit)
            parts.door.open()
            try await stage.wait(.seconds(1))
            let proxy = try await stage.system(7).connect(to: adapterID(0), as: RoomSensor.self)
            #expect(try await proxy.reading(unit: "K").unit == "K")
        }
    }

    @Test("A central keeps its count when pairing replaces its address")
    func moved() {
        let work = AbandonedWork()
        let (old, new, token) = (UUID(), UUID(), AbandonedWork.Token())
        work.add(token, of: old)
        work.moved(old, to: new)
        #expect(work.load(of: old, allowance: 2) == 0)
        #expect(work.load(of: new, allowance: 2) == 1)
        #expect(work.load(of: nil, allowance: 2) == 0)
        work.remove(token)
        #expect(work.load(of: new, allowance: 2) == 0)
    }
}
