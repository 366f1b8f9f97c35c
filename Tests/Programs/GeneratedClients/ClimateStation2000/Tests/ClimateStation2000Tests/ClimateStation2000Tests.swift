import BluejayTesting
import ClimateStation2000
import Foundation
import Testing

/// Connects the client to the simulated device.
@Suite(
    "ClimateStation2000",
    .timeLimit(.minutes(5)),
    .simulatedBlueZ { blueZ in
        blueZ.userAgreesToPairing = true
        blueZ.add(SimulatedClimateStation2000.makeDevice())
    }
)
struct ClimateStation2000Tests {
    @Test("The client connects to the device and disconnects")
    func connects() async throws {
        let client = try await ClimateStation2000.connect(with: TestWorld.current.makeBluejay())
        #expect(client.bluejay.isConnected)
        try await client.disconnect()
    }

    @Test("The client reads each recorded value")
    func reads() async throws {
        let client = try await ClimateStation2000.connect(with: TestWorld.current.makeBluejay())
        #expect(try await client.insideTemperature() == decoded(Recorded.insideTemperature))
        #expect(try await client.outsideTemperature() == decoded(Recorded.outsideTemperature))
        #expect(try await client.humidity() == decoded(Recorded.humidity))
        #expect(try await client.pressure() == decoded(Recorded.pressure))
        #expect(try await client.insideTemperature2() == decoded(Recorded.insideTemperature2))
        #expect(try await client.batteryLevel() == decoded(Recorded.batteryLevel))
        #expect(try await client.batteryLevel2() == decoded(Recorded.batteryLevel2))
        #expect(try await client.report() == decoded(Recorded.report))
        #expect(try await client.report2() == decoded(Recorded.report2))
        #expect(try await client.reportMap() == decoded(Recorded.reportMap))
        #expect(
            try await client.manufacturerNameString() == decoded(Recorded.manufacturerNameString)
        )
        #expect(try await client.systemID() == decoded(Recorded.systemID))
        #expect(try await client.pnpID() == decoded(Recorded.pnpID))
        #expect(try await client.modelNumberString() == decoded(Recorded.modelNumberString))
        #expect(try await client.currentTime() == decoded(Recorded.currentTime))
        #expect(try await client.localTimeInformation() == decoded(Recorded.localTimeInformation))
        #expect(
            try await client.characteristic6E400004() == decoded(Recorded.characteristic6E400004)
        )
        #expect(
            try await client.characteristicA0000001() == decoded(Recorded.characteristicA0000001)
        )
        try await client.disconnect()
    }

    @Test("The client receives the first recorded notification")
    func receives() async throws {
        let client = try await ClimateStation2000.connect(with: TestWorld.current.makeBluejay())
        #expect(
            try await client.insideTemperatures.first { _ in true }
                == decoded(Recorded.insideTemperatures[0].value)
        )
        #expect(
            try await client.outsideTemperatures.first { _ in true }
                == decoded(Recorded.outsideTemperatures[0].value)
        )
        #expect(try await client.reports.first { _ in true } == decoded(Recorded.reports[0].value))
        #expect(
            try await client.currentTimes.first { _ in true }
                == decoded(Recorded.currentTimes[0].value)
        )
        #expect(
            try await client.samplesValues.first { _ in true }
                == decoded(Recorded.samplesValues[0].value)
        )
        #expect(
            try await client.characteristic6E400004Instance2Values.first { _ in true }
                == decoded(Recorded.characteristic6E400004Instance2Values[0].value)
        )
        try await client.disconnect()
    }

    @Test("The device receives each written value")
    func writes() async throws {
        let client = try await ClimateStation2000.connect(with: TestWorld.current.makeBluejay())
        try await client.setReport2(decoded(Recorded.report2))
        try await client.setCurrentTime(decoded(Recorded.currentTime))
        try await client.setInterval(decoded([0x31]))
        try await client.setCharacteristic6E400004(decoded(Recorded.characteristic6E400004))
        try await client.setCharacteristicA0000001(decoded(Recorded.characteristicA0000001))
        try await TestWorld.current.clock.sleep(for: .seconds(1))
        let written = try TestWorld.current.perform { blueZ in
            blueZ.device(SimulatedClimateStation2000.address)?.writes.map(\.value)
        }
        let expected: [[UInt8]] = [
            Recorded.report2, Recorded.currentTime, [0x31], Recorded.characteristic6E400004,
            Recorded.characteristicA0000001,
        ]
        #expect(written == expected)
        try await client.disconnect()
    }
}

private typealias Recorded = SimulatedClimateStation2000.Recorded

/// Decodes a value of the device.
private func decoded<Value: Receivable>(_ bytes: [UInt8]) throws -> Value {
    try Value(bluetoothData: Data(bytes))
}
