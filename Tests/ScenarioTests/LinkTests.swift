import Bluejay
import BluejaySimulator
import Foundation
import Testing

@Suite("Links that come and go", .timeLimit(.minutes(1)))
struct LinkScenarioTests {
    @Test("A lost link fails the pending read, and then the observers hear of it")
    func lostLink() async throws {
        let system = try await quickSystem { world in
            let device = SimulatedDevice(
                address: "C0:00:00:00:00:01",
                name: "Gadget",
                advertising: ["180D"]
            )
            device.addService("180D", [ScriptedCharacteristic("2A38", ["read"], .silent)])
            world.add(device)
        }
        let central = await Central(system.busAddress)
        try await central.connect(try await central.find())
        await central.forget()
        await central.run { central in
            central.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                central.note("first \(result.text)")
            }
            central.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                central.note("second \(result.text)")
            }
        }
        await system.perform { $0.device("C0:00:00:00:00:01")?.goAway() }
        await central.wait(for: "disconnected Gadget")
        let record = await central.record()
        #expect(
            record == [
                "first notConnected", "second notConnected", "disconnected Gadget",
            ]
        )
    }

    @Test("After a lost link it can be connected to again, and listens have ended")
    func again() async throws {
        let system = try await quickSystem()
        let central = await Central(system.busAddress)
        let sensor = try await central.find()
        try await central.connect(sensor)
        await central.listen(measurement)
        await central.wait(for: "value 0 3c")
        await system.perform { $0.device("C4:7C:8D:6A:1F:02")?.drop() }
        await central.wait(for: "disconnected Heart Rate Sensor")
        try await central.connect(sensor)
        #expect(await central.read { try? $0.bluejay.isListening(to: measurement) } == false)
        await central.listen(measurement, as: "again")
        await central.wait(for: "again 0 3c")
    }

    @Test("Nobody there is a time-out, and nothing is left pending in bluetoothd")
    func nobodyThere() async throws {
        let system = try await quickSystem()
        let central = await Central(system.busAddress)
        let sensor = try await central.find()
        await system.perform { $0.device("C4:7C:8D:6A:1F:02")?.goAway() }
        await #expect(throws: BluejayError.connectionTimedOut) {
            try await central.connect(sensor, timeout: .seconds(0.2))
        }
        await system.perform { $0.device("C4:7C:8D:6A:1F:02")?.comeBack() }
        try await central.connect(sensor)
    }

    @Test("A queued disconnect lets what is before it finish; a connection behind it waits")
    func queuedDisconnect() async throws {
        let system = try await quickSystem()
        let central = await Central(system.busAddress)
        let sensor = try await central.find()
        try await central.connect(sensor)
        await central.forget()
        await central.run { central in
            let bluejay = central.bluejay
            bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                central.note("read \(result.text)")
            }
            bluejay.disconnect { _ in central.note("disconnect completed") }
            bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                central.note("late read \(result.text)")
            }
            bluejay.connect(sensor) { _ in central.note("connect completed") }
        }
        await central.wait(for: "connected Heart Rate Sensor")
        let record = await central.record()
        #expect(
            record == [
                "late read disconnectQueued", "read 1", "disconnected Heart Rate Sensor",
                "disconnect completed", "connect completed", "connected Heart Rate Sensor",
            ]
        )
    }

    @Test("An immediate disconnect fails everything first")
    func immediateDisconnect() async throws {
        let system = try await quickSystem { world in
            let device = SimulatedDevice(
                address: "C0:00:00:00:00:01",
                name: "Gadget",
                advertising: ["180D"]
            )
            device.addService("180D", [ScriptedCharacteristic("2A38", ["read"], .silent)])
            world.add(device)
        }
        let central = await Central(system.busAddress)
        try await central.connect(try await central.find())
        await central.forget()
        await central.run { central in
            for _ in 0..<3 {
                central.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                    central.note("read \(result.text)")
                }
            }
            central.bluejay.disconnect(immediate: true) { _ in central.note("completed") }
        }
        await central.wait(for: "completed")
        let record = await central.record()
        #expect(
            record == [
                "read explicitDisconnect", "read explicitDisconnect", "read explicitDisconnect",
                "disconnected Gadget", "completed",
            ]
        )
    }

    @Test("Two users of one device share the link; only the last one's leaving cuts it")
    func sharedLink() async throws {
        let system = try await quickSystem()
        let first = await Central(system.busAddress)
        let second = await Central(system.busAddress, sharing: first.loop)
        let sensor = try await first.find()
        try await first.connect(sensor)
        try await second.connect(sensor)
        try await first.disconnect()
        #expect(try await second.value(of: location, as: UInt8.self) == 1)
        #expect(await system.read { $0.device("C4:7C:8D:6A:1F:02")?.isConnected ?? false } == true)
        try await second.disconnect()
        #expect(await system.read { $0.device("C4:7C:8D:6A:1F:02")?.isConnected ?? false } == false)
    }

    @Test("Two instances are connected to two devices at once")
    func twoDevices() async throws {
        let system = try await quickSystem { world in
            world.add(.heartRateSensor())
            world.add(.heartRateSensor(address: "C4:7C:8D:6A:1F:03", name: "Other"))
        }
        let first = await Central(system.busAddress)
        let second = await Central(system.busAddress, sharing: first.loop)
        let address = "C4:7C:8D:6A:1F:03"
        let other = try PeripheralIdentifier(address: address, isRandomAddress: true, name: nil)
        try await first.connect(
            try PeripheralIdentifier(
                address: "C4:7C:8D:6A:1F:02",
                isRandomAddress: true,
                name: nil
            )
        )
        try await second.connect(other)
        await first.listen(measurement)
        await second.listen(measurement)
        await first.wait(for: "value 0 3c")
        await second.wait(for: "value 0 3c")
    }

    @Test("An instance that is released completes what is pending and cuts its link")
    func released() async throws {
        let system = try await quickSystem()
        var central: Central? = await Central(system.busAddress)
        let sensor = try await #require(central).find()
        try await #require(central).connect(sensor)
        let loop = try #require(central).loop
        central = nil
        // The loop has served everything that the release caused when this comes back twice.
        for _ in 0..<2 {
            await withCheckedContinuation { done in loop.post { done.resume() } }
        }
        let watcher = await Central(system.busAddress, sharing: loop)
        try await watcher.connect(sensor)
        try await watcher.disconnect()
        #expect(await system.read { $0.device("C4:7C:8D:6A:1F:02")?.isConnected ?? false } == false)
    }
}

extension ReadResult where R == UInt8 {
    /// The value or the name of the error.
    var text: String {
        switch self {
        case .success(let value): "\(value)"
        case .failure(let error): errorName(error)
        }
    }
}
