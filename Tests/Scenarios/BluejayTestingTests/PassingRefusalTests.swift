import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Foundation
import Synchronization
import Testing

@Suite("A bluetoothd that temporarily rejects calls", .timeLimit(.minutes(15)))
struct PassingRefusalTests {
    struct Refusal: Swift.Sendable {
        let kind: String
        let text: String
        var name: String { "org.bluez.Error." + kind }
    }

    private static let refusals = [
        Refusal(kind: "NotReady", text: "Resource Not Ready"),
        Refusal(kind: "Failed", text: "Failed"),
        Refusal(kind: "InProgress", text: "Operation already in progress"),
    ]
    private static let service = SimulatedDevice.HeartRateSensor.service
    private static let level = CharacteristicIdentifier(
        uuid: "FFE1",
        service: ServiceIdentifier(uuid: "FFE0")
    )

    private static func addSensor(_ world: SimulatedBlueZ) {
        let device = SimulatedDevice.heartRateSensor()
        device.addService("FFE0", [ScriptedCharacteristic("FFE1", ["notify"], .value([0]))])
        world.add(device)
    }

    private func refuse(_ member: String, with refusal: Refusal) throws {
        try TestWorld.current.perform {
            $0.apply(.callsRefused(member, name: refusal.name, text: refusal.text))
        }
    }

    private func accept(_ member: String) throws {
        try TestWorld.current.perform { $0.apply(.callsReleased(member)) }
    }

    private func setPowered(_ isPowered: Bool) throws {
        try TestWorld.current.perform { $0.setPowered(isPowered, ofAdapter: 0) }
    }

    private func sleep(_ seconds: Int) async throws {
        try await TestWorld.current.clock.sleep(for: .seconds(seconds))
    }

    @Test(
        "A scan retries while it is rejected for 2 s",
        .simulatedBlueZ { addSensor($0) },
        arguments: ["SetDiscoveryFilter", "StartDiscovery"],
        refusals
    )
    func scan(member: String, refusal: Refusal) async throws {
        let bluejay = try await startedBluejay()
        try await bluejay.waitUntilReady()
        try refuse(member, with: refusal)
        let record = Record()
        await bluejay.onLoop { bluejay in
            bluejay.scan { found, _ in
                record.add("found \(found.peripheralIdentifier.address ?? "")")
                return .continue
            } stopped: { _, error in
                record.add("stopped \(error.map { "\($0)" } ?? "")")
            }
        }
        try await sleep(2)
        #expect(record.lines == [])
        try accept(member)
        try await sleep(3)
        #expect(record.lines == ["found \(SimulatedDevice.HeartRateSensor.address)"])
    }

