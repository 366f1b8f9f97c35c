import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

/// The actor in the comment of `MainLoop`'s executor.
private enum Executor {
    actor Lock {
        private let loop: MainLoop
        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor }

        init(loop: MainLoop) { self.loop = loop }
    }
}

extension Executor.Lock {
    fileprivate var isOnLoop: Bool { loop.isCurrent }
}

/// The class in the comment of `ConnectionObserver`.
@MainActor
private final class Model {
    var title = ""
}

extension Model: @MainActor ConnectionObserver {
    func connected(to peripheral: PeripheralIdentifier) { title = peripheral.name }
}

/// The test in the comment of the trait.
@Suite("The block in the comment of the trait", .timeLimit(.minutes(15)))
struct TraitCommentTests {
    @Test(.simulatedBlueZ { $0.add(.heartRateSensor()) })
    func theHeartBeats() async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        await bluejay.start()
        try await bluejay.connect(toFirst: .name("Heart Rate Sensor"), within: 20)
    }
}

@Suite("The blocks in the comments of the sources", .timeLimit(.minutes(15)))
struct CommentTests {
    private let heartRate = ServiceIdentifier.heartRate

    /// Adds a lamp that has a battery, a described temperature, and a characteristic that answers.
    private static func addLamp(_ blueZ: SimulatedBlueZ) {
        let lamp = SimulatedDevice(
            address: "C0:00:00:00:00:01",
            name: "Lamp",
            advertising: ["FFE0"]
        )
        let temperature = ScriptedCharacteristic(
            "FFE2",
            ["read"],
            .value([21]),
            descriptors: [("2901", Array("Air".utf8)), ("2904", [4, 0, 0x2F, 0x27, 1, 0, 0])]
        )
        lamp.addService(
            "FFE0",
            [
                ScriptedCharacteristic("FFE1", ["write", "notify"], .echoes([])),
                temperature,
            ]
        )
        lamp.addService("180F", [ScriptedCharacteristic("2A19", ["read"], .value([87]))])
        blueZ.add(lamp)
    }

    private func connectedLamp() async throws -> Bluejay {
        let bluejay = try await startedBluejay()
        try await bluejay.connect(toFirst: .name("Lamp"), within: 20)
        return bluejay
    }

    @Test("The calls of a connected instance", .simulatedBlueZ { CommentTests.addLamp($0) })
    func calls() async throws {
        let bluejay = try await connectedLamp()
        let battery: UInt8 = try await bluejay.read(from: "2A19")
        #expect(battery == 87)
        bluejay.defaultTimeouts = DefaultTimeouts(
            connect: .seconds(30),
            characteristics: .seconds(10)
        )
        #expect(bluejay.defaultTimeouts.connect == .seconds(30))
        let isIdle = await bluejay.onLoop { !$0.isConnected && !$0.isConnecting && !$0.isScanning }
        #expect(!isIdle)
        let lamp = bluejay
        let version = try await lamp.ask("FFE1", writing: UInt8(0x10), as: String.self, within: 2)
        #expect(version == "\u{10}")
        SystemdService.notify(.ready, .status("listening to 2 sensors"))
        SystemdService.startWatchdog(on: bluejay.mainLoop)
    }

