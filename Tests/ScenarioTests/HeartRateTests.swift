import Bluejay
import BluejaySimulator
import Foundation
import Testing

@Suite("A heart rate sensor", .timeLimit(.minutes(1)))
struct HeartRateTests {
    @Test("It is found, read, written and listened to, and everything is told in order")
    func wholeStory() async throws {
        let system = try await quickSystem()
        let central = await Central(system.busAddress)
        let sensor = try await central.find()
        #expect(sensor.name == "Heart Rate Sensor")
        #expect(sensor.address == "C4:7C:8D:6A:1F:02")
        try await central.connect(sensor)
        #expect(try await central.value(of: location, as: UInt8.self) == 1)
        try await central.write(Data([1]), to: controlPoint)
        await central.listen(measurement)
        await central.wait(for: "value 0 3d")
        try await central.endListen(measurement)
        try await central.disconnect()
        let record = await central.record().filter { !$0.hasPrefix("value") }
        #expect(
            record == [
                "available true", "connected Heart Rate Sensor",
                "disconnected Heart Rate Sensor",
            ]
        )
        #expect(await system.read { $0.options.adapters } == 2)
    }

    @Test(
        "An identifier kept from an earlier run is enough to connect, without a scan of one's own"
    )
    func keptIdentifier() async throws {
        let system = try await quickSystem()
        let central = await Central(system.busAddress)
        let kept = try PeripheralIdentifier(
            address: "C4:7C:8D:6A:1F:02",
            isRandomAddress: true,
            name: nil
        )
        let connected = try await central.connect(PeripheralIdentifier(uuid: kept.uuid, name: nil))
        #expect(connected.name == "Heart Rate Sensor")
        try await central.disconnect()
    }

    @Test("The same characters with the other kind of address are another device")
    func kindOfAddress() async throws {
        let system = try await quickSystem()
        let central = await Central(system.busAddress)
        let other = try PeripheralIdentifier(
            address: "C4:7C:8D:6A:1F:02",
            isRandomAddress: false,
            name: nil
        )
        await #expect(throws: BluejayError.connectionTimedOut) {
            try await central.connect(other, timeout: .seconds(0.3))
        }
    }

    @Test("An identifier that is not of this library is unexpected")
    func foreignIdentifier() async throws {
        let system = try await quickSystem()
        let central = await Central(system.busAddress)
        let foreign = PeripheralIdentifier(uuid: UUID(), name: "?")
        await #expect(throws: BluejayError.unexpectedPeripheral(foreign)) {
            try await central.connect(foreign)
        }
    }

    @Test("A value read while it is listened to is no notification")
    func readWhileListening() async throws {
        let system = try await quickSystem { world in
            let device = SimulatedDevice(
                address: "C0:00:00:00:00:01",
                name: "Echo",
                advertising: ["180D"]
            )
            device.addService(
                "180D",
                [ScriptedCharacteristic("2A37", ["read", "notify"], .value([9]))]
            )
            world.add(device)
        }
        let central = await Central(system.busAddress)
        try await central.connect(try await central.find())
        await central.listen(measurement)
        for _ in 0..<5 {
            #expect(try await central.value(of: measurement, as: UInt8.self) == 9)
        }
        #expect(await central.record().filter { $0.hasPrefix("value") } == [])
    }

    @Test("A listen can be replaced where the first allows it, and the first is told")
    func replacedListen() async throws {
        let system = try await quickSystem()
        let central = await Central(system.busAddress)
        try await central.connect(try await central.find())
        await central.listen(measurement, option: .replaceable, as: "first")
        await central.wait(for: "first 0 3c")
        await central.listen(measurement, option: .trap, as: "second")
        await central.wait(for: "first failed: multipleListenReplaced")
        await central.wait(for: "second 0")
        await central.listen(measurement, as: "third")
        await central.wait(for: "third failed: multipleListenTrapped")
    }

    @Test("A listen that is ended at once is set up and ended, and hears nothing")
    func endedAtOnce() async throws {
        let system = try await quickSystem()
        let central = await Central(system.busAddress)
        try await central.connect(try await central.find())
        await central.forget()
        await central.run { central in
            central.bluejay.listen(to: measurement) { (_: ReadResult<Data>) in
                central.note("heard")
            }
            central.bluejay.endListen(to: measurement) { _ in central.note("ended") }
        }
        await central.wait(for: "ended")
        #expect(await central.read { try? $0.bluejay.isListening(to: measurement) } == false)
        #expect(await central.record() == ["ended"])
        await central.listen(measurement, as: "again")
        await central.wait(for: "again 0 3c")
    }
}