    @Test(
        "A scan that is rejected for more than 10 s fails with the rejection",
        .simulatedBlueZ,
        arguments: refusals.prefix(2)
    )
    func refusedScan(refusal: Refusal) async throws {
        let bluejay = try await startedBluejay()
        try await bluejay.waitUntilReady()
        try refuse("StartDiscovery", with: refusal)
        let begun = try TestWorld.current.clock.now
        let error = await #expect(throws: BluejayError.self) {
            for try await _ in bluejay.scan(duration: 60) {}
        }
        #expect(error == .daemon(name: refusal.name, message: refusal.text))
        let time = try begun.duration(to: TestWorld.current.clock.now)
        #expect((.seconds(9) ..< .seconds(12)).contains(time))
    }

    @Test(
        "A watch continues after being rejected for 2 s and for a minute",
        .simulatedBlueZ { addSensor($0) },
        arguments: [2, 60],
        refusals
    )
    func watch(seconds: Int, refusal: Refusal) async throws {
        let bluejay = try await startedBluejay()
        try await bluejay.waitUntilReady()
        let record = Record()
        await bluejay.onLoop { bluejay in
            bluejay.watch(for: .namePrefix("Heart")) { event in
                if case .found = event { record.add("found") }
                if case .lost = event { record.add("lost") }
                return .continue
            } stopped: {
                record.add("stopped \($0.map { "\($0)" } ?? "")")
            }
        }
        try await sleep(2)
        try setPowered(false)
        try refuse("StartDiscovery", with: refusal)
        try await sleep(2)
        try setPowered(true)
        try await sleep(seconds)
        try accept("StartDiscovery")
        try await sleep(40)
        #expect(record.lines == ["found", "lost", "found"])
    }

    @Test(
        "A kept listen continues after being rejected for 2 s",
        .simulatedBlueZ { addSensor($0) },
        arguments: ["NotReady", "Failed", "InProgress", "NotConnected"]
    )
    func keptListen(kind: String) async throws {
        let bluejay = try await startedBluejay()
        try await bluejay.connect(find(Self.service, by: bluejay), timeout: .seconds(10))
        let record = Record()
        await bluejay.onLoop { bluejay in
            bluejay.listen(to: Self.level, isKept: true) { (result: ReadResult<UInt8>) in
                record.add("\(result)")
            }
        }
        try await sleep(1)
        try refuse("StartNotify", with: Refusal(kind: kind, text: kind))
        try setPowered(false)
        try await sleep(2)
        try setPowered(true)
        try await sleep(4)
        #expect(bluejay.isConnected)
        try await sleep(2)
        try accept("StartNotify")
        try await sleep(10)
        try TestWorld.current.perform {
            $0.device(SimulatedDevice.HeartRateSensor.address)?.send([7], on: "FFE1")
        }
        try await sleep(1)
        #expect(record.lines == ["success(7)"])
    }

    @Test(
        "A kept listen that is rejected for minutes ends with the rejection",
        .simulatedBlueZ { addSensor($0) }
    )
    func refusedListen() async throws {
        let bluejay = try await startedBluejay()
        try await bluejay.connect(find(Self.service, by: bluejay), timeout: .seconds(10))
        let record = Record()
        await bluejay.onLoop { bluejay in
            bluejay.listen(to: Self.level, isKept: true) { (result: ReadResult<UInt8>) in
                if case .failure(let error as BluejayError) = result {
                    record.add(error.blueZName ?? "")
                }
            }
        }
        try await sleep(1)
        try refuse("StartNotify", with: Refusal(kind: "Failed", text: "Failed"))
        try setPowered(false)
        try await sleep(2)
        try setPowered(true)
        try await sleep(120)
        #expect(record.lines == [])
        try await sleep(120)
        #expect(record.lines == ["org.bluez.Error.Failed"])
    }

    @Test(
        "A connect retries while it is rejected for 2 s",
        .simulatedBlueZ { addSensor($0) },
        arguments: [refusals[0], refusals[2]]
    )
    func connect(refusal: Refusal) async throws {
        let bluejay = try await startedBluejay()
        let sensor = try await find(Self.service, by: bluejay)
        try refuse("Connect", with: refusal)
        let record = Record()
        await bluejay.onLoop { bluejay in
            bluejay.connect(sensor, timeout: .seconds(15)) { record.add("\($0)") }
        }
        try await sleep(2)
        #expect(record.lines == [])
        try accept("Connect")
        try await sleep(4)
        #expect(bluejay.isConnected)
    }

    @Test(
        "A lost connection returns after being rejected for a minute",
        .simulatedBlueZ { addSensor($0) },
        arguments: refusals
    )
    func reconnect(refusal: Refusal) async throws {
        let bluejay = try await startedBluejay()
        try await bluejay.connect(find(Self.service, by: bluejay), timeout: .seconds(10))
        try refuse("Connect", with: refusal)
        try setPowered(false)
        try await sleep(2)
        try setPowered(true)
        try await sleep(60)
        #expect(!bluejay.isConnected)
        try accept("Connect")
        try await sleep(60)
        #expect(bluejay.isConnected)
    }
}

private final class Record: Swift.Sendable {
    private let events = Mutex<[String]>([])

    var lines: [String] { events.withLock { $0 } }

    func add(_ line: String) { events.withLock { $0.append(line) } }
}
