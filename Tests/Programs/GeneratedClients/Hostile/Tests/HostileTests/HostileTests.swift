import BluejayTesting
import Foundation
import Hostile
import Testing

/// Connects the client to the simulated device.
@Suite(
    "Hostile",
    .timeLimit(.minutes(5)),
    .simulatedBlueZ { $0.add(SimulatedHostile.makeDevice()) }
)
struct HostileTests {
    @Test("The client connects to the device and disconnects")
    func connects() async throws {
        let client = try await Hostile.connect(with: TestWorld.current.makeBluejay())
        #expect(client.bluejay.isConnected)
        try await client.disconnect()
    }

    @Test("The client reads each recorded value")
    func reads() async throws {
        let client = try await Hostile.connect(with: TestWorld.current.makeBluejay())
        #expect(try await client.defaultValue() == decoded(Recorded.defaultValue))
        #expect(try await client.classValue() == decoded(Recorded.classValue))
        #expect(try await client.selfValue() == decoded(Recorded.selfValue))
        #expect(try await client.initValue() == decoded(Recorded.initValue))
        #expect(
            try await client.characteristic1stValue() == decoded(Recorded.characteristic1stValue)
        )
        #expect(try await client.characteristicF005() == decoded(Recorded.characteristicF005))
        #expect(try await client.characteristicF006() == decoded(Recorded.characteristicF006))
        #expect(try await client.publicValue() == decoded(Recorded.publicValue))
        #expect(try await client.characteristic1ErrorX() == decoded(Recorded.characteristic1ErrorX))
        #expect(
            try await client.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa()
                == decoded(Recorded.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)
        )
        #expect(try await client.connect2() == decoded(Recorded.connect2))
        #expect(try await client.bluejay2() == decoded(Recorded.bluejay2))
        #expect(try await client.emissionDenergie() == decoded(Recorded.emissionDenergie))
        #expect(try await client.setInterval() == decoded(Recorded.setInterval))
        #expect(try await client.interval2() == decoded(Recorded.interval2))
        #expect(try await client.intervals2() == decoded(Recorded.intervals2))
        #expect(try await client.x() == decoded(Recorded.x))
        #expect(try await client.gnpExe() == decoded(Recorded.gnpExe))
        #expect(try await client.parameterXYZQ() == decoded(Recorded.parameterXYZQ))
        #expect(try await client.type() == decoded(Recorded.type))
        #expect(try await client.name2() == decoded(Recorded.name2))
        #expect(try await client.defaultValue2() == decoded(Recorded.defaultValue2))
        #expect(try await client.value() == decoded(Recorded.value))
        #expect(try await client.client() == decoded(Recorded.client))
        #expect(try await client.characteristicF018() == decoded(Recorded.characteristicF018))
        #expect(try await client.none() == decoded(Recorded.none))
        #expect(try await client.characteristicF0FF() == decoded(Recorded.characteristicF0FF))
        #expect(try await client.characteristicF0FE() == decoded(Recorded.characteristicF0FE))
        #expect(try await client.characteristicF0FD() == decoded(Recorded.characteristicF0FD))
        #expect(try await client.heartRateMeasurement() == decoded(Recorded.heartRateMeasurement))
        #expect(try await client.batteryLevel() == decoded(Recorded.batteryLevel))
        #expect(
            try await client.manufacturerNameString() == decoded(Recorded.manufacturerNameString)
        )
        #expect(try await client.batteryLevel2() == decoded(Recorded.batteryLevel2))
        try await client.disconnect()
    }

    @Test("The client receives the first recorded notification")
    func receives() async throws {
        let client = try await Hostile.connect(with: TestWorld.current.makeBluejay())
        #expect(
            try await client.characteristicF0FDValues.first { _ in true }
                == decoded(Recorded.characteristicF0FDValues[0].value)
        )
        try await client.disconnect()
    }

    @Test("The device receives each written value")
    func writes() async throws {
        let client = try await Hostile.connect(with: TestWorld.current.makeBluejay())
        try await client.setDefaultValue(decoded(Recorded.defaultValue))
        try await client.setClassValue(decoded(Recorded.classValue))
        try await client.setSelfValue(decoded(Recorded.selfValue))
        try await client.setInitValue(decoded(Recorded.initValue))
        try await client.setCharacteristic1stValue(decoded(Recorded.characteristic1stValue))
        try await client.setCharacteristicF005(decoded(Recorded.characteristicF005))
        try await client.setCharacteristicF006(decoded(Recorded.characteristicF006))
        try await client.setPublicValue(decoded(Recorded.publicValue))
        try await client.setConnect2(decoded(Recorded.connect2))
        try await client.setBluejay2(decoded(Recorded.bluejay2))
        try await client.setSetInterval(decoded(Recorded.setInterval))
        try await client.setInterval2(decoded(Recorded.interval2))
        try await client.setIntervals2(decoded(Recorded.intervals2))
        try await client.setCharacteristicF0FD(decoded(Recorded.characteristicF0FD))
        try await client.setBatteryLevel(decoded(Recorded.batteryLevel))
        try await client.setManufacturerNameString(decoded(Recorded.manufacturerNameString))
        try await TestWorld.current.clock.sleep(for: .seconds(1))
        let written = try TestWorld.current.perform { blueZ in
            blueZ.device(SimulatedHostile.address)?.writes.map(\.value)
        }
        let expected: [[UInt8]] = [
            Recorded.defaultValue, Recorded.classValue, Recorded.selfValue, Recorded.initValue,
            Recorded.characteristic1stValue, Recorded.characteristicF005,
            Recorded.characteristicF006, Recorded.publicValue, Recorded.connect2, Recorded.bluejay2,
            Recorded.setInterval, Recorded.interval2, Recorded.intervals2,
            Recorded.characteristicF0FD, Recorded.batteryLevel, Recorded.manufacturerNameString,
        ]
        #expect(written == expected)
        try await client.disconnect()
    }
}

private typealias Recorded = SimulatedHostile.Recorded

/// Decodes a value of the device.
private func decoded<Value: Receivable>(_ bytes: [UInt8]) throws -> Value {
    try Value(bluetoothData: Data(bytes))
}
