import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Foundation
import TestTraits
import Testing

@Suite("Writes to characteristics without write properties", .timeLimit(.minutes(15)))
struct UnwritableTests {
    private static let address = SimulatedDevice.HeartRateSensor.address

    private func connected() async throws -> Bluejay {
        let bluejay = try await startedBluejay()
        let sensor = try await find(SimulatedDevice.HeartRateSensor.service, by: bluejay)
        try await bluejay.connect(sensor, timeout: .seconds(10))
        return bluejay
    }

    @Test(
        "A write to a characteristic that can only notify is rejected before sending",
        .pitfall(.writeTypeUnchecked),
        .simulatedBlueZ { $0.add(.heartRateSensor()) },
        arguments: [WriteType.withResponse, .withoutResponse]
    )
    func unwritable(type: WriteType) async throws {
        let bluejay = try await connected()
        let beats = CharacteristicIdentifier(uuid: "2A37", service: .init(uuid: "180D"))
        let error = await #expect(throws: BluejayError.self) {
            try await bluejay.write(to: beats, value: UInt8(1), type: type)
        }
        #expect(error == .notSupported("the characteristic does not support writes"))
        let count = try TestWorld.current.perform { $0.device(Self.address)?.writeCount }
        #expect(count == 0)
        #expect(bluejay.isConnected)
    }
}
