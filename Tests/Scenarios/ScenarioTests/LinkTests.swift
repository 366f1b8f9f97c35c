import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestTraits
import Testing

@Suite("Link loss, disconnects and shared links", .timeLimit(.minutes(15)))
struct LinkTests {
    @Test(
        "A lost link fails the pending reads before it notifies the observers",
        .fault(.linkLost, during: .read),
        .pitfall(.disconnectDuringCall, .coalescedSignals)
    )
    func lostLink() async throws {
        try await withTestbed { context in
            let connected = try await context.connected(
                to: .gadget([ScriptedCharacteristic("2A38", ["read"], .disconnects)])
            )
            let central = connected.central
            await central.forget()
            await central.run { central in
                central.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                    central.recordEvent("first \(result.text)")
                }
                central.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                    central.recordEvent("second \(result.text)")
                }
            }
            await central.wait(for: "disconnected Gadget")
            let record = await central.record()
            #expect(
                record == [
                    "first notConnected", "second notConnected", "disconnected Gadget",
                ]
            )
        }
    }

    @Test(
        "After a lost link, listens have ended and the peripheral can be connected again",
        .fault(.linkLost, during: .listen)
    )
    func again() async throws {
        try await withTestbed { context in
            let connected = try await context.connected(
                to: .gadget([ScriptedCharacteristic("2A37", ["notify"], .value([]))])
            )
            let (central, peripheral) = (connected.central, connected.peripheral)
            await central.listen(measurement)
            await central.settle()
            try await peripheral.send([1], on: "2A37")
            await central.wait(for: "value 1")
            try await peripheral.dropLink()
            await central.wait(for: "disconnected Gadget")
            try await central.connect(connected.identifier)
            #expect(await central.isListening(to: measurement) == false)
            await central.listen(measurement, as: "again")
            await central.settle()
            try await peripheral.send([2], on: "2A37")
            await central.wait(for: "again 2")
        }
    }

    @Test(
        "A connect to an absent peripheral times out and leaves no pending attempt in bluetoothd",
        .fault(.outOfRange, during: .connect),
        .pitfall(.oneTextForAllFailures)
    )
    func nobodyThere() async throws {
        try await withTestbed { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            let central = await context.central()
            let sensor = try await central.find()
            try await peripheral.leaveRange()
            await #expect(throws: BluejayError.connectionTimedOut) {
                try await central.connect(sensor, timeout: .seconds(1))
            }
            try await peripheral.returnToRange()
            try await central.connect(sensor)
        }
    }

    @Test("A queued disconnect lets the earlier read finish, and a later connect waits for it")
    func queuedDisconnect() async throws {
        try await withTestbed { context in
            let connected = try await context.connected(to: .heartRateSensor())
            let (central, sensor) = (connected.central, connected.identifier)
            await central.forget()
            await central.run { central in
                let bluejay = central.bluejay
                bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                    central.recordEvent("read \(result.text)")
                }
                bluejay.disconnect { _ in central.recordEvent("disconnect completed") }
                bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                    central.recordEvent("late read \(result.text)")
                }
                bluejay.connect(sensor) { _ in central.recordEvent("connect completed") }
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
    }

    @Test("An immediate disconnect fails all pending calls first")
    func immediateDisconnect() async throws {
        try await withTestbed { context in
            let connected = try await context.connected(
                to: .gadget([ScriptedCharacteristic("2A38", ["read"], .neverReplies)])
            )
            let central = connected.central
            await central.forget()
            await central.run { central in
                for _ in 0..<3 {
                    central.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                        central.recordEvent("read \(result.text)")
                    }
                }
                central.bluejay.disconnect(immediate: true) { _ in central.recordEvent("completed")
                }
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
    }

    @Test("Two instances share the link of a device, and only the last disconnect drops it")
    func sharedLink() async throws {
        try await withTestbed { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            let first = await context.central()
            let second = await context.central(sharing: first)
            let sensor = try await first.find()
            try await first.connect(sensor)
            try await second.connect(sensor)
            try await first.disconnect()
            #expect(try await second.value(of: location, as: UInt8.self) == 1)
            #expect(try await peripheral.isConnected() == true)
            try await second.disconnect()
            #expect(try await peripheral.isConnected() == false)
        }
    }

    // On the air of BlueZ's emulator, a controller's second link carries no data.
    @Test(
        "Two instances can be connected to two devices at the same time",
        .enabled(if: !isRealBlueZ, "the emulated controllers support a single link")
    )
    func twoDevices() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(.heartRateSensor())
            _ = try await context.testbed.add(
                .heartRateSensor(address: "C4:7C:8D:6A:1F:03", name: "Other")
            )
            let first = await context.central()
            let second = await context.central(sharing: first)
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
    }

    @Test("Releasing a connected instance drops its link")
    func released() async throws {
        // Thread timing decides how far the release is when the second instance connects.
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            var central: RecordingCentral? = await RecordingCentral(context.testbed.busAddress)
            let sensor = try await #require(central).find()
            try await #require(central).connect(sensor)
            let loop = try #require(central).loop
            central = nil
            // Two more iterations of the loop complete everything that the release caused.
            for _ in 0..<2 {
                await withCheckedContinuation { done in loop.post { done.resume() } }
            }
            let watcher = await RecordingCentral(context.testbed.busAddress, sharing: loop)
            try await watcher.connect(sensor)
            try await watcher.disconnect()
            #expect(try await peripheral.isConnected() == false)
        }
    }
}

extension ReadResult where R == UInt8 {
    var text: String {
        switch self {
        case .success(let value): "\(value)"
        case .failure(let error): errorName(error)
        }
    }
}
