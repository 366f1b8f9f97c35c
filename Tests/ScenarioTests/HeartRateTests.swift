import Bluejay
import BluejaySimulator
import Foundation
import Testing

@Suite("A heart rate sensor", .timeLimit(.minutes(2)))
struct HeartRateTests {
    @Test("It is found, read, written and listened to, and everything is told in order")
    func wholeStory() async throws {
        try await onStage { scene in
            let peripheral = try await scene.stage.add(.heartRateSensor())
            let central = await scene.central()
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
            #expect(try await peripheral.writes() == ["2A39 01"])
        }
    }

    @Test(
        "An identifier kept from an earlier run is enough to connect, without a scan of one's own"
    )
    func keptIdentifier() async throws {
        try await onStage { scene in
            _ = try await scene.stage.add(.heartRateSensor())
            let central = await scene.central()
            let kept = try PeripheralIdentifier(
                address: "C4:7C:8D:6A:1F:02",
                isRandomAddress: true,
                name: nil
            )
            let connected = try await central.connect(
                PeripheralIdentifier(uuid: kept.uuid, name: nil)
            )
            #expect(connected.name == "Heart Rate Sensor")
            try await central.disconnect()
        }
    }

    @Test("The same characters with the other kind of address are another device")
    func kindOfAddress() async throws {
        try await onStage { scene in
            _ = try await scene.stage.add(.heartRateSensor())
            let central = await scene.central()
            let other = try PeripheralIdentifier(
                address: "C4:7C:8D:6A:1F:02",
                isRandomAddress: false,
                name: nil
            )
            await #expect(throws: BluejayError.connectionTimedOut) {
                try await central.connect(other, timeout: .seconds(0.3))
            }
        }
    }

    @Test("An identifier that is not of this library is unexpected")
    func foreignIdentifier() async throws {
        try await onStage { scene in
            let central = await scene.central()
            let foreign = PeripheralIdentifier(uuid: UUID(), name: "?")
            await #expect(throws: BluejayError.unexpectedPeripheral(foreign)) {
                try await central.connect(foreign)
            }
        }
    }
}

@Suite("Listening", .timeLimit(.minutes(2)))
struct ListenScenarioTests {
    @Test("A value read while it is listened to is no notification")
    func readWhileListening() async throws {
        try await onStage { scene in
            let central = try await scene.connected(
                to: .gadget([ScriptedCharacteristic("2A37", ["read", "notify"], .value([9]))])
            ).central
            await central.listen(measurement)
            for _ in 0..<5 {
                #expect(try await central.value(of: measurement, as: UInt8.self) == 9)
            }
            #expect(await central.record().filter { $0.hasPrefix("value") } == [])
        }
    }

    @Test("A listen can be replaced where the first allows it, and the first is told")
    func replacedListen() async throws {
        try await onStage { scene in
            let central = try await scene.connected(to: .heartRateSensor()).central
            await central.listen(measurement, option: .replaceable, as: "first")
            await central.wait(for: "first 0 3c")
            await central.listen(measurement, option: .trap, as: "second")
            await central.wait(for: "first failed: multipleListenReplaced")
            await central.wait(for: "second 0")
            await central.listen(measurement, as: "third")
            await central.wait(for: "third failed: multipleListenTrapped")
        }
    }

    @Test("A listen that is ended at once is set up and ended, and hears nothing")
    func endedAtOnce() async throws {
        try await onStage { scene in
            let central = try await scene.connected(to: .heartRateSensor()).central
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

    @Test("Notifications and indications come in the order in which they were sent")
    func order() async throws {
        try await onStage { scene in
            let connected = try await scene.connected(
                to: .gadget([
                    ScriptedCharacteristic("2A37", ["notify"], .value([])),
                    ScriptedCharacteristic("2A39", ["indicate"], .value([])),
                ])
            )
            let central = connected.central
            await central.listen(measurement, as: "notified")
            await central.listen(controlPoint, as: "indicated")
            await central.settle()
            for number in UInt8(1)...5 {
                try await connected.peripheral.send([number], on: "2A37")
                try await connected.peripheral.send([number], on: "2A39")
            }
            await central.wait(for: "notified 5")
            await central.wait(for: "indicated 5")
            let record = await central.record()
            for name in ["notified", "indicated"] {
                #expect(record.filter { $0.hasPrefix(name) } == (1...5).map { "\(name) \($0)" })
            }
        }
    }

    @Test("Listening to what cannot be listened to fails")
    func notListenable() async throws {
        try await onStage { scene in
            let central = try await scene.connected(to: .heartRateSensor()).central
            await central.listen(location, as: "location")
            await central.wait(for: "location failed")
            #expect(await central.read { try? $0.bluejay.isListening(to: location) } == false)
        }
    }
}
