import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Foundation
import TestTraits
import Testing

@Suite("Links that exist only in bluetoothd's properties", .timeLimit(.minutes(15)))
struct DoubtfulLinkTests {
    private static let location = CharacteristicIdentifier(
        uuid: "2A38",
        service: .init(uuid: "180D")
    )

    private func connected() async throws -> Bluejay {
        let bluejay = try await startedBluejay()
        let sensor = try await find(SimulatedDevice.HeartRateSensor.service, by: bluejay)
        try await bluejay.connect(sensor, timeout: .seconds(10))
        return bluejay
    }

    private func sleep(_ seconds: Double) async throws {
        try await TestWorld.current.clock.sleep(for: .seconds(seconds))
    }

    private func refuse(_ member: String, _ name: String, _ text: String) throws {
        try TestWorld.current.perform { $0.apply(.callsRefused(member, name: name, text: text)) }
    }

    private func release(_ member: String) throws {
        try TestWorld.current.perform { $0.apply(.callsReleased(member)) }
    }

    @Test(
        "A link whose calls all fail with Not connected counts as lost and reconnects",
        .pitfall(.notConnectedIsText),
        .simulatedBlueZ { $0.add(.heartRateSensor()) },
        arguments: [
            ("org.bluez.Error.Failed", "Not connected"),
            ("org.bluez.Error.NotConnected", "Not Connected"),
        ]
    )
    func lost(name: String, text: String) async throws {
        let bluejay = try await connected()
        try refuse("ReadValue", name, text)
        for _ in 0..<5 {
            _ = try? await bluejay.read(from: Self.location) as UInt8
            try await sleep(0.5)
        }
        #expect(bluejay.isConnected)
        try await sleep(1)
        #expect(!bluejay.isConnected)
        try release("ReadValue")
        try await sleep(10)
        #expect(bluejay.isConnected)
        _ = try await bluejay.read(from: Self.location) as UInt8
    }

    @Test(
        "A doubtful link is also lost for an instance that only listens, and its listen continues",
        .simulatedBlueZ { world in
            let device = SimulatedDevice(
                address: "C0:00:00:00:00:01",
                name: "Gadget",
                advertising: ["FFE0"]
            )
            device.addService(
                "FFE0",
                [ScriptedCharacteristic("FFE1", ["read", "notify"], .value([7]))]
            )
            world.add(device)
        }
    )
    func twoUsers() async throws {
        let (reader, listener) = (try await startedBluejay(), try await startedBluejay())
        let gadget = try await find("FFE0", by: reader)
        let place = CharacteristicIdentifier(uuid: "FFE1", service: .init(uuid: "FFE0"))
        for bluejay in [reader, listener] {
            try await bluejay.connect(gadget, timeout: .seconds(10))
        }
        let received = Received()
        await listener.onLoop { listener in
            listener.listen(to: place, isKept: true) { (result: ReadResult<UInt8>) in
                if case .success(let value) = result { received.append(value) }
            }
        }
        try refuse("ReadValue", "org.bluez.Error.Failed", "Not connected")
        for _ in 0..<8 {
            _ = try? await reader.read(from: place) as UInt8
            try await sleep(0.5)
        }
        #expect(!reader.isConnected && !listener.isConnected)
        try release("ReadValue")
        try await sleep(10)
        #expect(reader.isConnected && listener.isConnected)
        try TestWorld.current.perform { $0.device("C0:00:00:00:00:01")?.send([1], on: "FFE1") }
        #expect(try await reader.read(from: place) as UInt8 == 7)
        try await sleep(0.1)
        #expect(received.all == [1])
    }

    @Test("A link that answers other calls is kept", .simulatedBlueZ { $0.add(.heartRateSensor()) })
    func stays() async throws {
        let bluejay = try await connected()
        for _ in 0..<5 {
            try refuse("ReadValue", "org.bluez.Error.Failed", "Not connected")
            _ = try? await bluejay.read(from: Self.location) as UInt8
            try release("ReadValue")
            _ = try await bluejay.read(from: Self.location) as UInt8
            try await sleep(1)
        }
        try await sleep(4)
        #expect(bluejay.isConnected)
    }

    @Test(
        "Values are delivered after a timed-out read, whose late reply is not reported as a value",
        .simulatedBlueZ { world in
            let device = SimulatedDevice(
                address: "C0:00:00:00:00:01",
                name: "Gadget",
                advertising: ["FFE0"]
            )
            device.addService(
                "FFE0",
                [ScriptedCharacteristic("FFE1", ["read", "notify"], .value([7]))]
            )
            world.add(device)
        }
    )
    func values() async throws {
        let bluejay = try await startedBluejay()
        try await bluejay.connect(find("FFE0", by: bluejay), timeout: .seconds(10))
        let place = CharacteristicIdentifier(uuid: "FFE1", service: .init(uuid: "FFE0"))
        let received = Received()
        await bluejay.onLoop { bluejay in
            bluejay.listen(to: place) { (result: ReadResult<UInt8>) in
                if case .success(let value) = result { received.append(value) }
            }
        }
        try await sleep(1)
        let device = { (work: @escaping @Sendable (SimulatedDevice) -> Void) in
            try TestWorld.current.perform { $0.device("C0:00:00:00:00:01").map(work) }
        }
        _ = try device { $0.hold(.read, of: "FFE1") }
        await #expect(throws: BluejayError.operationTimedOut) {
            _ = try await bluejay.read(from: place, timeout: .seconds(3)) as UInt8
        }
        _ = try device { $0.send([1], on: "FFE1") }
        try await sleep(0.1)
        #expect(received.all == [1])
        _ = try device { $0.send([2], on: "FFE1") }
        _ = try device { $0.release(.read, of: "FFE1") }
        try await sleep(1)
        #expect(received.all == [1, 2])
    }
}

private final class Received: @unchecked Swift.Sendable {
    private let lock = NSLock()
    private var values: [UInt8] = []

    var all: [UInt8] { lock.withLock { values } }

    func append(_ value: UInt8) { lock.withLock { values.append(value) } }
}
