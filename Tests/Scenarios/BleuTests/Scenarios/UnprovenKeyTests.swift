import Bleu
import BluejaySimulator
import Distributed
import Foundation
import Testing

@Suite("Keys made without the passkey", .timeLimit(.minutes(15)))
struct UnprovenKeyTests {
    private static func system(_ stage: BleuStage) -> BLEActorSystem {
        var configuration = BleuConfiguration()
        configuration.encryption = .link
        configuration.passkeyProvider = { _ in 123_456 }
        configuration.maximumRetries = 2
        configuration.maximumConnections = 1
        return stage.system(1, configuration)
    }

    private static func expectNoCall(_ system: BLEActorSystem, _ id: UUID) async {
        do {
            let proxy = try await system.connect(to: id, as: RoomSensor.self)
            _ = try await proxy.readTemperature()
            Issue.record("a peripheral without the passkey was called")
        } catch BleuError.connectionFailed(let reason) {
            #expect("\(reason)".contains("without a passkey"), "\(reason)")
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("Keys are rejected while bluetoothd refuses their removal, and removed afterwards")
    func refusedRemoval() async throws {
        try await BleuStage.play { stage in
            let id = try await EncryptionTests.addSensor(.justWorks, ["read"], to: stage)
            let system = Self.system(stage)
            let error = "org.bluez.Error.Failed"
            try stage.perform { $0.apply(.callsRefused("RemoveDevice", name: error, text: "no")) }
            for _ in 0..<2 { await Self.expectNoCall(system, id) }
            // The only link is that of another peripheral meanwhile.
            let other = try await system.connect(to: adapterID(5), as: RoomSensor.self)
            await #expect(throws: BleuError.self) { try await other.readTemperature() }
            try await system.disconnect(from: other.id)
            await Self.expectNoCall(system, id)
            try stage.perform {
                $0.device("C0:00:00:00:00:01")?.pairing = .passkey(123_456)
                $0.apply(.callsReleased("RemoveDevice"))
            }
            let proxy = try await system.connect(to: id, as: RoomSensor.self)
            #expect(try await proxy.readTemperature() == 21.5)
        }
    }

    @Test("Keys are rejected if the program disconnects before bluetoothd has reported the pairing")
    func lateKeys() async throws {
        try await BleuStage.play { stage in
            let id = try await EncryptionTests.addSensor(.justWorks, ["read"], to: stage)
            let system = Self.system(stage)
            let proxy = try await system.connect(to: id, as: RoomSensor.self)
            try stage.perform {
                $0.apply(.callsHeld("Pair"))
                $0.apply(.callsHeld("CancelPairing"))
            }
            let call = stage.start { try await proxy.readTemperature() }
            try await stage.wait(.seconds(4))
            try stage.perform { $0.apply(.callsReleased("Pair")) }
            try await system.disconnect(from: id)
            await #expect(throws: BleuError.self) { try await call.value }
            try await stage.wait(.seconds(5))
            try stage.perform { $0.apply(.callsReleased("CancelPairing")) }
            await Self.expectNoCall(system, id)
        }
    }
}
