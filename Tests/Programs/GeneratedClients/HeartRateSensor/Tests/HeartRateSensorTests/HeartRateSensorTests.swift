import BluejayTesting
import Foundation
import HeartRateSensor
import Testing

/// Connects the client to the simulated device.
@Suite(
    "HeartRateSensor",
    .timeLimit(.minutes(5)),
    .simulatedBlueZ { $0.add(SimulatedHeartRateSensor.makeDevice()) }
)
struct HeartRateSensorTests {
    @Test("The client connects to the device and disconnects")
    func connects() async throws {
        let client = try await HeartRateSensor.connect(with: TestWorld.current.makeBluejay())
        #expect(client.bluejay.isConnected)
        try await client.disconnect()
    }

    @Test("The client reads each recorded value")
    func reads() async throws {
        let client = try await HeartRateSensor.connect(with: TestWorld.current.makeBluejay())
        #expect(try await client.bodySensorLocation() == decoded(Recorded.bodySensorLocation))
        #expect(try await client.batteryLevel() == decoded(Recorded.batteryLevel))
        #expect(
            try await client.manufacturerNameString() == decoded(Recorded.manufacturerNameString)
        )
        try await client.disconnect()
    }

    @Test("The client receives the first recorded notification")
    func receives() async throws {
        let client = try await HeartRateSensor.connect(with: TestWorld.current.makeBluejay())
        #expect(
            try await client.heartRateMeasurements.first { _ in true }
                == decoded(Recorded.heartRateMeasurements[0].value)
        )
        #expect(
            try await client.batteryLevels.first { _ in true }
                == decoded(Recorded.batteryLevels[0].value)
        )
        try await client.disconnect()
    }

    @Test("The device receives each written value")
    func writes() async throws {
        let client = try await HeartRateSensor.connect(with: TestWorld.current.makeBluejay())
        try await client.setHeartRateControlPoint(decoded([0x31]))
        try await TestWorld.current.clock.sleep(for: .seconds(1))
        let written = try TestWorld.current.perform { blueZ in
            blueZ.device(SimulatedHeartRateSensor.address)?.writes.map(\.value)
        }
        let expected: [[UInt8]] = [[0x31]]
        #expect(written == expected)
        try await client.disconnect()
    }
}

private typealias Recorded = SimulatedHeartRateSensor.Recorded

/// Decodes a value of the device.
private func decoded<Value: Receivable>(_ bytes: [UInt8]) throws -> Value {
    try Value(bluetoothData: Data(bytes))
}
