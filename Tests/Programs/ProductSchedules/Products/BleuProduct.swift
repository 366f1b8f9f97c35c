import Bleu
import BluejayCore
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Distributed
import Foundation

/// Systems that call an actor of another system and devices that only claim to serve it, and centrals that
/// write anything to the actor.
// Used on the loop of the world only, which justifies `@unchecked`.
final class BleuProduct: ScheduledProduct, @unchecked Swift.Sendable {
    enum Call: ProductCall {
        case read(Target), echo(Target, Int), long(Target), note(Target), fail(Target)
        case wait(Target), count(Target, Int), silence(Target)
        case discover, disconnect(Target), states(Target), cancel, release
        case serve, stopServing
    }

    /// The actor, or a device that claims to be one.
    enum Target: Swift.Sendable { case sensor, device(Int) }

    static let maximumUserCount = 2
    static let methods = [
        "Connect", "Disconnect", "ReadValue", "WriteValue", "StartNotify", "AcquireNotify",
        "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter", "RegisterApplication",
        "RegisterAdvertisement", "UnregisterAdvertisement", "UnregisterApplication",
        "GetManagedObjects",
    ]
    private static let names = ScheduledSensor.characteristics
    private static let vocabulary = StrangerVocabulary(
        served: names,
        centralCount: 2,
        owned: names,
        deviceCount: 2,
        values: BleuFrame.known,
        answersWrites: true
    )

    static func opening(users count: Int) -> [Step<Call>] {
        [Step(pause: .zero, action: .call(user: 0, .serve))]
    }

    static func call(_ dice: inout Dice) -> Call {
        let target: Target = dice.pick([(3, .sensor), (2, .device(dice.below(2)))])
        return dice.pick([
            (4, .read(target)), (4, .echo(target, dice.below(1_200))), (1, .long(target)),
            (2, .note(target)), (2, .fail(target)), (2, .wait(target)),
            (4, .count(target, 1 + dice.below(40))), (3, .silence(target)), (1, .discover),
            (2, .disconnect(target)), (1, .states(target)), (2, .cancel), (1, .release),
            (1, .serve), (1, .stopServing),
        ])
    }

    static func stranger(_ dice: inout Dice) -> StrangerAction { dice.stranger(vocabulary) }

    static func addDevices(to blueZ: SimulatedBlueZ) {
        for number in 0..<2 {
            let service = ServiceMapper.serviceUUID(for: ScheduledSensor.self).uuidString
            let device = SimulatedDevice(
                address: Strangers.deviceAddress(number),
                advertising: [service]
            )
            let flags = ["read", "write", "write-without-response", "notify"]
            device.addService(
                service,
                names.map { ScriptedCharacteristic($0, flags, .value([])) }
            )
            blueZ.add(device)
        }
    }

    private let stage: Stage
    private var users: [BleuUser?]
    private var server: BLEActorSystem?

    init(_ stage: Stage, users count: Int) {
        self.stage = stage
        users = Array(repeating: nil, count: count)
    }

    private func host(_ adapter: Int) -> BluetoothHost {
        BluetoothHost(
            mainLoop: stage.world.mainLoop,
            adapter: "hci\(adapter)",
            busAddress: stage.world.busAddress
        )
    }

    private func user(_ number: Int) -> BleuUser {
        if let user = users[number] { return user }
        let user = BleuUser(number, BLEActorSystem(host: host(1)), stage)
        users[number] = user
        return user
    }

    func perform(_ call: Call, by number: Int) {
        switch call {
        case .release:
            let user = users[number]
            users[number] = nil
            user?.cancel()
        case .serve: serve()
        case .stopServing: stopServing()
        default: user(number).perform(call)
        }
    }

    private func serve() {
        let server = server ?? BLEActorSystem(host: host(0))
        if self.server == nil { stage.watch(server, "serving system") }
        self.server = server
        stage.start("startAdvertising", by: 9) {
            try await server.startAdvertising(ScheduledSensor(actorSystem: server))
            return "ok"
        }
    }