@Suite("Errors of a peripheral", .timeLimit(.minutes(1)))
struct PeripheralErrorTests {
    private func connected(
        _ characteristics: [ScriptedCharacteristic]
    ) async throws -> (SimulatedSystem, Central) {
        let system = try await quickSystem { world in
            let device = SimulatedDevice(
                address: "C0:00:00:00:00:01",
                name: "Gadget",
                advertising: ["180D"]
            )
            device.addService("180D", characteristics)
            world.add(device)
        }
        let central = await Central(system.busAddress)
        try await central.connect(try await central.find())
        return (system, central)
    }

    @Test(
        "An ATT error carries its code",
        arguments: [0x01, 0x02, 0x08, 0x0D, 0x81, 0xFF] as [UInt8]
    )
    func attributeError(code: UInt8) async throws {
        let (system, central) = try await connected([
            ScriptedCharacteristic("2A38", ["read"], .refuses(code))
        ])
        defer { system.stop() }
        let error = await #expect(throws: BluejayError.self) {
            try await central.value(of: location, as: UInt8.self)
        }
        guard case .attribute(let attribute, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(attribute.code == code)
    }

    @Test("An unpaired read is told as such")
    func notPaired() async throws {
        let (system, central) = try await connected([
            ScriptedCharacteristic("2A38", ["read"], .refuses(0x05))
        ])
        defer { system.stop() }
        await #expect(throws: BluejayError.notPaired) {
            try await central.value(of: location, as: UInt8.self)
        }
    }

    @Test("A value that is too short or too long is an error of the read")
    func wrongLength() async throws {
        let (system, central) = try await connected([
            ScriptedCharacteristic("2A38", ["read"], .value([1, 2, 3]))
        ])
        defer { system.stop() }
        await #expect(throws: BluejayError.dataOutOfBounds(start: 0, length: 1, count: 3)) {
            try await central.value(of: location, as: UInt8.self)
        }
        await #expect(throws: BluejayError.dataOutOfBounds(start: 0, length: 4, count: 3)) {
            try await central.value(of: location, as: UInt32.self)
        }
    }

    @Test("A value of 512 bytes goes both ways, and one more is refused before it is sent")
    func longValues() async throws {
        let (system, central) = try await connected([
            ScriptedCharacteristic("2A38", ["read", "write"], .value([]))
        ])
        defer { system.stop() }
        let longest = Data((0..<512).map { UInt8(truncatingIfNeeded: $0) })
        try await central.write(longest, to: location)
        #expect(try await central.value(of: location, as: Data.self) == longest)
        await #expect(throws: BluejayError.valueTooLong(length: 513, limit: 512)) {
            try await central.write(longest + [0], to: location)
        }
    }

    @Test("A write without response needs a characteristic that takes it")
    func withoutResponse() async throws {
        let (system, central) = try await connected([
            ScriptedCharacteristic("2A38", ["read", "write"], .value([])),
            ScriptedCharacteristic("2A39", ["read", "write-without-response"], .value([])),
        ])
        defer { system.stop() }
        try await central.write(Data([7]), to: controlPoint, type: .withoutResponse)
        #expect(try await central.value(of: controlPoint, as: UInt8.self) == 7)
        await #expect(throws: BluejayError.notSupported("write without response to 2A38")) {
            try await central.write(Data([7]), to: location, type: .withoutResponse)
        }
    }

    @Test("What the peripheral does not have is named")
    func missing() async throws {
        let (system, central) = try await connected([])
        defer { system.stop() }
        await #expect(throws: BluejayError.missingCharacteristic(location)) {
            try await central.value(of: location, as: UInt8.self)
        }
        let battery = ServiceIdentifier(uuid: "180F")
        await #expect(throws: BluejayError.missingService(battery)) {
            let level = CharacteristicIdentifier(uuid: "2A19", service: battery)
            _ = try await central.value(of: level, as: UInt8.self)
        }
    }

    @Test("A malformed UUID is an error of the first call that uses it")
    func malformed() async throws {
        let (system, central) = try await connected([])
        defer { system.stop() }
        let malformed = CharacteristicIdentifier(uuid: "heart", service: heartRateService)
        await #expect(throws: BluejayError.malformedUUID("heart")) {
            try await central.value(of: malformed, as: UInt8.self)
        }
        await #expect(throws: BluejayError.malformedUUID("no")) { try await central.find("no") }
    }

    @Test("A peripheral that never answers fails the read, then the link is lost")
    func silent() async throws {
        let (system, central) = try await connected([
            ScriptedCharacteristic("2A38", ["read"], .silent)
        ])
        defer { system.stop() }
        let error = await #expect(throws: BluejayError.self) {
            try await central.value(of: location, as: UInt8.self)
        }
        guard case .attribute(.unlikelyError, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        await central.wait(for: "disconnected Gadget")
    }
}
