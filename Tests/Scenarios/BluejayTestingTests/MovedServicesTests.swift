import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Foundation
import Synchronization
import TestTraits
import Testing

@Suite("Services that move during a listen", .timeLimit(.minutes(15)))
struct MovedServicesTests {
    private static let address = SimulatedDevice.HeartRateSensor.address
    private static let service = ServiceIdentifier(uuid: "FFE0")
    private static let level = CharacteristicIdentifier(uuid: "FFE1", service: service)

    private static func addLevel(_ device: SimulatedDevice, at handle: UInt16? = nil) {
        let script = ScriptedCharacteristic("FFE1", ["read", "notify"], .value([42]))
        device.addService("FFE0", [script], at: handle)
    }

    private static func addSensor(_ world: SimulatedBlueZ) {
        let device = SimulatedDevice.heartRateSensor()
        addLevel(device)
        world.add(device)
    }

    private func onDevice(_ work: @escaping @Sendable (SimulatedDevice) -> Void) throws {
        try TestWorld.current.perform { world in world.device(Self.address).map(work) }
    }

    private func sleep(_ milliseconds: Int) async throws {
        try await TestWorld.current.clock.sleep(for: .milliseconds(milliseconds))
    }

    private func listening(
        isKept: Bool = true,
        through path: ListenTransport = .signals
    ) async throws -> (Bluejay, Told) {
        let bluejay = try await startedBluejay()
        let sensor = try await find(SimulatedDevice.HeartRateSensor.service, by: bluejay)
        try await bluejay.connect(sensor, timeout: .seconds(10))
        let told = Told()
        await bluejay.onLoop { bluejay in
            bluejay.broadcastErrorsToListeners = true
            bluejay.listen(to: Self.level, through: path, isKept: isKept) {
                (result: ReadResult<UInt8>) in
                told.add(result)
            }
        }
        try await sleep(100)
        try onDevice { $0.send([1], on: "FFE1") }
        try await sleep(100)
        #expect(told.lines == ["1"])
        return (bluejay, told)
    }

