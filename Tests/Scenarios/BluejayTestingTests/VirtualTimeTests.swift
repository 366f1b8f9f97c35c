import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import TestTraits
import Testing

func find(_ service: String, by bluejay: Bluejay) async throws -> PeripheralIdentifier {
    let service = ServiceIdentifier(uuid: BluetoothUUID(string: service))
    for try await found in bluejay.scan(serviceIdentifiers: [service]) {
        return found.peripheralIdentifier
    }
    throw BluejayError.cancelled
}

func startedBluejay() async throws -> Bluejay {
    let bluejay = try TestWorld.current.makeBluejay()
    await bluejay.start()
    return bluejay
}

/// Runs `work` and returns its virtual duration; fails if it takes 15 s of real time.
func inAMoment(_ work: () async throws -> Void) async throws -> Duration {
    let clock = try TestWorld.current.clock
    let (begun, realBegun) = (clock.now, ContinuousClock.now)
    try await work()
    let real = ContinuousClock.now - realBegun
    #expect(real < .seconds(15))
    return begun.duration(to: clock.now)
}

@Suite("Virtual time", .timeLimit(.minutes(15)))
struct VirtualTimeTests {
    private typealias Heart = SimulatedDevice.HeartRateSensor
    private typealias Thermo = SimulatedDevice.Thermometer

    @Test(
        "A connect to an absent peripheral takes exactly 30 s of virtual time",
        .pitfall(.connectOutlastsBusTimeout),
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func timeOut() async throws {
        let world = try TestWorld.current
        let bluejay = try await startedBluejay()
        let found = try await find(Heart.service, by: bluejay)
        try world.perform { $0.device(Heart.address)?.leaveRange() }
        let time = try await inAMoment {
            await #expect(throws: BluejayError.connectionTimedOut) {
                try await bluejay.connect(found, timeout: .seconds(30))
            }
        }
        #expect(time == .seconds(30))
    }

    @Test(
        "A peripheral absent for ten minutes reconnects in virtual time",
        .simulatedBlueZ { $0.add(.thermometer(droppingOutAfter: .seconds(5))) }
    )
    func dropOut() async throws {
        let bluejay = try await startedBluejay()
        let found = try await find(Thermo.service, by: bluejay)
        let time = try await inAMoment {
            var events = bluejay.connectionEvents.makeAsyncIterator()
            #expect(await events.next() == .bluetoothAvailable(true))
            try await bluejay.connect(found, timeout: .seconds(10))
            #expect(await events.next() == .connected(found))
            guard case .disconnected(found, _)? = await events.next() else {
                Issue.record("no disconnection was reported")
                return
            }
            // Skip the failed attempts, which are reported, up to the successful one.
            while let event = await events.next(), event != .connected(found) {}
        }
        #expect(time > .seconds(605))
        #expect(time < .seconds(700))
    }

    @Test(
        "The same read always takes the same virtual time",
        .simulatedBlueZ { $0.add(.thermometer()) }
    )
    func exactness() async throws {
        let clock = try TestWorld.current.clock
        let bluejay = try await startedBluejay()
        let found = try await find(Thermo.service, by: bluejay)
        try await bluejay.connect(found)
        var times: Set<Duration> = []
        let service = ServiceIdentifier(uuid: BluetoothUUID(string: Thermo.service))
        let type = CharacteristicIdentifier(
            uuid: BluetoothUUID(string: Thermo.type),
            service: service
        )
        for _ in 0..<50 {
            let begun = clock.now
            #expect(try await bluejay.read(from: type, as: UInt8.self) == 2)
            times.insert(begun.duration(to: clock.now))
        }
        #expect(times == [.milliseconds(1)])
    }

    @Test(
        "A slow listener loses no value, and values are exactly one second apart",
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func listening() async throws {
        let clock = try TestWorld.current.clock
        let bluejay = try await startedBluejay()
        try await bluejay.connect(try await find(Heart.service, by: bluejay))
        var values: [Int] = []
        var instants: [TestClock.Instant] = []
        let readings = bluejay.values(of: .heartRateMeasurement, as: HeartRateReading.self)
        for try await reading in readings {
            values.append(Int(reading.beatsPerMinute))
            instants.append(clock.now)
            // Test code that awaits nothing external takes no virtual time.
            for _ in 0..<20 { await Task.yield() }
            if values.count == 100 { break }
        }
        #expect(values == (0..<100).map { 60 + $0 % 60 })
        let pauses = zip(instants, instants.dropFirst()).map { $0.duration(to: $1) }
        #expect(Set(pauses) == [.seconds(1)])
    }

    @Test("A scan with a duration ends on time", .simulatedBlueZ)
    func scan() async throws {
        let bluejay = try await startedBluejay()
        let time = try await inAMoment {
            for try await _ in bluejay.scan(duration: 600) {}
        }
        #expect(time >= .seconds(600))
        #expect(time < .seconds(601))
    }

    @Test(
        "A frozen bluetoothd delays a read for as long as it is frozen",
        .fault(.daemonHangs, during: .read)
    )
    func standstill() async throws {
        let world = try await TestWorld.make { $0.add(.heartRateSensor()) }
        try await world.run {
            let bluejay = try await startedBluejay()
            try await bluejay.connect(try await find(Heart.service, by: bluejay))
            let location = CharacteristicIdentifier.bodySensorLocation
            try world.perform { $0.apply(.daemonFrozen(for: .seconds(20))) }
            let time = try await inAMoment {
                let value = try await bluejay.read(from: location, as: UInt8.self)
                #expect(value == 1)
            }
            #expect(time >= .seconds(20))
            #expect(time < .seconds(21))
        }
    }

    @Test("A restarted bluetoothd is detected", .simulatedBlueZ)
    func restart() async throws {
        let world = try TestWorld.current
        let bluejay = try await startedBluejay()
        try await bluejay.waitUntilReady()
        var events = bluejay.connectionEvents.makeAsyncIterator()
        #expect(await events.next() == .bluetoothAvailable(true))
        try world.perform { $0.apply(.daemonKilled) }
        while let event = await events.next(), event != .bluetoothAvailable(false) {}
        try await world.clock.sleep(for: .seconds(3600))
        try world.perform { $0.apply(.daemonStarted) }
        while let event = await events.next(), event != .bluetoothAvailable(true) {}
    }

    @Test("A sleep on the virtual clock takes its time and can be cancelled", .simulatedBlueZ)
    func sleep() async throws {
        let clock = try TestWorld.current.clock
        let time = try await inAMoment { try await clock.sleep(for: .seconds(86_400)) }
        #expect(time == .seconds(86_400))
        let sleeper = Task { try await clock.sleep(for: .seconds(1e9)) }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test("In real time, the system clock is used", .simulatedBlueZ(time: .real))
    func realTime() async throws {
        let world = try TestWorld.current
        let begun = ContinuousClock.now
        try await world.clock.sleep(for: .milliseconds(50))
        #expect(ContinuousClock.now - begun >= .milliseconds(50))
        #expect(world.time == .real)
    }
}
