import BluejayDBus
import BluejaySimulator
import TestTraits
import Testing

@Suite("Faults of the daemon and the controller, as recorded", .timeLimit(.minutes(15)))
struct FaultTests {
    private let device = "~F0_F1_F2_F3_F4_F5"

    @Test(
        "Service Changed adds and removes objects, and ServicesResolved stays (svc_change_bumble.txt)"
    )
    func serviceChanged() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        let uuid = "12345678-1234-5678-1234-56789abcde00"
        await stage.system.perform { world in
            world.device("F0:F1:F2:F3:F4:F5")?.addService(
                uuid,
                [ScriptedCharacteristic("2A00", ["read"], .value(Array("extra".utf8)))]
            )
        }
        await stage.client.wait(for: "SIG \(device) [UUIDs")
        let lines = await stage.client.taken().map { String($0.prefix(60)) }
        #expect(
            lines == [
                "InterfacesAdded \(device)/service0025",
                "InterfacesAdded \(device)/service0025/char0026",
                String("SIG \(device) [UUIDs [\"00001800-0000-1000-8000-00805f9b".prefix(60)),
            ]
        )
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.removeService(uuid) }
        await stage.client.wait(for: "SIG \(device) [UUIDs")
        let more = await stage.client.taken().dropLast()
        #expect(
            more == [
                "InterfacesRemoved \(device)/service0025/char0026",
                "InterfacesRemoved \(device)/service0025",
            ]
        )
        let gone = await stage.client.call(
            SimulatorStage.device + "/service0025/char0026",
            "GattCharacteristic1",
            "ReadValue",
            [.properties([])]
        )
        #expect(gone.outcome.hasPrefix("org.freedesktop.DBus.Error.UnknownObject"))
    }

    @Test(
        "A killed bluetoothd is silent: the bus fails the pending call (bluetoothd_kill.txt)"
    )
    func killed() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.startReading("0021")
        _ = await stage.client.objects()
        await stage.system.killDaemon()
        await stage.client.wait(for: "ERR ReadValue")
        let lines = await stage.client.taken()
        #expect(
            lines == [
                "call ReadValue",
                "ERR ReadValue org.freedesktop.DBus.Error.NoReply \"Message recipient disconnected "
                    + "from message bus without replying\"",
            ]
        )
        let later = await stage.read("000f")
        #expect(later.outcome.hasPrefix("org.freedesktop.DBus.Error.ServiceUnknown"))
        try await stage.system.startDaemon()
        // The simulator has one more object, for channels.
        let objects = await stage.client.objects().filter { $0.hasPrefix("/org/bluez") }
        #expect(
            objects == ["/org/bluez", "/org/bluez/hci0", SimulatorStage.device, "/org/bluez/hci1"]
        )
    }

    @Test("After the end of bluetoothd the next call fails with ServiceUnknown")
    func endedForAll() async throws {
        let stage = try await SimulatorStage()
        for number in 0..<20 {
            if number.isMultiple(of: 2) {
                await stage.system.killDaemon()
            } else {
                await stage.system.terminateDaemon()
            }
            let result = await stage.client.call("/org/bluez/hci0", "Adapter1", "StartDiscovery")
            #expect(result.outcome.hasPrefix("org.freedesktop.DBus.Error.ServiceUnknown"))
            try await stage.system.startDaemon()
        }
    }

    @Test("A bluetoothd that is stopped during its start stays stopped")
    func endedWhileItStarts() async throws {
        for end in [Fault.daemonKilled, .daemonTerminated] {
            let stage = try await SimulatorStage()
            await stage.system.killDaemon()
            await stage.system.perform { world in
                world.apply(.daemonStarted)
                world.apply(end)
            }
            await stage.system.pass(.seconds(1))
            let result = await stage.client.call("/org/bluez/hci0", "Adapter1", "StartDiscovery")
            #expect(result.outcome.hasPrefix("org.freedesktop.DBus.Error.ServiceUnknown"))
        }
    }

    @Test("A terminated bluetoothd removes all objects first (bluetoothd_term.txt)")
    func terminated() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.system.perform { $0.apply(.daemonTerminated) }
        await stage.client.wait(for: "InterfacesRemoved hci1")
        let lines = await stage.client.taken().filter { !$0.contains("/service") }
        #expect(
            lines == [
                "SIG hci0 [PowerState \"on-disabling\"] []",
                "SIG \(device) [ServicesResolved false; Connected false] []",
                "SIG hci1 [PowerState \"on-disabling\"] []",
                "InterfacesRemoved /org/bluez", "InterfacesRemoved \(device)",
                "SIG hci0 [PowerState \"off\"; Powered false; Discovering false] []",
                "InterfacesRemoved hci0",
                "SIG hci1 [PowerState \"off\"; Powered false; Discovering false] []",
                "InterfacesRemoved hci1",
            ]
        )
    }

    @Test(
        "An unplugged controller ends the link, the pending call, the devices and the power, in order"
    )
    func unplugged() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.startReading("0021")
        _ = await stage.client.objects()
        await stage.system.perform { $0.apply(.adapterUnplugged(0)) }
        await stage.client.wait(for: "InterfacesRemoved hci0")
        let lines = await stage.client.taken().filter { !$0.contains("/service") }
        #expect(
            lines == [
                "call ReadValue", "SIG \(device) [ServicesResolved false; Connected false] []",
                "ERR ReadValue org.bluez.Error.Failed \"Operation failed with ATT error: 0x0e\"",
                "SIG hci0 [PowerState \"on\"; Powered false; Discovering false] []",
                "InterfacesRemoved \(device)", "InterfacesRemoved hci0",
            ]
        )
        await stage.system.perform { $0.apply(.adapterPlugged(0)) }
        await stage.client.wait(for: "InterfacesAdded hci0")
    }

    @Test(
        "BlueZ 5.86 replies last, reports the reason, and returns InProgress for Connect",
        .pitfall(.disconnectReason)
    )
    func newerDaemon() async throws {
        let stage = try await SimulatorStage(.v5_86)
        await stage.connect()
        let service = SimulatorStage.device + "/service0001"
        let gap = await stage.client.property(service, "GattService1", "UUID")
        #expect(gap?.text == "00001800-0000-1000-8000-00805f9b34fb")
        let handle = await stage.client.property(
            SimulatorStage.path("000f"),
            "GattCharacteristic1",
            "Handle"
        )
        #expect(handle == .uint16(15))
        await stage.client.call(SimulatorStage.device, "Device1", "Disconnect")
        let lines = await stage.client.taken()
        #expect(
            lines == [
                "call Disconnect", "SIG \(device) [ServicesResolved false] []",
                "SIG \(device) Disconnected \"org.bluez.Reason.Local\" "
                    + "\"Connection terminated by local host\"",
                "SIG \(device) [Connected false] []", "ret Disconnect",
            ]
        )
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.setAdvertising(false) }
        await stage.client.start(SimulatorStage.device, "Device1", "Connect")
        let second = await stage.client.call(SimulatorStage.device, "Device1", "Connect")
        #expect(second.outcome == "org.bluez.Error.InProgress \"In Progress\"")
    }
}
