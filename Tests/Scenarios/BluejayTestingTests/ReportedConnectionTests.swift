import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import TestTraits
import Testing

private final class Record {
    var events: [String] = []
    private let clock: TestClock
    private let start: TestClock.Instant

    init(_ world: TestWorld) {
        clock = world.clock
        start = clock.now
    }

    func note(_ event: String) {
        events.append("\(event) at \(start.duration(to: clock.now).components.seconds)")
    }
}

@Suite("Disconnections of peripherals that a scan reported as connected", .timeLimit(.minutes(15)))
struct ReportedConnectionTests {
    private typealias Heart = SimulatedDevice.HeartRateSensor

    private var heart: ServiceIdentifier {
        ServiceIdentifier(uuid: BluetoothUUID(string: Heart.service))
    }

    /// A world in which another program is connected to the sensor.
    private func worldWithConnection() async throws -> (TestWorld, Bluejay) {
        let world = try TestWorld.current
        let bluejay = try await startedBluejay()
        _ = try await find(Heart.service, by: bluejay)
        try world.perform { $0.apply(.otherProgramConnects(Heart.address)) }
        try await world.clock.sleep(for: .seconds(20))
        #expect(try await bluejay.connectedPeripherals().count == 1)
        return (world, bluejay)
    }

    private func sensor(_ work: @escaping @Sendable (SimulatedDevice) -> Void) throws {
        try TestWorld.current.perform { world in
            guard let device = world.device(Heart.address) else { return }
            work(device)
        }
    }

    @Test(
        "A scan reports the disconnection, and the peripheral expires 15 s later",
        .fault(.otherDisconnects, during: .scan),
        .simulatedBlueZ { $0.add(.heartRateSensor()) },
        arguments: [true, false]
    )
    func scan(keepsList: Bool) async throws {
        let (world, bluejay) = try await worldWithConnection()
        let record = Record(world)
        if keepsList {
            bluejay.scan(allowDuplicates: true, serviceIdentifiers: [heart]) { found, all in
                record.note("found \(found.isConnected) of \(all.count)")
                return .continue
            } expired: { lost, all in
                record.note("lost \(lost.isConnected) of \(all.count)")
                return .continue
            } stopped: { _, _ in
            }
        } else {
            bluejay.scan(allowDuplicates: true, serviceIdentifiers: [heart]) { found in
                record.note("found \(found.isConnected) of 1")
                return .continue
            } expired: { lost in
                record.note("lost \(lost.isConnected) of 0")
                return .continue
            } stopped: { _ in
            }
        }
        try await world.clock.sleep(for: .seconds(600))
        try sensor { $0.leaveRange() }
        try await world.clock.sleep(for: .seconds(40))
        #expect(
            record.events == [
                "found true of 1 at 1", "found false of 1 at 600", "lost false of 0 at 615",
            ]
        )
    }

    @Test(
        "A scan reports the disconnection and keeps a peripheral that advertises",
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func advertises() async throws {
        let (world, bluejay) = try await worldWithConnection()
        let record = Record(world)
        bluejay.scan(allowDuplicates: true, serviceIdentifiers: [heart]) { found in
            record.note("found \(found.isConnected)")
            return .continue
        } expired: { lost in
            record.note("lost \(lost.isConnected)")
            return .continue
        } stopped: { _ in
        }
        try await world.clock.sleep(for: .seconds(100))
        try sensor { $0.dropLink() }
        try await world.clock.sleep(for: .seconds(100))
        #expect(record.events.prefix(2) == ["found true at 1", "found false at 100"])
        #expect(record.events.allSatisfy { !$0.hasPrefix("lost") })
    }

    @Test(
        "A disconnection updates the list of a scan that reports each peripheral once",
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func once() async throws {
        let (world, bluejay) = try await worldWithConnection()
        let record = Record(world)
        bluejay.scan(serviceIdentifiers: [heart]) { found, _ in
            record.note("found \(found.isConnected)")
            return .continue
        } stopped: { all, _ in
            record.note("stopped \(all.map(\.isConnected))")
        }
        try await world.clock.sleep(for: .seconds(100))
        try sensor { $0.leaveRange() }
        try await world.clock.sleep(for: .seconds(100))
        await bluejay.stopScanning()
        try await world.clock.sleep(for: .seconds(1))
        #expect(record.events == ["found true at 1", "stopped [false] at 200"])
    }

    @Test(
        "A watch reports the disconnection as a change and later the loss",
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func watch() async throws {
        let (world, bluejay) = try await worldWithConnection()
        let record = Record(world)
        // A filter by name always requires discovery.
        bluejay.watch(for: .namePrefix("Heart")) { event in
            switch event {
            case .started(let mode): record.note("\(mode)")
            case .found(let found): record.note("found \(found.isConnected)")
            case .changed(let found): record.note("changed \(found.isConnected)")
            case .lost(let found): record.note("lost \(found.isConnected)")
            }
            return .continue
        } stopped: { _ in
        }
        try await world.clock.sleep(for: .seconds(100))
        try sensor { $0.leaveRange() }
        try await world.clock.sleep(for: .seconds(100))
        #expect(
            record.events == [
                "active at 0", "found true at 0", "changed false at 100", "lost false at 115",
            ]
        )
    }

    @Test(
        "A scan stream delivers the disconnection as an element",
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func stream() async throws {
        let (_, bluejay) = try await worldWithConnection()
        var found: [Bool] = []
        let stream = bluejay.scan(matching: .namePrefix("Heart"), allowDuplicates: true)
        for try await discovery in stream {
            found.append(discovery.isConnected)
            guard discovery.isConnected else { break }
            try sensor { $0.leaveRange() }
        }
        #expect(found == [true, false])
    }

    @Test(
        "A disconnection within a second hides the peripheral from a scan and a search",
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func heldBack() async throws {
        let (world, bluejay) = try await worldWithConnection()
        let record = Record(world)
        bluejay.scan(
            matching: .namePrefix("Heart"),
            allowDuplicates: true,
            besideQueue: true
        ) { _ in
            record.note("found")
            return .continue
        } stopped: { _ in
        }
        bluejay.connect(toFirst: .namePrefix("Heart"), within: 30) { result in
            if case .failure(let error as BluejayError) = result { record.note("\(error.code)") }
        }
        try await world.clock.sleep(for: .milliseconds(500))
        try sensor { $0.leaveRange() }
        try await world.clock.sleep(for: .seconds(60))
        #expect(record.events == ["\(BluejayError.noPeripheralFound("").code) at 30"])
        let connected = try await bluejay.connectedPeripherals()
        #expect(connected == [])
    }

    @Test(
        "connect(toFirst:) connects once the disconnected peripheral advertises again",
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func connectsLater() async throws {
        let (world, bluejay) = try await worldWithConnection()
        async let connected = bluejay.connect(toFirst: .namePrefix("Heart"), within: 30)
        try await world.clock.sleep(for: .milliseconds(500))
        try sensor { $0.dropLink() }
        #expect(try await connected.address == Heart.address)
    }
}