    @Test(
        "The error for a characteristic of the second of two equal services names that instance",
        .simulatedBlueZ { world in
            let device = SimulatedDevice.heartRateSensor()
            device.addService("FFE0", [ScriptedCharacteristic("FFE3", ["read"], .value([3]))])
            device.addService("FFE0", [ScriptedCharacteristic("FFE2", ["read"], .value([7]))])
            world.add(device)
        }
    )
    func secondInstance() async throws {
        let bluejay = try await startedBluejay()
        let sensor = try await find(SimulatedDevice.HeartRateSensor.service, by: bluejay)
        try await bluejay.connect(sensor, timeout: .seconds(10))
        let first = CharacteristicIdentifier(uuid: "FFE2", service: Self.service)
        let error = await #expect(throws: BluejayError.self) {
            try await bluejay.read(from: first, as: UInt8.self)
        }
        #expect(error == .missingCharacteristic(first))
        #expect(
            error?.description.contains("FFE2 of service FFE0 instance 1; use that instance")
                == true
        )
        let second = CharacteristicIdentifier(
            uuid: "FFE2",
            service: ServiceIdentifier(uuid: "FFE0", instance: 1)
        )
        #expect(try await bluejay.read(from: second, as: UInt8.self) == 7)
        let odd = CharacteristicIdentifier(uuid: "FFE2", service: second.service, instance: 3)
        let other = await #expect(throws: BluejayError.self) {
            try await bluejay.read(from: odd, as: UInt8.self)
        }
        #expect(other?.description.contains("but FFE2 of service FFE0 instance 1;") == true)
        let none = CharacteristicIdentifier(uuid: "FFE9", service: Self.service)
        let missing = await #expect(throws: BluejayError.self) {
            try await bluejay.read(from: none, as: UInt8.self)
        }
        #expect(missing?.description.contains("see `services`") == true)
    }

    @Test(
        "A kept listen survives services that are registered again",
        .simulatedBlueZ { addSensor($0) },
        arguments: [ListenTransport.signals, .socket]
    )
    func registeredAnew(path: ListenTransport) async throws {
        let (bluejay, told) = try await listening(through: path)
        for value: UInt8 in 2...4 {
            try onDevice { $0.registerServicesAgain() }
            try await sleep(500)
            try onDevice { $0.send([value], on: "FFE1") }
            try await sleep(100)
        }
        #expect(told.lines == ["1", "2", "3", "4"])
        #expect(try await bluejay.isListening(to: Self.level))
        #expect(try await bluejay.read(from: Self.level, as: UInt8.self) == 42)
    }

    @Test(
        "A kept listen follows its service to new handles within two seconds",
        .fault(.servicesChange, during: .listen),
        .pitfall(.servicesChange),
        .simulatedBlueZ { addSensor($0) }
    )
    func otherHandle() async throws {
        let (bluejay, told) = try await listening()
        try onDevice { $0.removeService("FFE0") }
        try await sleep(1500)
        #expect(try await bluejay.isListening(to: Self.level))
        try onDevice { Self.addLevel($0, at: 0x0200) }
        try await sleep(500)
        try onDevice { $0.send([2], on: "FFE1") }
        try await sleep(100)
        #expect(told.lines == ["1", "2"])
    }

    @Test(
        "A kept listen whose service does not return ends after two seconds",
        .simulatedBlueZ { addSensor($0) }
    )
    func gone() async throws {
        let (bluejay, told) = try await listening()
        try onDevice { $0.removeService("FFE0") }
        try await sleep(1500)
        #expect(told.lines == ["1"])
        try await sleep(700)
        #expect(told.lines == ["1", "missingService"])
        #expect(try await !bluejay.isListening(to: Self.level))
        try onDevice { Self.addLevel($0) }
        try await sleep(3000)
        #expect(told.lines == ["1", "missingService"])
    }

    @Test(
        "A listen that is not kept ends with its service",
        .fault(.servicesChange, during: .listen),
        .simulatedBlueZ { addSensor($0) }
    )
    func notKept() async throws {
        let (bluejay, told) = try await listening(isKept: false)
        try onDevice { $0.removeService("FFE0") }
        try await sleep(200)
        #expect(try await !bluejay.isListening(to: Self.level))
        #expect(told.lines == ["1", "missingService"])
    }

    @Test(
        "A listen ended while its service is missing stays ended",
        .simulatedBlueZ { addSensor($0) }
    )
    func ended() async throws {
        let (bluejay, told) = try await listening()
        try onDevice { $0.removeService("FFE0") }
        try await sleep(500)
        try await bluejay.endListen(to: Self.level)
        try onDevice { Self.addLevel($0) }
        try await sleep(500)
        try onDevice { $0.send([2], on: "FFE1") }
        try await sleep(3000)
        #expect(told.lines == ["1"])
        #expect(try await !bluejay.isListening(to: Self.level))
    }

    @Test(
        "A kept listen resumes after a link that was lost while its service was missing",
        .simulatedBlueZ { addSensor($0) }
    )
    func lostMeanwhile() async throws {
        let (bluejay, told) = try await listening()
        try onDevice { $0.removeService("FFE0") }
        try await sleep(500)
        try onDevice {
            $0.dropLink()
            Self.addLevel($0)
        }
        try await sleep(20_000)
        #expect(bluejay.isConnected)
        try onDevice { $0.send([2], on: "FFE1") }
        try await sleep(100)
        #expect(told.lines == ["1", "notConnected", "2"])
    }

    @Test(
        "A kept listen resumes if its service returns after a reconnection",
        .simulatedBlueZ { addSensor($0) }
    )
    func behindReconnection() async throws {
        let (bluejay, told) = try await listening()
        var events = bluejay.connectionEvents.makeAsyncIterator()
        try onDevice {
            $0.dropLink()
            $0.removeService("FFE0")
        }
        while let event = await events.next() {
            if case .connected = event, told.lines.count > 1 { break }
        }
        try await sleep(500)
        try onDevice { Self.addLevel($0) }
        try await sleep(500)
        try onDevice { $0.send([2], on: "FFE1") }
        try await sleep(100)
        #expect(told.lines == ["1", "notConnected", "2"])
    }

    @Test(
        "A kept stream survives services that move, and one that is not kept ends",
        .simulatedBlueZ { addSensor($0) }
    )
    func streams() async throws {
        let (bluejay, _) = try await listening(isKept: false)
        try await bluejay.endListen(to: Self.level)
        let kept = bluejay.values(of: Self.level, as: UInt8.self, isKept: true)
        var values = kept.makeAsyncIterator()
        try await sleep(100)
        try onDevice { $0.registerServicesAgain() }
        try await sleep(500)
        try onDevice { $0.send([7], on: "FFE1") }
        #expect(try await values.next() == 7)
        try await bluejay.endListen(to: Self.level)
        let other = bluejay.values(of: Self.level, as: UInt8.self)
        var others = other.makeAsyncIterator()
        try await sleep(100)
        try onDevice { $0.registerServicesAgain() }
        await #expect(throws: BluejayError.missingService(Self.service)) {
            try await others.next()
        }
    }

    @Test(
        "A read fails while its service is missing, and succeeds once it has returned",
        .fault(.servicesChange, during: .read),
        .simulatedBlueZ { addSensor($0) }
    )
    func read() async throws {
        let (bluejay, told) = try await listening()
        try onDevice { $0.removeService("FFE0") }
        try await sleep(100)
        await #expect(throws: BluejayError.missingService(Self.service)) {
            _ = try await bluejay.read(from: Self.level, as: UInt8.self)
        }
        try onDevice { Self.addLevel($0) }
        try await sleep(500)
        #expect(try await bluejay.read(from: Self.level, as: UInt8.self) == 42)
        #expect(told.lines == ["1"])
    }

    @Test(
        "A listen to the battery that bluetoothd manages itself survives a move",
        .simulatedBlueZ { world in
            let device = SimulatedDevice.heartRateSensor()
            let level = ScriptedCharacteristic("2A19", ["read", "notify"], .value([50]))
            device.addService("180F", [level])
            addLevel(device)
            world.add(device)
        }
    )
    func battery() async throws {
        let (bluejay, _) = try await listening()
        let told = Told()
        await bluejay.onLoop { bluejay in
            bluejay.listen(to: .batteryLevel, isKept: true) { (result: ReadResult<UInt8>) in
                told.add(result)
            }
        }
        try await sleep(500)
        try onDevice { $0.send([49], on: "2A19") }
        try await sleep(500)
        try onDevice { $0.registerServicesAgain() }
        try await sleep(1000)
        try onDevice { $0.send([48], on: "2A19") }
        try await sleep(500)
        #expect(told.lines.contains("49"))
        #expect(told.lines.last == "48", "\(told.lines)")
    }
}

private final class Told: Swift.Sendable {
    private let told = Mutex<[String]>([])

    var lines: [String] { told.withLock { $0 } }

    private static func name(_ error: any Error) -> String {
        switch (error as? BluejayError)?.code {
        case .missingService: "missingService"
        case .notConnected: "notConnected"
        default: "\(error)"
        }
    }

    func add(_ result: ReadResult<UInt8>) {
        let line =
            switch result {
            case .success(let value): "\(value)"
            case .failure(let error): Self.name(error)
            }
        told.withLock { $0.append(line) }
    }
}