    private func stopServing() {
        guard let server else { return }
        stage.start("stopAdvertising", by: 9) {
            try await server.stopAdvertising()
            return "ok"
        }
    }

    func endEndlessCalls() { for user in users { user?.cancelEndless() } }

    func probe() async throws {
        let server = server ?? BLEActorSystem(host: host(0))
        self.server = server
        try await server.stopAdvertising()
        try await server.startAdvertising(ScheduledSensor(actorSystem: server))
        // Connected callers see the services of another actor after a moment.
        await stage.pass(.seconds(5))
        for number in users.indices { try await user(number).probe() }
    }

    func release() {
        for user in users { user?.cancel() }
        users = users.map { _ in nil }
        stopServing()
        server = nil
    }
}

/// A system with its calls.
// Used on the loop of the world only, which justifies `@unchecked`.
private final class BleuUser: @unchecked Swift.Sendable {
    private let number: Int
    private let system: BLEActorSystem
    private let stage: Stage
    private var tasks: [Task<Void, Never>] = []
    private var endlessTasks: [Task<Void, Never>] = []

    init(_ number: Int, _ system: BLEActorSystem, _ stage: Stage) {
        self.number = number
        self.system = system
        self.stage = stage
        stage.watch(system, "calling system")
    }

    func cancel() {
        for task in tasks { task.cancel() }
        tasks = []
        cancelEndless()
    }

    func cancelEndless() {
        for task in endlessTasks { task.cancel() }
        endlessTasks = []
    }

    private func id(_ target: BleuProduct.Target) -> UUID {
        let identifier =
            switch target {
            case .sensor:
                try? PeripheralIdentifier(
                    address: "00:AA:01:00:00:00",
                    isRandomAddress: false,
                    name: nil
                )
            case .device(let number):
                try? PeripheralIdentifier(
                    address: Strangers.deviceAddress(number),
                    isRandomAddress: true,
                    name: nil
                )
            }
        return identifier?.uuid ?? UUID()
    }

    func perform(_ call: BleuProduct.Call) {
        let (system, stage) = (system, stage)
        func start(
            _ kind: String,
            _ target: BleuProduct.Target,
            _ work: @escaping @Sendable (ScheduledSensor) async throws -> String
        ) {
            let id = id(target)
            let task = stage.start(kind, by: number, "\(target)") {
                try await work(try await system.connect(to: id, as: ScheduledSensor.self))
            }
            if kind == "silence" { endlessTasks.append(task) } else { tasks.append(task) }
        }
        switch call {
        case .read(let target): start("read", target) { "\(try await $0.read())" }
        case .echo(let target, let length):
            let text = String(repeating: "x", count: length)
            let isKnown = if case .sensor = target { true } else { false }
            start("echo", target) { [ledger = stage.ledger] in
                let reply = try await $0.echo(text)
                if isKnown, reply != text {
                    ledger.violate("echo returns another text", "\(reply.count), not \(length)")
                }
                return "ok"
            }
        case .long(let target): start("long", target) { "\(try await $0.long().count)" }
        case .note(let target):
            start("note", target) {
                try await $0.note("line")
                return "ok"
            }
        case .fail(let target):
            start("fail", target) {
                try await $0.fail()
                return "ok"
            }
        case .wait(let target):
            start("wait", target) {
                try await $0.wait()
                return "ok"
            }
        case .count(let target, let limit): count(target, limit, start)
        case .silence(let target):
            start("silence", target) {
                for await _ in try await $0.silence() {}
                return "ended"
            }
        case .discover:
            tasks.append(
                stage.start("discover", by: number) {
                    "\(try await system.discover(ScheduledSensor.self, timeout: 4).count)"
                }
            )
        case .disconnect(let target):
            let id = id(target)
            stage.start("disconnect", by: number, "\(target)") {
                try await system.disconnect(from: id)
                return "ok"
            }
        case .states(let target):
            let states = system.connectionStates(of: id(target))
            endlessTasks.append(
                stage.start("connectionStates", by: number) {
                    var count = 0
                    for await _ in states { count += 1 }
                    return "\(count) states"
                }
            )
        case .cancel: cancel()
        case .release, .serve, .stopServing: break
        }
    }

