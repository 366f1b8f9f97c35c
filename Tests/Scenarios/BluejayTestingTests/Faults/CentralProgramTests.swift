import BluejayAsync
import BluejayTesting
import Foundation
import Synchronization
import Testing

@Suite(
    "Programs with a heart rate sensor survive every fault at every message",
    .timeLimit(.minutes(15)),
    .simulatedBlueZ { $0.add(.heartRateSensor()) }
)
struct CentralProgramTests {
    private static let rate = CharacteristicIdentifier.heartRateMeasurement
    private static let control = CharacteristicIdentifier.heartRateControlPoint

    /// Runs a program with a connected sensor.
    private func withSensor(
        _ body: nonisolated(nonsending) (Bluejay) async throws -> Void
    ) async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        try await bluejay.withConnection(toFirst: .anyService([.heartRate]), within: 20, body)
    }

    private static func rates(
        _ count: Int,
        of sensor: Bluejay,
        through transport: ListenTransport = .signals
    ) async throws -> [UInt16] {
        var rates: [UInt16] = []
        let readings = sensor.values(of: rate, as: HeartRateReading.self, through: transport)
        for try await reading in readings {
            rates.append(reading.beatsPerMinute)
            if rates.count == count { break }
        }
        return rates
    }

    // MARK: Without a link

    @Test("A program that lists the known peripherals", .everyFault)
    func knownPeripherals() async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        await bluejay.start()
        let peripherals = try await bluejay.knownPeripherals()
        #expect(peripherals.isEmpty)
    }

    @Test("A program that scans for five seconds", .everyFault)
    func scan() async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        await bluejay.start()
        try await bluejay.waitUntilReady(within: 20)
        var names: [String] = []
        for try await discovery in bluejay.scan(duration: 5) {
            names.append(discovery.peripheralIdentifier.name)
        }
        #expect(names == ["Heart Rate Sensor"])
    }

    @Test("A program that stops its scan at the first sensor", .everyFault)
    func firstDiscovery() async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        await bluejay.start()
        try await bluejay.waitUntilReady(within: 20)
        for try await _ in bluejay.scan(matching: .anyService([.heartRate]), duration: 20) {
            break
        }
    }

    @Test("A program that watches for a sensor in range", .everyFault)
    func watch() async throws {
        let world = try TestWorld.current
        let bluejay = world.makeBluejay()
        await bluejay.start()
        try await bluejay.waitUntilReady(within: 20)
        let count = Mutex(0)
        async let _: Void = {
            for try await _ in bluejay.watch(for: .anyService([.heartRate])) {
                count.withLock { $0 += 1 }
            }
        }()
        try await world.clock.sleep(for: .seconds(30))
        #expect(count.withLock { $0 } > 0)
    }

    @Test("A program that lists and renames the adapters", .everyFault)
    func adapters() async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        await bluejay.start()
        try await bluejay.waitUntilReady(within: 20)
        #expect(try await bluejay.listAdapters().count == 2)
        let adapter = try await bluejay.setAdapterAlias("Desk")
        #expect(adapter.alias == "Desk")
    }

    // MARK: Values

    @Test("A program that connects and disconnects", .everyFault)
    func connect() async throws {
        try await withSensor { #expect($0.isConnected) }
    }

    @Test("A program that reads a value", .everyFault)
    func read() async throws {
        try await withSensor { sensor in
            let place: BodySensorLocation = try await sensor.read(from: .bodySensorLocation)
            #expect(place == .chest)
        }
    }

    @Test("A program whose write is accepted and then refused", .everyFault)
    func write() async throws {
        try await withSensor { sensor in
            try await sensor.write(to: Self.control, value: UInt8(1))
            await #expect(throws: BluejayError.self) {
                try await sensor.write(to: Self.control, value: UInt8(2))
            }
        }
    }

    @Test("A program that listens to three values", .everyFault)
    func listen() async throws {
        try await withSensor { sensor in
            let rates = try await Self.rates(3, of: sensor)
            #expect(rates == [60, 61, 62])
        }
    }

    @Test("A program that listens through a socket", .everyFault)
    func listenThroughSocket() async throws {
        try await withSensor { sensor in
            let rates = try await Self.rates(2, of: sensor, through: .socket)
            #expect(rates == [60, 61])
        }
    }

    @Test("A program that reads while it listens", .everyFault)
    func readWhileListening() async throws {
        try await withSensor { sensor in
            async let rates = Self.rates(2, of: sensor)
            let place: BodySensorLocation = try await sensor.read(from: .bodySensorLocation)
            #expect(place == .chest)
            let count = try await rates.count
            #expect(count == 2)
        }
    }

    @Test("A program with a background task", .everyFault)
    func backgroundTask() async throws {
        try await withSensor { sensor in
            let place: UInt8 = try await sensor.run { peripheral in
                try peripheral.write(to: Self.control, value: UInt8(1))
                return try peripheral.read(from: .bodySensorLocation)
            }
            #expect(place == 1)
        }
    }

    @Test("A program that asks for the details of the sensor", .everyFault)
    func details() async throws {
        try await withSensor { sensor in
            let information = try await sensor.deviceInformation()
            #expect(information.manufacturer == "Bluejay")
            let mtu = try await sensor.mtu()
            #expect(mtu == 517)
            #expect(sensor.services.count > 1)
            _ = try await sensor.peripheralDetails()
        }
    }

    // MARK: Links

    @Test("A program that cancels its read", .everyFault)
    func cancelledRead() async throws {
        try await withSensor { sensor in
            let read = Task { try await sensor.read(from: .bodySensorLocation) }
            await sensor.cancelEverything(shouldDisconnect: false)
            _ = await read.result
            _ = try await sensor.read(from: .bodySensorLocation)
        }
    }

    @Test("A program that disconnects at once during a listen", .everyFault)
    func immediateDisconnect() async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        await bluejay.start()
        try await bluejay.connect(toFirst: .anyService([.heartRate]), within: 20)
        do {
            _ = try await Self.rates(1, of: bluejay)
        } catch {
            _ = try? await bluejay.disconnect(immediate: true)
            throw error
        }
        try await bluejay.disconnect(immediate: true)
    }

    @Test("Two users of one sensor", .everyFault)
    func twoUsers() async throws {
        try await withSensor { first in
            try await withSensor { second in
                async let rates = Self.rates(2, of: first)
                _ = try await second.read(from: .bodySensorLocation)
                let count = try await rates.count
                #expect(count == 2)
            }
            _ = try await first.read(from: .bodySensorLocation)
        }
    }

    @Test("A program whose sensor leaves and returns", .everyFault)
    func reconnection() async throws {
        let world = try TestWorld.current
        let address = SimulatedDevice.HeartRateSensor.address
        try await withSensor { sensor in
            try world.perform { $0.device(address)?.leaveRange() }
            try await world.clock.sleep(for: .seconds(20))
            try world.perform { $0.device(address)?.returnToRange() }
            try await world.clock.sleep(for: .seconds(120))
            _ = try await sensor.read(from: .bodySensorLocation)
        }
    }

    @Test("A program that stops and starts again with its connection", .everyFault)
    func handOver() async throws {
        let first = try TestWorld.current.makeBluejay()
        await first.start()
        try await first.connect(toFirst: .anyService([.heartRate]), within: 20)
        let state = await first.stopAndExtractBluetoothState()
        let second = try TestWorld.current.makeBluejay()
        await second.start(mode: .use(manager: state.manager, peripheral: state.peripheral))
        do {
            let place = try await second.read(from: .bodySensorLocation)
            #expect(place == Data([1]))
        } catch {
            // A connection that cannot be taken over stays at bluetoothd: take it over by connecting.
            try? await second.waitUntilReady(within: 60)
            _ = try? await second.connect(toFirst: .anyService([.heartRate]), within: 20)
            _ = try? await second.disconnect()
            throw error
        }
        try await second.disconnect()
    }
}
