import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

@Suite("Bluetooth availability", .timeLimit(.minutes(15)))
struct AvailabilityTests {
    @Test("Without a bus, the first call fails with an error that describes the remedy")
    func noBus() async throws {
        let central = await RecordingCentral("unix:path=/nonexistent/bus")
        let error = await #expect(throws: BluejayError.self) { try await central.find() }
        guard case .busUnavailable = error?.bluetoothState else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.localizedDescription.contains("DBUS_SYSTEM_BUS_ADDRESS") == true)
    }

    @Test("A missing, a wrongly named and a powered-off adapter fail with different errors")
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

    @Test(
        "Powering off fails the pending calls first and then notifies the observers",
        .fault(.bluetoothOff, during: .read)
    )
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

    @Test(
        "Powering off ends a scan with bluetoothUnavailable",
        .fault(.bluetoothOff, during: .scan),
        .pitfall(.discoveryNotReady)
    )
    func switchedOffWhileScanning() async throws {
        try await withTestbed { context in
            _ = try await context.testbed.add(.gadget([]))
            let central = await context.central(adapter: "hci0")
            await central.run { central in
                central.bluejay.scan(serviceIdentifiers: [heartRateService]) { _, _ in
                    central.recordEvent("found")
                    return .continue
                } stopped: { _, error in
                    central.recordEvent("stopped \(error.map(errorName) ?? "ok")")
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
        "Connections and listens work again after bluetoothd restarts",
        .fault(.daemonKilled, during: .listen),
        .pitfall(.daemonRestart),
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

    @Test(
        "Calls fail while bluetoothd is missing, and observers are notified when it appears",
        .pitfall(.missingDaemon)
    )
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

    @Test(
        "An unplugged adapter counts as missing, and serves the next connection once plugged in",
        .pitfall(.adapterHotPlug)
    )
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

    @Test("A call before start fails with an error that names start()")
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
