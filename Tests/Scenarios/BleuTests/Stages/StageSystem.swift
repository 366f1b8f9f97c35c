import Bleu
import BluejayCore
import BluejayGLib
import Foundation
import Staging
import TestSupport
import Testing

enum StageAdapter {
    static let first = stageID("00:AA:01:00:00:00", isRandom: false)
    static let second = stageID("00:AA:01:01:00:01", isRandom: false)
}

func stageID(_ address: String, isRandom: Bool) -> UUID {
    let identifier = try? PeripheralIdentifier(
        address: address,
        isRandomAddress: isRandom,
        name: nil
    )
    return identifier?.uuid ?? UUID()
}

extension BumbleActor {
    var uuid: UUID { stageID(address, isRandom: true) }
}

extension ScenarioContext {
    func system(
        _ adapter: String = "hci0",
        _ configuration: BleuConfiguration = BleuConfiguration()
    ) -> BLEActorSystem {
        BLEActorSystem(
            configuration: configuration,
            host: BluetoothHost(
                mainLoop: MainLoop(threadName: "bleu \(adapter)"),
                adapter: adapter,
                busAddress: testbed.busAddress
            )
        )
    }

    /// Discovers an actor, passes it to `body`, and releases its link afterwards.
    func play(
        _ id: UUID,
        _ configuration: BleuConfiguration = BleuConfiguration(),
        _ body: (RoomSensor) async throws -> Void
    ) async throws {
        let system = system("hci0", configuration)
        do {
            let found = try await system.discover(RoomSensor.self)
            #expect(found.map(\.id) == [id])
            try await body(try #require(found.first))
        } catch {
            try? await system.disconnect(from: id)
            throw error
        }
        try await system.disconnect(from: id)
    }

    /// Serves a sensor on an adapter and stops advertising afterwards.
    func serve(
        on adapter: String,
        _ configuration: BleuConfiguration = BleuConfiguration(),
        _ body: (SensorParts) async throws -> Void
    ) async throws {
        let parts = SensorParts()
        let system = system(adapter, configuration)
        try await system.startAdvertising(RoomSensor(parts, actorSystem: system))
        do {
            try await body(parts)
        } catch {
            try? await system.stopAdvertising()
            throw error
        }
        try await system.stopAdvertising()
    }
}

func waitOnStage(for what: String, until isSo: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(180)
    try await TestSupport.wait {
        if try await isSo() { return true }
        guard ContinuousClock.now < end else {
            throw TestbedError("no \(what) within three minutes")
        }
        return false
    }
}

func mixedBytes(_ count: Int) -> Data {
    var state: UInt32 = 1
    return Data(
        (0..<count).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
    )
}

func timed<Value>(
    _ step: String,
    isolation: isolated (any Actor)? = #isolation,
    _ work: () async throws -> Value
) async rethrows -> Value {
    let start = ContinuousClock.now
    let value = try await work()
    print("timing: \(step): \(ContinuousClock.now - start)")
    return value
}
