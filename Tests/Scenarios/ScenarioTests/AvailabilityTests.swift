import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("Bluetooth that comes and goes", .timeLimit(.minutes(15)))
struct AvailabilityTests {
    @Test("No bus is an error of the first call, with a sentence that says what to do")
    func noBus() async throws {
        let central = await RecordingCentral("unix:path=/nonexistent/bus")
        let error = await #expect(throws: BluejayError.self) { try await central.find() }
        guard case .busUnavailable = error?.bluetoothState else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.localizedDescription.contains("DBUS_SYSTEM_BUS_ADDRESS") == true)
    }

    @Test("No adapter, a wrong name and a switched-off adapter are told apart")
    func adapters() async throws {
        try await withTestbed { context in
            func find(on adapter: String?) async throws {
                let central = await context.central(adapter: adapter)
                _ = try await central.find()
            }
            await #expect(throws: BluejayError.bluetoothUnavailable(.adapterNotFound("hci7"))) {
                try await find(on: "hci7")
            }
            try await context.testbed.setPowered(false)
            await #expect(throws: BluejayError.bluetoothUnavailable(.poweredOff)) {
                try await find(on: "hci0")
            }
            try await context.testbed.unplug()
            await #expect(throws: BluejayError.bluetoothUnavailable(.noAdapter)) {
                try await find(on: nil)
            }
        }
    }

    @Test("Switching off fails what is pending, then tells the observers, in this order")
    func switchedOff() async throws {
        try await withTestbed { context in
            let gadget = PeripheralScript.gadget([
                ScriptedCharacteristic("2A38", ["read"], .neverReplies)
            ]
            )
            let peripheral = try await context.testbed.add(gadget)
            let central = await context.central(adapter: "hci0")
            try await central.connect(try await central.find())
            await central.forget()
            await central.run { central in
                central.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                    central.recordEvent("read \(result.text)")
                }
            }
            try await wait { try await peripheral.reads() == ["2A38"] }
            try await context.testbed.setPowered(false)
            await central.wait(for: "disconnected Gadget")
            let record = await central.record()
            #expect(
                record == [
                    "read bluetoothUnavailable", "available false", "disconnected Gadget",
                ]
            )
            try await context.testbed.setPowered(true)
            await central.wait(for: "available true")
            try await central.connect(try await central.find())
        }
    }

    @Test("Switching off ends a scan with the reason")
    func switchedOffWhileScanning() async throws {
        try await withTestbed { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.central(adapter: "hci0")
            await central.run { central in
                central.bluejay.scan(serviceIdentifiers: [heartRateService]) { _, _ in
                    central.recordEvent("found")
                    return .continue
                } stopped: { _, error in
                    central.recordEvent("stopped \(error.map(errorName) ?? "by itself")")
                }
            }
            await central.wait(for: "found")
            try await context.testbed.setPowered(false)
            await central.wait(for: "available false")
            #expect(
                await central.record() == [
                    "available true", "found", "stopped bluetoothUnavailable", "available false",
                ]
            )
        }
    }

    @Test(
        "A bluetoothd that dies or is ended, and comes back, is survived",
        arguments: [true, false]
    )
    func daemonRestart(politely: Bool) async throws {
        try await withTestbed(variant: politely ? "ended" : "killed") { context in
            let connected = try await context.connected(to: .heartRateSensor())
            let (central, sensor) = (connected.central, connected.identifier)
            await central.listen(measurement)
            await central.wait(for: "value 0 3c")
            await central.forget()
            try await context.testbed.endDaemon(politely: politely)
            await central.wait(for: "disconnected Heart Rate Sensor")
            // The reason changes, which is reported again: the adapter turns off before the daemon ends. A real
            // bluetoothd that is ended reports the end of the link before or after that.
            let record = await central.record().filter { !$0.hasPrefix("value") }
            let expected = ["available false", "disconnected Heart Rate Sensor"]
            let isReversed = politely && isRealBlueZ && record.first == expected.last
            #expect(record.prefix(2) == (isReversed ? expected.reversed() : expected)[...])
            await central.wait(forState: .serviceNotRunning)
            await #expect(throws: BluejayError.bluetoothUnavailable(.serviceNotRunning)) {
                try await central.connect(sensor)
            }
            try await context.testbed.startDaemon()
            await central.wait(for: "available true")
            try await central.connect(sensor)
            #expect(try await central.value(of: location, as: UInt8.self) == 1)
            await central.listen(measurement, as: "again")
            await central.wait(for: "again 0 3c")
        }
    }

    @Test("A bluetoothd that comes late is waited for by nobody, and told when it is there")
    func lateDaemon() async throws {
        try await withTestbed { context in
            try await context.testbed.endDaemon(politely: false)
            let central = await context.central()
            await #expect(throws: BluejayError.bluetoothUnavailable(.serviceNotRunning)) {
                try await central.find()
            }
            try await context.testbed.startDaemon()
            await central.wait(for: "available true")
        }
    }

    @Test("An unplugged adapter is no adapter; plugged in again it serves the next connection")
    func unplugged() async throws {
        try await withTestbed { context in
            _ = try await context.testbed.add(.heartRateSensor())
            let central = await context.central(adapter: "hci0")
            let sensor = try await central.find()
            try await central.connect(sensor)
            await central.forget()
            try await context.testbed.unplug()
            await central.wait(for: "disconnected Heart Rate Sensor")
            await central.wait(for: "available false")
            let record = await central.record()
            // bluetoothd may report the end of the link before that of the adapter.
            #expect(Set(record.prefix(2)) == ["available false", "disconnected Heart Rate Sensor"])
            await central.wait(forState: .adapterNotFound("hci0"))
            await #expect(throws: BluejayError.bluetoothUnavailable(.adapterNotFound("hci0"))) {
                try await central.find()
            }
            try await context.testbed.plug()
            await central.wait(for: "available true")
            _ = try await context.testbed.add(.heartRateSensor())
            // bluetoothd reports the adapter before its devices.
            let busAddress = context.testbed.busAddress
            await central.run { $0.recordKnown(sensor, at: busAddress) }
            await central.wait(for: "known Heart Rate Sensor")
            try await central.connect(sensor)
            #expect(try await central.value(of: location, as: UInt8.self) == 1)
        }
    }

    @Test("A call before the start says so")
    func beforeStart() async {
        let loop = MainLoop(threadName: "not started")
        let error: String = await withCheckedContinuation { done in
            loop.post {
                let bluejay = Bluejay(mainLoop: loop)
                bluejay.scan { _, _ in
                    .continue
                } stopped: { _, error in
                    done.resume(returning: error?.localizedDescription ?? "none")
                }
            }
        }
        #expect(error.contains("call start()"))
        loop.stop()
    }
}
