import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

@Suite("Code blocks of the articles", .timeLimit(.minutes(15)))
struct ArticleTests {
    private func printed(
        by bluejay: Bluejay,
        _ play: [(ArticleBlocks) -> Void]
    ) async throws -> [String] {
        let world = try TestWorld.current
        var lines: [String] = []
        var came: () -> Void = {}
        let blocks = ArticleBlocks(bluejay: bluejay) { value in
            lines.append("\(value)")
            came()
        }
        for one in play {
            try await world.expect("a line") { done in
                came = { done() }
                one(blocks)
            }
            came = {}
        }
        return lines
    }

    @Test("Scanning", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func scanning() async throws {
        let lines = try await printed(by: startedBluejay(), [{ $0.scanWithList() }])
        #expect(lines == ["Heart Rate Sensor, 1 so far"])
        let near = try await printed(by: startedBluejay(), [{ $0.scanBeside() }])
        #expect(near.map { $0.hasPrefix("Heart Rate Sensor at -") } == [true])
    }

    @Test(
        "Connecting, reading, writing, background tasks and listening",
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func connected() async throws {
        let lines = try await printed(
            by: startedBluejay(),
            [
                { $0.connect() }, { $0.readAndWrite() }, { $0.runTask() }, { $0.listen() },
            ]
        )
        #expect(
            lines.prefix(4) == [
                "connected to Heart Rate Sensor (C4:7C:8D:6A:1F:02)", "worn at place 1",
                "worn at place 1", "60 beats per minute",
            ]
        )
    }

    @Test("Pairing", .simulatedBlueZ { $0.add(.passkeyLock()) })
    func pairing() async throws {
        let bluejay = try await startedBluejay()
        let service = SimulatedDevice.DoorLock.service
        try await bluejay.connect(find(service, by: bluejay), timeout: .seconds(10))
        let lines = try await printed(by: bluejay, [{ $0.pair() }])
        #expect(lines == ["paired"])
    }

    @Test("Errors, with a completion and with await", .simulatedBlueZ)
    func errors() async throws {
        let address = "C0:00:00:00:00:01"
        let world = try TestWorld.current
        let service = ServiceIdentifier(uuid: "FFE0")
        let latch = CharacteristicIdentifier(uuid: "FFE1", service: service)
        let missing = CharacteristicIdentifier(uuid: "FFE9", service: service)
        try world.perform { blueZ in
            let lock = SimulatedDevice(address: address, name: "Lock", advertising: ["FFE0"])
            lock.addService("FFE0", [ScriptedCharacteristic("FFE1", ["write"], .value([0]))])
            blueZ.add(lock)
        }
        let bluejay = try await startedBluejay()
        func open(_ place: CharacteristicIdentifier) async throws -> String? {
            let lines = try await printed(by: bluejay, [{ $0.open(place) }])
            var others: [String] = []
            try await openAndExplain(place, bluejay) { others.append("\($0)") }
            #expect(others == lines || lines == ["open"] && others == [])
            return lines.first
        }
        #expect(try await open(latch)?.hasPrefix("later: ") == true)
        try await bluejay.connect(find("FFE0", by: bluejay), timeout: .seconds(10))
        #expect(try await open(latch) == "open")
        #expect(try await open(missing) == "this is not a lock")
        try world.perform { $0.device(address)?.setBehavior(.refuses(0x0F), of: "FFE1") }
        #expect(try await open(latch) == "pair first")
        try world.perform { $0.device(address)?.setBehavior(.refuses(0x13), of: "FFE1") }
        #expect(try await open(latch) == "the latch rejected the value")
    }

    @Test("Main loops", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func loops() async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        let (lines, feed) = AsyncStream<String>.makeStream()
        // Call from another thread than the loop's.
        Task.detached { connectOnLoop(of: bluejay) { feed.yield("\($0)") } }
        var iterator = lines.makeAsyncIterator()
        #expect(await iterator.next() == "connected to Heart Rate Sensor (C4:7C:8D:6A:1F:02)")
    }

    @Test("Restoration", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func restoration() async throws {
        let world = try TestWorld.current
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "bluejay-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        /// The output of a run up to its first heart rate, and the state that a kill would leave.
        func run() async throws -> (lines: [String], state: Data) {
            var lines: [String] = []
            var follower: Follower?
            try await world.expect("a heart rate") { came in
                follower = Follower(world.makeBluejay()) { line in
                    lines.append(line)
                    if line.hasSuffix("per minute") { came() }
                }
                follower?.begin(keeping: folder)
            }
            let state = try Data(contentsOf: folder.appending(path: "heart.json"))
            return withExtendedLifetime(follower) { (lines, state) }
        }
        let first = try await run()
        #expect(first.lines == ["60 beats per minute"])
        // Releasing the instance has disconnected and removed the file; a kill would have left it.
        try await world.clock.sleep(for: .seconds(60))
        try first.state.write(to: folder.appending(path: "heart.json"))
        let second = try await run().lines
        #expect(second.first == "reconnected to Heart Rate Sensor")
        #expect(second.last?.hasSuffix(" beats per minute") == true)
    }

    @Test("Tasks", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func tasks() async throws {
        #expect(try await followThree(TestWorld.current.makeBluejay()) == [60, 61, 62])
    }

    @Test("Serving", .simulatedBlueZ)
    func serving() async throws {
        let world = try TestWorld.current
        let server = GATTServer(mainLoop: world.mainLoop)
        try await world.expect("the bell") { done in
            publishBell(with: server) { error in
                #expect(error == nil)
                done()
            }
        }
        let phone = try world.addCentral()
        try await phone.connect()
        #expect(try await phone.read("FFE1") == [5])
    }

    @Test("The sensor reports where it is worn", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func place() async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        await bluejay.start()
        try await bluejay.connect(toFirst: .anyService([.heartRate]), within: 20)
        let place = try await bluejay.read(from: .bodySensorLocation, as: UInt8.self)
        #expect(place == 1)
    }

    @Test("The sensor reconnects", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func reconnection() async throws {
        let world = try TestWorld.current
        let address = SimulatedDevice.HeartRateSensor.address
        let bluejay = world.makeBluejay()
        try await bluejay.withConnection(toFirst: .anyService([.heartRate]), within: 20) { sensor in
            try world.perform { $0.device(address)?.leaveRange() }
            try await world.clock.sleep(for: .seconds(600))
            #expect(!sensor.isConnected)
            try world.perform { $0.device(address)?.returnToRange() }
            try await world.clock.sleep(for: .seconds(120))
            #expect(sensor.isConnected)
        }
    }

    @Test("The lamp accepts a percentage", .simulatedBlueZ)
    func percentage() async throws {
        let world = try TestWorld.current
        let server = GATTServer(mainLoop: world.mainLoop)
        async let _: Void = serveLamp(with: server)
        let phone = try world.addCentral()
        while !server.isAdvertising { try await world.clock.sleep(for: .milliseconds(10)) }
        try await phone.connect()
        try await phone.subscribe(to: "FFE1")
        try await phone.write([80], to: "FFE1")
        #expect(try await phone.next(of: "FFE1") == [[80]])
        #expect(try await phone.read("FFE1") == [80])
        await #expect(throws: CentralError.refused(0x80)) {
            try await phone.write([101], to: "FFE1")
        }
    }

    @Test("The lamp starts at half brightness and stops with its task", .simulatedBlueZ)
    func brightness() async throws {
        let world = try TestWorld.current
        let server = GATTServer(mainLoop: world.mainLoop)
        let serving = Task { try await serveLamp(with: server) }
        let phone = try world.addCentral()
        while !server.isAdvertising { try await world.clock.sleep(for: .milliseconds(10)) }
        try await phone.connect()
        #expect(try await phone.read("FFE1") == [50])
        serving.cancel()
        try await serving.value
        #expect(!server.isAdvertising)
    }

    @Test("The lamp with callbacks accepts a percentage", .simulatedBlueZ)
    func lamp() async throws {
        let world = try TestWorld.current
        let lamp = Lamp(GATTServer(mainLoop: world.mainLoop))
        try await world.expect("the lamp") { ready in
            lamp.begin { _ in ready() }
        }
        let phone = try world.addCentral()
        try await phone.connect()
        try await phone.subscribe(to: "FFE1")
        try await phone.write([80], to: "FFE1")
        #expect(try await phone.next(of: "FFE1") == [[80]])
        #expect(try await phone.read("FFE1") == [80])
        await #expect(throws: CentralError.refused(0x80)) {
            try await phone.write([101], to: "FFE1")
        }
    }
}
