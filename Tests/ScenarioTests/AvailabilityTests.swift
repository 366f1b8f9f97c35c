import Bluejay
import BluejaySimulator
import Foundation
import Testing

@Suite("Bluetooth that comes and goes", .timeLimit(.minutes(1)))
struct AvailabilityTests {
    @Test("No bus is an error of the first call, with a sentence that says what to do")
    func noBus() async throws {
        let central = await Central("unix:path=/nonexistent/bus")
        let error = await #expect(throws: BluejayError.self) { try await central.find() }
        guard case .bluetoothUnavailable(.busUnavailable) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.localizedDescription.contains("DBUS_SYSTEM_BUS_ADDRESS") == true)
    }

    @Test("No adapter, a wrong name and a switched-off adapter are told apart")
    func adapters() async throws {
        var none = SimulatorOptions()
        none.adapters = 0
        var off = SimulatorOptions()
        off.isPowered = false
        let cases: [(SimulatorOptions, String?, BluetoothState)] = [
            (none, nil, .noAdapter), (off, nil, .poweredOff),
            (SimulatorOptions(), "hci7", .adapterNotFound("hci7")),
        ]
        for (options, adapter, expected) in cases {
            let system = try await SimulatedSystem.start(options)
            let central = await Central(system.busAddress, adapter: adapter)
            await #expect(throws: BluejayError.bluetoothUnavailable(expected)) {
                try await central.find()
            }
            system.stop()
        }
    }

    @Test("Switching off fails what is pending, then tells the observers, in this order")
    func switchedOff() async throws {
        let system = try await quickSystem { world in
            let device = SimulatedDevice(
                address: "C0:00:00:00:00:01",
                name: "Gadget",
                advertising: ["180D"]
            )
            device.addService("180D", [ScriptedCharacteristic("2A38", ["read"], .silent)])
            world.add(device)
        }
        let central = await Central(system.busAddress, adapter: "hci0")
        try await central.connect(try await central.find())
        await central.forget()
        await central.run { central in
            central.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                central.note("read \(result.text)")
            }
        }
        await system.perform { $0.setPowered(false, ofAdapter: 0) }
        await central.wait(for: "disconnected Gadget")
        let record = await central.record()
        #expect(
            record == [
                "read bluetoothUnavailable", "available false",
                "disconnected Gadget",
            ]
        )
        await system.perform { $0.setPowered(true, ofAdapter: 0) }
        await central.wait(for: "available true")
        try await central.connect(try await central.find())
    }

    @Test("A daemon that dies and comes back is survived")
    func daemonRestart() async throws {
        let system = try await quickSystem()
        let central = await Central(system.busAddress)
        let sensor = try await central.find()
        try await central.connect(sensor)
        await central.forget()
        await system.killDaemon()
        await central.wait(for: "disconnected Heart Rate Sensor")
        let record = await central.record()
        #expect(record == ["available false", "disconnected Heart Rate Sensor"])
        await #expect(throws: BluejayError.bluetoothUnavailable(.serviceNotRunning)) {
            try await central.connect(sensor)
        }
        var options = SimulatorOptions()
        options.timeScale = 0.01
        try await system.startDaemon(options)
        await system.perform { $0.add(.heartRateSensor()) }
        await central.wait(for: "available true")
        try await central.connect(sensor)
        #expect(try await central.value(of: location, as: UInt8.self) == 1)
    }

    @Test("A daemon that comes late is waited for by nobody, and told when it is there")
    func lateDaemon() async throws {
        let system = try await quickSystem()
        await system.killDaemon()
        let central = await Central(system.busAddress)
        await #expect(throws: BluejayError.bluetoothUnavailable(.serviceNotRunning)) {
            try await central.find()
        }
        try await system.startDaemon()
        await central.wait(for: "available true")
    }

    @Test("An unplugged adapter is no adapter; the other one is not used in its place")
    func unplugged() async throws {
        let system = try await quickSystem()
        let central = await Central(system.busAddress, adapter: "hci0")
        try await central.connect(try await central.find())
        await system.perform { $0.unplug(adapter: 0) }
        await central.wait(for: "disconnected Heart Rate Sensor")
        let error = await #expect(throws: BluejayError.self) { try await central.find() }
        // The power goes first, then the object: either may be what the call met.
        #expect(
            error == .bluetoothUnavailable(.poweredOff)
                || error == .bluetoothUnavailable(.adapterNotFound("hci0"))
        )
    }

    @Test("A call before the start says so")
    func beforeStart() async {
        let loop = MainLoop(threadName: "not started")
        let error: String = await withCheckedContinuation { done in
            loop.post {
                let bluejay = Bluejay(mainLoop: loop)
                bluejay.scan(serviceIdentifiers: nil) { _, _ in
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