    @Test("A scope", .simulatedBlueZ { CommentTests.addLamp($0) })
    func scope() async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        let level = try await bluejay.withConnection(toFirst: .name("Lamp"), within: 20) { lamp in
            try await lamp.read(from: .batteryLevel, as: UInt8.self)
        }
        #expect(level == 87)
        #expect(!bluejay.isConnected)
    }

    @Test("Descriptors", .simulatedBlueZ { CommentTests.addLamp($0) })
    func descriptors() async throws {
        let bluejay = try await connectedLamp()
        let temperature = CharacteristicIdentifier(uuid: "FFE2")
        var lines: [String] = []
        try await TestWorld.current.expect("two values", count: 2) { done in
            func print(_ value: Any) {
                lines.append("\(value)")
                done()
            }
            bluejay.read(from: .userDescription(of: temperature), as: String.self) { print($0) }
            bluejay.read(from: .presentationFormat(of: temperature), as: PresentationFormat.self) {
                print($0)
            }
        }
        let format = "format 4, exponent 0, unit 272F, namespace 1, description 0000"
        #expect(lines == [#"success("Air")"#, "success(\(format))"])
    }

    @Test("Errors", .simulatedBlueZ { CommentTests.addLamp($0) })
    func errors() async throws {
        var lines: [String] = []
        func print(_ value: Any) { lines.append("\(value)") }
        func open(_ latch: CharacteristicIdentifier, _ bluejay: Bluejay) async throws {
            do {
                try await bluejay.write(to: latch, value: UInt8(1))
            } catch BluejayError.notConnected {
                print("connect first")
            } catch BluejayError.missingCharacteristic {  // with any identifier
                print("this is no lock")
            } catch let error as BluejayError where error.isRetryable {
                print("later: \(error)")
            }
        }
        try await open("FFE1", startedBluejay())
        let lamp = try await connectedLamp()
        try await open("FFE9", lamp)
        try await open("FFE1", lamp)
        #expect(lines == ["connect first", "this is no lock"])
    }

    @Test("The first that matches", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func first() async throws {
        let bluejay = try await startedBluejay()
        var lines: [String] = []
        try await TestWorld.current.expect("a connection") { done in
            func print(_ value: Any) {
                lines.append("\(value)")
                done()
            }
            bluejay.connect(toFirst: .anyService([heartRate]), within: 15) { print($0) }
        }
        #expect(lines.first?.contains("Heart Rate Sensor") == true)
        #expect(bluejay.isConnected)
    }

    @Test(
        "Filters",
        .simulatedBlueZ { blueZ in
            blueZ.add(.heartRateSensor(name: "Polar H10"))
            CommentTests.addLamp(blueZ)
        }
    )
    func filters() async throws {
        let bluejay = try await startedBluejay()
        let near: ScanFilter = .namePrefix("Polar") && .minimumRSSI(-70)
        let others: ScanFilter = !.address("C4:7C:8D:6A:1F:02") && (.name("Lamp") || .name("Bulb"))
        let strong: ScanFilter = .where { discovery in discovery.rssi > -70 }
        var found: [[String]] = []
        func names(_ filter: ScanFilter) async throws -> [String] {
            var names: [String] = []
            for try await discovery in bluejay.scan(matching: filter, duration: 5) {
                names.append(discovery.peripheralIdentifier.name)
            }
            return names.sorted()
        }
        for filter in [near, others, strong] { found.append(try await names(filter)) }
        #expect(found == [["Polar H10"], ["Lamp"], ["Lamp", "Polar H10"]])
    }

    @Test(
        "Text in lines",
        .simulatedBlueZ { blueZ in
            let meter = SimulatedDevice(
                address: "C0:00:00:00:00:02",
                name: "Meter",
                advertising: ["FFE0"]
            )
            let parts = ["one\nt", "wo\n"].map { Array($0.utf8) }
            meter.addService(
                "FFE0",
                [ScriptedCharacteristic("FFE1", ["notify"], .sends(parts, everySeconds: 1))]
            )
            blueZ.add(meter)
        }
    )
    func text() async throws {
        let bluejay = try await startedBluejay()
        try await bluejay.connect(toFirst: .name("Meter"), within: 20)
        var lines: [String] = []
        func print(_ line: String) {
            lines.append(line)
            if lines.count == 2 { bluejay.cancelEverything() }
        }
        await #expect(throws: BluejayError.self) {
            for try await line in bluejay.values(of: "FFE1", as: String.self, merging: .lines) {
                print(line)
            }
        }
        #expect(lines == ["one", "two"])
    }

    @Test("Isolation", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func isolation() async throws {
        let bluejay = try await startedBluejay()
        #expect(await Executor.Lock(loop: bluejay.mainLoop).isOnLoop)
        let model = await MainActor.run { Model() }
        await MainActor.run { bluejay.register(connectionObserver: model) }
        try await bluejay.connect(toFirst: .anyService([heartRate]), within: 20)
        try await TestWorld.current.clock.sleep(for: .seconds(1))
        #expect(await model.title == "Heart Rate Sensor")
    }

    @Test("Pairing", .simulatedBlueZ { $0.add(.passkeyLock()) })
    func pairing() async throws {
        let bluejay = try await startedBluejay()
        @Sendable func numberThatIsTyped() async -> UInt32 { SimulatedDevice.DoorLock.passkey }
        await bluejay.setPairingHandler { request, _ in
            guard case .passkey = request else { return .reject }
            return await .passkey(numberThatIsTyped())
        }
        try await bluejay.connect(toFirst: .name("Lock"), within: 20)
        try await bluejay.pair()
        #expect(try await bluejay.peripheralDetails().isPaired)
    }

    /// A value that tasks share.
    private actor Store {
        private(set) var stored = Data([1])

        func value() -> Data { stored }
        func level() -> Data { stored }
        func permits(_ value: Data) -> Bool { value.count == 1 }
        func set(_ value: Data) { stored = value }
    }

    // In real time: a virtual clock does not wait for the task that the second handler starts.
    @Test("Requests of centrals", .simulatedBlueZ(time: .real))
    func requests() async throws {
        let world = try TestWorld.current
        let server = GATTServer(mainLoop: world.mainLoop)
        let store = Store()
        let level: BluetoothUUID = "FFE1"
        let first =
            LocalCharacteristic(
                uuid: level,
                properties: [.read],
                onRead: { request in
                    request.respond(with: await store.level())
                }
            )
        let second = LocalCharacteristic(
            uuid: "FFE2",
            properties: [.read],
            onRead: { request in Task { request.respond(with: await store.value()) } }
        )
        let third = LocalCharacteristic(
            uuid: "FFE3",
            properties: [.write],
            onWrite: { request in
                guard await store.permits(request.value) else {
                    return request.reject(ATTError(code: 0x80))
                }
                if request.acceptIfWaiting() { await store.set(request.value) }
            }
        )
        let lamp = LocalService(uuid: "FFE0", characteristics: [first, second, third])
        let serving = Task {
            try await server.serve(
                [lamp],
                advertising: LocalAdvertisement(name: "Lamp", serviceUUIDs: [lamp.uuid])
            )
        }
        let phone = try TestWorld.current.addCentral()
        try await phone.connect()
        try await phone.write([2], to: "FFE3")
        #expect(try await phone.read("FFE1") == [2])
        #expect(try await phone.read("FFE2") == [2])
        await #expect(throws: CentralError.refused(0x80)) {
            try await phone.write([1, 2], to: "FFE3")
        }
        serving.cancel()
    }

    @Test("A central", .simulatedBlueZ)
    func central() async throws {
        let server = GATTServer(mainLoop: try TestWorld.current.mainLoop)
        let control = LocalCharacteristic(uuid: "2A39", properties: [.write])
        let heart = LocalService(uuid: "180D", characteristics: [control])
        try await server.withServices([heart], advertising: LocalAdvertisement(name: "Heart")) {
            _ in
            let phone = try TestWorld.current.addCentral()
            try await phone.connect()
            try await phone.write([1], to: "2A39")
        }
        #expect(control.value == Data([1]))
    }

    @Test("A scripted central and a scripted device", .simulatedBlueZ)
    func scripts() async throws {
        let world = try TestWorld.current
        try world.perform { world in
            let lock = SimulatedDevice(
                address: "C4:7C:8D:6A:1F:02",
                name: "Lock",
                advertising: ["FFE0"]
            )
            lock.addService(
                "FFE0",
                [ScriptedCharacteristic("FFE1", ["read", "write"], .value([0]))]
            )
            world.add(lock)
        }
        let bluejay = try await startedBluejay()
        try await bluejay.connect(toFirst: .name("Lock"), within: 20)
        #expect(try await bluejay.read(from: "FFE1") == UInt8(0))

        // The sensor whose values the central expects.
        let server = GATTServer(mainLoop: world.mainLoop)
        let beat = LocalCharacteristic(uuid: "2A37", properties: [.notify])
        let heart = LocalService(uuid: "180D", characteristics: [beat])
        try await server.withServices([heart], advertising: LocalAdvertisement(name: "Heart")) {
            server in
            async let _: Void = Self.send(Data([0, 60]), on: beat, of: server)
            try await world.expect("the end of the script") { done in
                play(in: world) { values, failures in
                    #expect(values.count == 3)
                    #expect(failures.isEmpty)
                    done()
                }
            }
        }
    }

    /// Notifies once a second, until it is cancelled.
    private static func send(
        _ value: Data,
        on characteristic: LocalCharacteristic,
        of server: GATTServer
    ) async throws {
        while true {
            _ = try? server.notify(value, on: characteristic)
            try await TestWorld.current.clock.sleep(for: .seconds(1))
        }
    }

    private func play(
        in world: TestWorld,
        _ print: @escaping @Sendable ([[UInt8]], [CentralFailure]) -> Void
    ) {
        _ = try? world.perform { world in
            let phone = SimulatedCentral(address: "C0:FF:EE:00:00:01")
            world.add(phone)
            phone.play([.connect, .subscribe("2A37"), .expect("2A37", count: 3), .disconnect]) {
                report in
                print(report.values, report.failures)
            }
        }
    }

    @Test("A callback is awaited", .simulatedBlueZ)
    func callback() async throws {
        let world = try TestWorld.current
        let lock = Lamp(GATTServer(mainLoop: world.mainLoop))
        try await world.expect("the lock is open") { done in
            lock.open { _ in done() }
        }
    }

    @Test("A simulated system without a world")
    func system() async throws {
        let loop = MainLoop(threadName: "comment")
        defer { loop.stop() }
        let system = try await SimulatedSystem.start()
        await system.perform { $0.add(.heartRateSensor()) }
        let bluejay = Bluejay(mainLoop: loop, busAddress: system.busAddress)
        await bluejay.start()
        try await bluejay.connect(toFirst: .anyService([heartRate]), within: 20)
        #expect(bluejay.isConnected)
    }
}

extension Lamp {
    /// Stands for the opening of a lock.
    fileprivate func open(_ completion: @escaping (Result<Void, any Error>) -> Void) {
        begin(ready: completion)
    }
}
