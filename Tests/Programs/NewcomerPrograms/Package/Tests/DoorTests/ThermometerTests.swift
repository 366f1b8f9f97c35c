import BluejayAsync
import BluejayTesting
import Testing

@Suite(
    .simulatedBlueZ { blueZ in
        blueZ.add(.thermometer(droppingOutAfter: .seconds(300), for: .seconds(600)))
    }
)
struct ThermometerTests {
    private let thermometer = ServiceIdentifier(uuid: "1809")

    @Test func itIsConnectedAgainAfterTenMinutes() async throws {
        let world = try TestWorld.current
        let bluejay = world.makeBluejay()
        await bluejay.start()
        for try await found in bluejay.scan(serviceIdentifiers: [thermometer]) {
            try await bluejay.connect(found.peripheralIdentifier, timeout: .seconds(10))
            break
        }
        try await world.clock.sleep(for: .seconds(301))
        #expect(!bluejay.isConnected)
        try await world.clock.sleep(for: .seconds(700))
        #expect(bluejay.isConnected)
    }

    @Test func aConnectTimesOut() async throws {
        let world = try TestWorld.current
        let bluejay = world.makeBluejay()
        await bluejay.start()
        for try await found in bluejay.scan(serviceIdentifiers: [thermometer]) {
            try world.perform { $0.device(SimulatedDevice.Thermometer.address)?.leaveRange() }
            await #expect(throws: BluejayError.connectionTimedOut) {
                try await bluejay.connect(found.peripheralIdentifier, timeout: .seconds(30))
            }
            break
        }
    }
}