    private func count(
        _ target: BleuProduct.Target,
        _ limit: Int,
        _ start: (
            String, BleuProduct.Target, @escaping @Sendable (ScheduledSensor) async throws -> String
        ) -> Void
    ) {
        let isKnown = if case .sensor = target { true } else { false }
        start("count", target) { [ledger = stage.ledger] sensor in
            var expected = 0
            for await number in try await sensor.count() {
                if isKnown, number != expected {
                    ledger.violate("count: an element is missing", "\(number), not \(expected)")
                }
                expected += 1
                if expected == limit { break }
            }
            return "\(expected) elements"
        }
    }

    /// Calls the actor in every form; all calls succeed.
    func probe() async throws {
        let id = id(.sensor)
        try? await system.disconnect(from: id)
        let sensor = try await system.connect(to: id, as: ScheduledSensor.self)
        guard try await sensor.read() == 1, try await sensor.echo("text") == "text" else {
            throw ProbeError.wrongValue
        }
        var count = 0
        for await number in try await sensor.count() where number == 20 { count = number; break }
        guard count == 20 else { throw ProbeError.wrongValue }
        try await system.disconnect(from: id)
    }
}

distributed actor ScheduledSensor: PeripheralActor {
    typealias ActorSystem = BLEActorSystem

    private static let methods = [
        "read", "echo", "long", "note", "fail", "wait", "count", "silence",
    ]

    static let characteristics = methods.map {
        ServiceMapper.characteristicUUID(for: $0, in: ScheduledSensor.self).uuidString
    }

    distributed func read() async throws -> Int { 1 }
    distributed func echo(_ text: String) async throws -> String { text }
    distributed func long() async throws -> String { String(repeating: "x", count: 2_000) }
    distributed func note(_ line: String) async {}
    distributed func fail() async throws { throw ProbeError.wrongValue }
    distributed func wait() async throws {
        // This loop ends when its task is cancelled.
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        for await _ in stream {}
        continuation.finish()
    }
    distributed func count() async throws -> AsyncStream<Int> {
        AsyncStream { for number in 0...100 { $0.yield(number) } }
    }
    /// A stream without elements that does not end.
    distributed func silence() async throws -> AsyncStream<Int> {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        // Retains the continuation, whose release would end the stream.
        continuation.onTermination = { _ in continuation.finish() }
        return stream
    }
}

/// Valid frames of Bleu, which strangers send whole or damaged.
enum BleuFrame {
    /// One frame of each kind for the first calls of a session.
    static let known: [[UInt8]] = {
        let bodies = ["", "[]", "[\"text\"]", "1", "\"text\"", "{}", "\u{4}\0\0\0"]
        let kinds: [UInt8] = [1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15]
        return kinds.flatMap { kind in
            bodies.map { frame(kind, session: 1, call: UInt16(1 + $0.count % 3), Array($0.utf8)) }
        }
    }()

    private static func frame(
        _ kind: UInt8,
        session: UInt16,
        call: UInt16,
        _ body: [UInt8]
    ) -> [UInt8] {
        func little(_ number: UInt32, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        let prefix = [0x10 | kind] + little(UInt32(session), 2) + little(UInt32(call), 2)
        let length = [UInt8(0)] + little(UInt32(body.count), 4)
        return prefix + [0, 0] + length + little(checksum(prefix + length + body), 4) + body
    }

    /// Returns the CRC-32 of ISO 3309.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var checksum = ~UInt32(0)
        for byte in bytes {
            checksum ^= UInt32(byte)
            for _ in 0..<8 {
                let isOdd = checksum & 1 == 1
                checksum >>= 1
                if isOdd { checksum ^= 0xEDB8_8320 }
            }
        }
        return ~checksum
    }
}
