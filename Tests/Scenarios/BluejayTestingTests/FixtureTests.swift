import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

private typealias Lock = SimulatedDevice.DoorLock

@Suite("Predefined devices", .timeLimit(.minutes(15)))
struct FixtureTests {
    private let bolt = CharacteristicIdentifier(
        uuid: BluetoothUUID(string: Lock.bolt),
        service: ServiceIdentifier(uuid: BluetoothUUID(string: Lock.service))
    )

    private func open() async throws {
        let bluejay = try await startedBluejay()
        try await bluejay.connect(try await find(Lock.service, by: bluejay), timeout: .seconds(10))
        try await bluejay.write(to: bolt, value: UInt8(1))
        #expect(try await bluejay.read(from: bolt, as: UInt8.self) == 1)
    }

    @Test("The lock opens if its user accepts the pairing")
    func agreed() async throws {
        let world = try await TestWorld.make { blueZ in
            blueZ.userAgreesToPairing = true
            blueZ.add(.lock())
        }
        try await world.run { try await open() }
        let writes = try world.perform { $0.device(Lock.address)?.writes.map(\.value) }
        #expect(writes == [[1]])
    }

    @Test(
        "The lock stays closed if the user or the lock rejects pairing, or without an agent",
        arguments: [(false, true), (nil, true), (true, false)]
    )
    func refused(_ agrees: Bool?, _ accepts: Bool) async throws {
        let world = try await TestWorld.make { blueZ in
            blueZ.userAgreesToPairing = agrees
            blueZ.add(.lock(acceptsPairing: accepts))
        }
        try await world.run {
            await #expect(throws: BluejayError.self) { try await open() }
        }
        #expect(try world.perform { $0.device(Lock.address)?.writeCount } == 0)
    }

    @Test(
        "The thermometer sends a measurement every second",
        .simulatedBlueZ { $0.add(.thermometer()) }
    )
    func temperatures() async throws {
        typealias Thermo = SimulatedDevice.Thermometer
        let bluejay = try await startedBluejay()
        try await bluejay.connect(try await find(Thermo.service, by: bluejay))
        let measurement = CharacteristicIdentifier(
            uuid: BluetoothUUID(string: Thermo.measurement),
            service: ServiceIdentifier(uuid: BluetoothUUID(string: Thermo.service))
        )
        var tenths: [Int] = []
        for try await value in bluejay.values(of: measurement, as: Data.self) {
            #expect(value[4] == 0xFF)
            tenths.append(Int(value[1]) + Int(value[2]) << 8)
            if tenths.count == 11 { break }
        }
        #expect(tenths == Array(360..<370) + [360])
    }

    @Test("The thermometer disconnects after each configured connection time")
    func dropsOut() async throws {
        let world = try await TestWorld.make {
            $0.add(.thermometer(droppingOutAfter: .seconds(60), for: .seconds(5)))
        }
        try await world.run {
            let bluejay = try await startedBluejay()
            let found = try await find(SimulatedDevice.Thermometer.service, by: bluejay)
            try await bluejay.connect(found)
            var losses: [TestClock.Instant] = []
            for await event in bluejay.connectionEvents {
                guard case .disconnected = event else { continue }
                losses.append(world.clock.now)
                if losses.count == 3 { break }
            }
            for (first, second) in zip(losses, losses.dropFirst()) {
                #expect(first.duration(to: second) > .seconds(65))
                #expect(first.duration(to: second) < .seconds(75))
            }
        }
    }
}
