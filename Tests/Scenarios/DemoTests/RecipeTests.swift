import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("The ten recipes", .timeLimit(.minutes(15)))
struct RecipeTests {
    /// The non-blank lines of the same programs with bleak, where bleak can do it.
    private static let bleak = [
        "Battery": 7, "HeartRate": 11, "Ask": 10, "ServicesOfName": 9, "ForEver": 15, "Scan": 7,
        "Pair": 8,
    ]

    @Test("Each recipe has at most 12 lines, and seven have at most the 67 lines of bleak")
    func lineCounts() throws {
        let folder = repositoryFile("Demos/Recipes")
        var counts: [String: Int] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let recipe = folder.appending(path: name)
            let files = try FileManager.default.contentsOfDirectory(atPath: recipe.path)
            for file in files where file.hasSuffix(".swift") {
                let text = try String(contentsOf: recipe.appending(path: file), encoding: .utf8)
                counts[name] = text.split(separator: "\n").count
            }
        }
        #expect(counts.count == 10)
        #expect(counts.values.allSatisfy { $0 <= 12 })
        #expect(Self.bleak.values.reduce(0, +) == 67)
        #expect(Self.bleak.keys.reduce(0) { $0 + (counts[$1] ?? 100) } <= 67)
    }

    @Test("The recipes read the battery, list services, pair and wait for a response")
    func calls() async throws {
        let stage = try await Stage()
        await stage.add(named: "Heart Rate Sensor") { device in
            device.addService("180D", [])
            device.addService("180F", [ScriptedCharacteristic("2A19", ["read"], .value([87]))])
        }
        #expect(try await stage.run("recipe-battery") == ["87 %"])
        #expect(try await stage.run("recipe-services").contains { $0.contains("(180D)") })
        await stage.add(named: "Port", address: "C0:00:00:00:00:09") { device in
            let port = ScriptedCharacteristic("FFE1", ["write", "notify"], .echoes([]))
            device.addService("FFE0", [port])
        }
        #expect(try await stage.run("recipe-ask") == ["answered 16"])
        await stage.system.perform { $0.add(.passkeyLock()) }
        #expect(try await stage.run("recipe-pair") == ["paired"])
    }

    @Test("The file recipe sends a complete file over a channel")
    func file() async throws {
        let stage = try await Stage()
        await stage.add(named: "Store") { $0.serveChannels(on: 0x80, .sink) }
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(count: 30_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let lines = try await stage.run("recipe-send-file", [file.path, Stage.address])
        #expect(lines == ["sent 30000 bytes"])
        let received = await stage.system.read {
            $0.device(Stage.address)?.channels.map(\.received).reduce(0, +)
        }
        #expect(received == 30_000)
    }

    @Test("A central reads the value of the serving recipe")
    func serving() async throws {
        let program = try await RunningProgram(
            "bluez-simulator",
            ["--central", "connect; read FFE1; leave", "--", programPath("recipe-serve")]
        )
        try await program.wait(for: "central 1: done")
        _ = await program.end(SIGTERM)
        #expect(program.lines.contains { $0.contains("FFE1 is 64") })
        #expect(program.lines.contains("central 1: done, 0 failed"))
    }

    @Test(
        "A signal ends a continuous recipe and disconnects",
        arguments: ["recipe-heart-rate", "recipe-for-ever", "recipe-scan"],
        [SIGINT, SIGTERM]
    )
    func signals(name: String, signal: Int32) async throws {
        let stage = try await Stage()
        await stage.system.perform { $0.add(.heartRateSensor()) }
        let program = try await stage.start(name)
        try await wait { await stage.isConnected || name == "recipe-scan" }
        if name == "recipe-scan" { try await Task.sleep(for: .seconds(1)) }
        #expect(await program.end(signal) == 128 + signal)
        #expect(await !stage.isConnected)
    }

    @Test("Heart rates continue after lost links, a power cycle and a killed bluetoothd")
    func forEver() async throws {
        let stage = try await Stage()
        await stage.system.perform { $0.add(.heartRateSensor()) }
        let program = try await stage.start("recipe-for-ever")
        func values() -> Int { program.lines.filter { $0.hasSuffix(" beats per minute") }.count }
        for fault in 0..<4 {
            let count = values()
            try await wait { values() > count + 1 }
            switch fault {
            case 1: await stage.switchOffAndOn()
            case 3: try await stage.restartDaemon()
            default: await stage.system.perform { $0.device(Stage.sensor)?.dropLink() }
            }
        }
        let count = values()
        try await wait { values() > count + 1 }
        #expect(await program.end(SIGTERM) == 128 + SIGTERM)
    }
}

/// A simulated BlueZ in this process, with waits of a tenth of the real ones.
private final class Stage: Swift.Sendable {
    static let address = "C0:00:00:00:00:08"
    static let sensor = "C4:7C:8D:6A:1F:02"

    let system: SimulatedSystem
    private let slot: BusSlot

    private static let options = {
        var options = SimulatorOptions()
        options.timeScale = 0.1
        return options
    }()

    init() async throws {
        slot = await BusSlot.acquire()
        let options = Self.options
        system = try await SimulatedSystem.start(options)
    }

    var isConnected: Bool {
        get async { await system.read { $0.device(Self.sensor)?.isConnected ?? false } ?? false }
    }

    func switchOffAndOn() async {
        await system.perform { system in
            system.setPowered(false, ofAdapter: 0) { system.setPowered(true, ofAdapter: 0) }
        }
    }

    func restartDaemon() async throws {
        await system.killDaemon()
        try await system.startDaemon(Self.options)
    }

    func add(
        named name: String,
        address: String = address,
        _ change: @escaping @Sendable (SimulatedDevice) -> Void
    ) async {
        await system.perform { system in
            let device = SimulatedDevice(address: address, name: name, advertising: ["180D"])
            change(device)
            system.add(device)
        }
    }

    func start(_ name: String, _ arguments: [String] = []) async throws -> RunningProgram {
        try await RunningProgram(
            name,
            arguments,
            isLineBuffered: true,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": system.busAddress]
        )
    }

    /// Runs a program to its end, which must have the status 0, and returns its output.
    func run(_ name: String, _ arguments: [String] = []) async throws -> [String] {
        let program = try await start(name, arguments)
        try await wait { program.status != nil }
        #expect(program.status == 0)
        return program.lines
    }
}
