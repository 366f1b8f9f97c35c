import BluejayDBus
import BluejaySimulator
import TestTraits
import Testing

/// Tests `DeviceConnection`.
@Suite("Connections, as recorded", .timeLimit(.minutes(15)))
struct ConnectionTests {
    private let adapter = "/org/bluez/hci0"
    private let device = "~F0_F1_F2_F3_F4_F5"
    private let uuids =
        "UUIDs [\"00001800-0000-1000-8000-00805f9b34fb\" "
        + "\"00001801-0000-1000-8000-00805f9b34fb\" \"12345678-1234-5678-1234-56789abcdef0\"]"

    private var objects: [String] {
        [
            "/service0006", "/service0006/char0007", "/service0006/char0007/desc0009",
            "/service0006/char000a", "/service0006/char000c", "/service000e",
            "/service000e/char000f", "/service000e/char0011", "/service000e/char0011/desc0013",
            "/service000e/char0014", "/service000e/char0014/desc0016", "/service000e/char0017",
            "/service000e/char0019", "/service000e/char001b", "/service000e/char001d",
            "/service000e/char001f", "/service000e/char0021", "/service000e/char0023",
        ]
    }

    @Test(
        "A connect signals Connected, replies, then adds the objects and signals resolved (connect.txt)",
        .pitfall(.connectRepliesBeforeServices)
    )
    func firstConnection() async throws {
        let stage = try await SimulatorStage()
        await stage.discover()
        _ = await stage.client.taken()
        await stage.client.call(SimulatorStage.device, "Device1", "Connect")
        await stage.client.wait(for: "SIG \(device) [UUIDs")
        let lines = await stage.client.taken()
        #expect(
            lines
                == ["call Connect", "SIG \(device) [Connected true] []", "ret Connect"]
                + objects.map { "InterfacesAdded \(device)\($0)" }
                + ["SIG \(device) [\(uuids); ServicesResolved true] []"]
        )
    }

    @Test(
        "A disconnection takes 2 s, and the reply precedes Connected false (connect.txt)",
        .pitfall(.disconnectCancelsConnect)
    )
    func disconnection() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        let start = ContinuousClock.now
        await stage.client.call(SimulatorStage.device, "Device1", "Disconnect")
        #expect(ContinuousClock.now - start >= .milliseconds(200))
        await stage.client.wait(for: "SIG \(device) [Connected false]")
        await stage.client.call(SimulatorStage.device, "Device1", "Disconnect")
        let lines = await stage.client.taken()
        #expect(
            lines == [
                "call Disconnect", "SIG \(device) [ServicesResolved false] []", "ret Disconnect",
                "SIG \(device) [Connected false] []", "call Disconnect", "ret Disconnect",
            ]
        )
        let read = await stage.read("000f")
        #expect(read.outcome == "org.bluez.Error.Failed \"Not connected\"")
    }

    @Test("A second connection uses the existing objects (connect.txt)")
    func secondConnection() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.client.call(SimulatorStage.device, "Device1", "Disconnect")
        await stage.client.wait(for: "SIG \(device) [Connected false]")
        _ = await stage.client.taken()
        await stage.client.call(SimulatorStage.device, "Device1", "Connect")
        await stage.client.wait(for: "SIG \(device) [ServicesResolved")
        let lines = await stage.client.taken()
        #expect(
            lines == [
                "call Connect", "SIG \(device) [Connected true] []", "ret Connect",
                "SIG \(device) [ServicesResolved true] []",
            ]
        )
    }

    @Test("RemoveDevice removes the child objects, then the device, then replies (connect.txt)")
    func removal() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.client.call(SimulatorStage.device, "Device1", "Disconnect")
        await stage.client.wait(for: "SIG \(device) [Connected false]")
        _ = await stage.client.taken()
        let path = ObjectPath(SimulatorStage.device) ?? .root
        await stage.client.call(adapter, "Adapter1", "RemoveDevice", [.objectPath(path)])
        let removed = [
            "/service0006/char0007/desc0009", "/service0006/char0007", "/service0006/char000a",
            "/service0006/char000c", "/service0006", "/service000e/char000f",
            "/service000e/char0011/desc0013", "/service000e/char0011",
            "/service000e/char0014/desc0016", "/service000e/char0014", "/service000e/char0017",
            "/service000e/char0019", "/service000e/char001b", "/service000e/char001d",
            "/service000e/char001f", "/service000e/char0021", "/service000e/char0023",
            "/service000e", "",
        ]
        let lines = await stage.client.taken()
        #expect(
            lines
                == ["call RemoveDevice"] + removed.map { "InterfacesRemoved \(device)\($0)" }
                + ["ret RemoveDevice"]
        )
        let again = await stage.client.call(
            adapter,
            "Adapter1",
            "RemoveDevice",
            [.objectPath(path)]
        )
        #expect(again.outcome == "org.bluez.Error.DoesNotExist \"Does Not Exist\"")
    }

    @Test(
        "A connection attempt to an absent device fails after 41 s (absent.txt)",
        .pitfall(.connectOutlastsBusTimeout)
    )
    func absent() async throws {
        let stage = try await SimulatorStage(scale: 0.05)
        await stage.discover()
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.setAdvertising(false) }
        let start = ContinuousClock.now
        let result = await stage.client.call(SimulatorStage.device, "Device1", "Connect")
        #expect(ContinuousClock.now - start >= .milliseconds(2050))
        #expect(result.outcome == "org.bluez.Error.Failed \"le-connection-abort-by-local\"")
        #expect(await stage.client.objects().contains(SimulatorStage.device))
    }

    @Test(
        "A pending connection refuses another one, and Disconnect cancels it (inprogress.txt)",
        .pitfall(.disconnectCancelsConnect)
    )
    func pending() async throws {
        let stage = try await SimulatorStage()
        await stage.discover()
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.setAdvertising(false) }
        _ = await stage.client.taken()
        await stage.client.start(SimulatorStage.device, "Device1", "Connect")
        await stage.client.call(SimulatorStage.device, "Device1", "Connect")
        await stage.client.call(SimulatorStage.device, "Device1", "Disconnect")
        let lines = await stage.client.taken()
        #expect(
            lines == [
                "call Connect", "call Connect",
                "ERR Connect org.bluez.Error.Failed \"Operation already in progress\"",
                "call Disconnect", "ERR Connect org.bluez.Error.Failed \"br-connection-canceled\"",
                "ret Disconnect",
            ]
        )
    }

    @Test("A pending connection completes as soon as the peer advertises")
    func late() async throws {
        let stage = try await SimulatorStage()
        await stage.discover()
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.setAdvertising(false) }
        await stage.client.start(SimulatorStage.device, "Device1", "Connect")
        _ = await stage.client.objects()
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.setAdvertising(true) }
        await stage.client.wait(for: "ret Connect")
    }

    @Test(
        "A lost link is one signal, and the pending calls fail after it (peer_gone.txt)",
        .pitfall(.coalescedSignals)
    )
    func linkLoss() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.startReading("0021")
        _ = await stage.client.objects()
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.dropLink() }
        await stage.client.wait(for: "ERR ReadValue")
        let lines = await stage.client.taken()
        #expect(
            lines == [
                "call ReadValue",
                "SIG \(device) [ServicesResolved false; Connected false] []",
                "ERR ReadValue org.bluez.Error.Failed \"Operation failed with ATT error: 0x0e\"",
            ]
        )
    }

    @Test(
        "Without a response all requests fail after 30 s and the link drops (att_timeout.txt)",
        .pitfall(.attributeTimeoutEndsLink)
    )
    func attributeTimeout() async throws {
        let stage = try await SimulatorStage(scale: 0.05)
        await stage.connect()
        for handle in ["0021", "000f", "0021"] {
            await stage.startReading(handle)
        }
        await stage.client.wait(for: "SIG \(device)")
        let failure =
            "ERR ReadValue org.bluez.Error.Failed \"Operation failed with ATT error: 0x0e\""
        let lines = await stage.client.taken()
        #expect(
            lines == [
                "call ReadValue", "call ReadValue", "call ReadValue", failure, failure, failure,
                "SIG \(device) [ServicesResolved false; Connected false] []",
            ]
        )
    }

    @Test(
        "A link survives the client that opened it, and any client may end it (two_clients.txt)",
        .pitfall(.linkOutlivesProgram, .otherProgramDisconnects)
    )
    func ownership() async throws {
        let stage = try await SimulatorStage()
        await stage.discover()
        let other = try await BusClient(stage.system.busAddress)
        await other.call(SimulatorStage.device, "Device1", "Connect")
        await other.leave()
        await stage.client.wait(for: "SIG \(device) [UUIDs")
        #expect(
            await stage.client.property(SimulatorStage.device, "Device1", "Connected")
                == .boolean(true)
        )
        #expect(
            await stage.client.call(SimulatorStage.device, "Device1", "Disconnect").outcome == "ok"
        )
    }

    @Test(
        "The loss of the other host ends the link on this side, with the matching reason",
        arguments: [("unplugged", "Timeout"), ("off", "Remote"), ("left", "Remote")]
    )
    func otherHost(fate: String, reason: String) async throws {
        let stage = try await SimulatorStage(.v5_86)
        let application = try await Application(stage.system.busAddress)
        await application.exportAdvertisement([
            ("Type", .string("peripheral")), ("Discoverable", .boolean(true)),
        ])
        #expect(await application.advertise() == "ok")
        let path = adapter + "/dev_00_AA_01_01_00_01"
        let seen = "~00_AA_01_01_00_01"
        await stage.client.call(
            adapter,
            "Adapter1",
            "SetDiscoveryFilter",
            [SimulatorStage.filter()]
        )
        await stage.client.call(adapter, "Adapter1", "StartDiscovery")
        await stage.client.wait(for: "InterfacesAdded \(seen)")
        await stage.client.call(adapter, "Adapter1", "StopDiscovery")
        await stage.client.call(path, "Device1", "Connect")
        await stage.client.wait(for: "SIG \(seen) [UUIDs")
        _ = await stage.client.taken()
        switch fate {
        case "unplugged": await stage.system.perform { $0.apply(.adapterUnplugged(1)) }
        case "off": await stage.system.perform { $0.setPowered(false, ofAdapter: 1) }
        default:
            let central = "/org/bluez/hci1/dev_00_AA_01_00_00_00"
            await stage.client.call(central, "Device1", "Disconnect")
        }
        let end = "SIG \(seen) [ServicesResolved false; Connected false] []"
        await stage.client.wait(for: end)
        let lines = await stage.client.taken().filter { $0.contains(seen) }
        #expect(
            lines.filter { $0.contains("Disconnected") || $0 == end }
                .map { $0.contains("org.bluez.Reason.\(reason)") || $0 == end } == [true, true],
            "\(lines)"
        )
        #expect(await stage.client.property(path, "Device1", "Connected") == .boolean(false))
    }

    @Test("The adapter turns off and on as recorded (power.txt)")
    func power() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.client.call(adapter, "Adapter1", "StartDiscovery")
        await stage.client.wait(for: "SIG hci0 [Discovering true]")
        _ = await stage.client.taken()
        await stage.client.set(adapter, "Adapter1", "Powered", .boolean(false))
        await stage.client.wait(for: "SIG hci0 [PowerState \"off\"")
        let connect = await stage.client.call(SimulatorStage.device, "Device1", "Connect")
        #expect(connect.outcome == "org.bluez.Error.Failed \"Input/output error\"")
        await stage.client.set(adapter, "Adapter1", "Powered", .boolean(true))
        await stage.client.wait(for: "SIG hci0 [PowerState \"on\"")
        let lines = await stage.client.taken().filter {
            !$0.contains("Connect ") && $0 != "call Connect"
        }
        #expect(
            lines == [
                "call Set", "SIG hci0 [PowerState \"on-disabling\"] []",
                "SIG \(device) [ServicesResolved false; Connected false] []", "ret Set",
                "SIG hci0 [PowerState \"off\"; Powered false; Discovering false] []",
                "call Set", "SIG hci0 [PowerState \"off-enabling\"] []", "ret Set",
                "SIG hci0 [PowerState \"on\"; Powered true] []",
            ]
        )
        let stop = await stage.client.call(adapter, "Adapter1", "StopDiscovery")
        #expect(stop.outcome == "org.bluez.Error.Failed \"No discovery started\"")
    }
}
