import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestTraits
import Testing

@Suite("A heart rate sensor", .timeLimit(.minutes(15)))
struct HeartRateTests {
    @Test(
        "A heart rate sensor can be found, read, written and listened to, with callbacks in order"
    )
    func wholeStory() async throws {
        try await withTestbed { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            let central = await context.central()
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
        "An identifier kept from an earlier run is sufficient to connect without scanning first",
        .pitfall(.temporaryDevices)
    )
    func keptIdentifier() async throws {
        try await withTestbed { context in
            _ = try await context.testbed.add(.heartRateSensor())
            let central = await context.central()
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

    @Test(
        "The same address of the other address type identifies a different device",
        .pitfall(.addressType)
    )
    func kindOfAddress() async throws {
        try await withTestbed { context in
            _ = try await context.testbed.add(.heartRateSensor())
            let central = await context.central()
            let other = try PeripheralIdentifier(
                address: "C4:7C:8D:6A:1F:02",
                isRandomAddress: false,
                name: nil
            )
            await #expect(throws: BluejayError.connectionTimedOut) {
                try await central.connect(other, timeout: .seconds(1))
            }
        }
    }

    @Test("An identifier created elsewhere fails with unexpectedPeripheral")
    func foreignIdentifier() async throws {
        try await withTestbed { context in
            let central = await context.central()
            let foreign = PeripheralIdentifier(uuid: UUID(), name: "?")
            await #expect(throws: BluejayError.unexpectedPeripheral(foreign)) {
                try await central.connect(foreign)
            }
        }
    }
}
