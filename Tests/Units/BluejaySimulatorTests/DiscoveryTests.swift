import BluejayDBus
import BluejaySimulator
import TestTraits
import Testing

/// Tests `AdapterDiscovery`.
@Suite("Discovery, as recorded", .timeLimit(.minutes(15)))
struct DiscoveryTests {
    private let adapter = "/org/bluez/hci0"

    @Test("Signals follow the replies, and the RSSI is invalidated at the end (scan.txt)")
    func order() async throws {
        let stage = try await SimulatorStage()
        await stage.discover()
        let lines = await stage.client.taken()
        #expect(
            lines == [
                "call SetDiscoveryFilter", "ret SetDiscoveryFilter",
                "call StartDiscovery", "ret StartDiscovery",
                "SIG hci0 [Discovering true] []",
                "InterfacesAdded ~F0_F1_F2_F3_F4_F5",
                "call StopDiscovery", "ret StopDiscovery",
                "SIG ~F0_F1_F2_F3_F4_F5 [] [RSSI]",
                "SIG hci0 [Discovering false] []",
            ]
        )
    }

    @Test("A device has the properties of a real one, in the same order")
    func properties() async throws {
        let stage = try await SimulatorStage()
        await stage.client.call(
            adapter,
            "Adapter1",
            "SetDiscoveryFilter",
            [SimulatorStage.filter()]
        )
        await stage.client.call(adapter, "Adapter1", "StartDiscovery")
        await stage.client.wait(for: "InterfacesAdded ~F0")
        var found: [String] = []
        for name in [
            "Address", "AddressType", "Name", "Alias", "Paired", "Bonded", "Trusted", "Blocked",
            "LegacyPairing", "RSSI", "Connected", "UUIDs", "Adapter", "ManufacturerData",
            "ServicesResolved", "AdvertisingFlags",
        ] {
            let value = await stage.client.property(SimulatorStage.device, "Device1", name)
            found.append(value.map { Recording.text(of: $0) } ?? "none")
        }
        #expect(
            found == [
                "\"F0:F1:F2:F3:F4:F5\"", "\"random\"", "\"BumbleLab\"", "\"BumbleLab\"", "false",
                "false", "false", "false", "false", "127", "false",
                "[\"12345678-1234-5678-1234-56789abcdef0\"]", "hci0", "[65535 <01 02>]", "false",
                "<06>",
            ]
        )
        #expect(await stage.client.property(SimulatorStage.device, "Device1", "Modalias") == nil)
    }

    @Test(
        "Manufacturer data accumulates; repeated data reports the RSSI (scan.txt)",
        .pitfall(.accumulatedData)
    )
    func manufacturerData() async throws {
        let stage = try await SimulatorStage()
        await stage.client.call(
            adapter,
            "Adapter1",
            "SetDiscoveryFilter",
            [SimulatorStage.filter()]
        )
        await stage.client.call(adapter, "Adapter1", "StartDiscovery")
        await stage.client.wait(for: "InterfacesAdded ~F0")
        _ = await stage.client.taken()
        for (company, data) in [(0xFFFF, [1, 3]), (0x004C, [2, 21]), (0x004C, [2, 21])]
            as [(UInt16, [UInt8])]
        {
            await stage.system.perform { world in
                let device = world.device("F0:F1:F2:F3:F4:F5")
                device?.setManufacturerData(company == 0xFFFF ? 0x004C : 0xFFFF, nil)
                device?.setManufacturerData(company, data)
            }
        }
        _ = await stage.client.objects()
        let lines = await stage.client.taken().filter { $0.contains("ManufacturerData") }
        #expect(
            lines == [
                "SIG ~F0_F1_F2_F3_F4_F5 [RSSI 127; ManufacturerData [65535 <01 03>]] []",
                "SIG ~F0_F1_F2_F3_F4_F5 "
                    + "[RSSI 127; ManufacturerData [65535 <01 03>; 76 <02 15>]] []",
            ]
        )
    }

    @Test(
        "BlueZ 5.66 reports each RSSI with any filter, 5.86 only with an RSSI filter",
        .pitfall(.hiddenSignals),
        arguments: [
            (SimulatedBlueZVersion.v5_66, [("Transport", .string("le"))], [-60, -61, -61, -70]),
            (.v5_66, [], [-60, -70]),
            (.v5_86, [("Transport", .string("le"))], [-60, -70]),
            (.v5_86, [("RSSI", .int16(-127))], [-60, -61, -61, -70]),
        ] as [(SimulatedBlueZVersion, BusProperties, [Int])]
    )
    func strengths(kind: SimulatedBlueZVersion, filter: BusProperties, told: [Int]) async throws {
        let stage = try await SimulatorStage(kind)
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.setSignalStrength(-50) }
        let arguments = [BusValue.properties(filter)]
        await stage.client.call(adapter, "Adapter1", "SetDiscoveryFilter", arguments)
        await stage.client.call(adapter, "Adapter1", "StartDiscovery")
        await stage.client.wait(for: "InterfacesAdded ~F0")
        _ = await stage.client.taken()
        await stage.system.perform { world in
            for strength in [-60, -61, -61, -70] as [Int16] {
                world.device("F0:F1:F2:F3:F4:F5")?.setSignalStrength(strength)
            }
        }
        _ = await stage.client.objects()
        let lines = await stage.client.taken()
        #expect(lines == told.map { "SIG ~F0_F1_F2_F3_F4_F5 [RSSI \($0)] []" })
    }

    @Test("BlueZ 5.86 accepts an additional filter, which 5.66 refuses")
    func moreFilters() async throws {
        for (kind, outcome) in [
            (SimulatedBlueZVersion.v5_86, "ok"),
            (.v5_66, "org.bluez.Error.InvalidArguments \"Invalid arguments in method call\""),
        ] {
            let stage = try await SimulatorStage(kind)
            let filter = [BusValue.properties([("AutoConnect", .boolean(false))])]
            let result = await stage.client.call(adapter, "Adapter1", "SetDiscoveryFilter", filter)
            #expect(result.outcome == outcome)
        }
    }

    @Test(
        "A filter that matches no device shows none",
        arguments: [
            ("UUIDs", BusValue.strings(["0000180d-0000-1000-8000-00805f9b34fb"])),
            ("RSSI", BusValue.int16(-50)), ("Pattern", BusValue.string("Other")),
            ("Transport", BusValue.string("bredr")),
        ]
    )
    func noMatch(name: String, value: BusValue) async throws {
        let stage = try await SimulatorStage()
        let filter = BusValue.properties([(name, value)])
        await stage.client.call(adapter, "Adapter1", "SetDiscoveryFilter", [filter])
        await stage.client.call(adapter, "Adapter1", "StartDiscovery")
        await stage.client.wait(for: "SIG hci0 [Discovering true]")
        await stage.system.pass(.milliseconds(50))
        #expect(await stage.client.objects().contains(SimulatorStage.device) == false)
    }

    @Test("Without a filter only discoverable devices are shown", .pitfall(.hiddenDevices))
    func unfiltered() async throws {
        let stage = try await SimulatorStage()
        await stage.system.perform { world in
            world.device("F0:F1:F2:F3:F4:F5")?.isDiscoverable = false
            world.add(.heartRateSensor())
        }
        await stage.client.call(adapter, "Adapter1", "StartDiscovery")
        await stage.client.wait(for: "InterfacesAdded ~C4")
        #expect(await stage.client.objects().contains(SimulatorStage.device) == false)
    }

    @Test(
        "An invalid filter is refused",
        arguments: [
            [("Transport", BusValue.string("nonsense"))],
            [("RSSI", .int16(-50)), ("Pathloss", .uint16(10))],
            [("UUIDs", .strings(["no"]))], [("RSSI", .string("loud"))],
            [("Colour", .boolean(true))],
        ] as [BusProperties]
    )
    func badFilter(filter: BusProperties) async throws {
        let stage = try await SimulatorStage()
        let result = await stage.client.call(
            adapter,
            "Adapter1",
            "SetDiscoveryFilter",
            [.properties(filter)]
        )
        #expect(
            result.outcome
                == "org.bluez.Error.InvalidArguments \"Invalid arguments in method call\""
        )
    }

    @Test(
        "Each client has its own discovery session (inprogress.txt, two_clients.txt)",
        .fault(.programKilled, during: .scan)
    )
    func ownership() async throws {
        let stage = try await SimulatorStage()
        let other = try await BusClient(stage.system.busAddress)
        func call(_ client: BusClient, _ member: String) async -> String {
            await client.call(adapter, "Adapter1", member).outcome
        }
        let none = "org.bluez.Error.Failed \"No discovery started\""
        #expect(await call(stage.client, "StopDiscovery") == none)
        #expect(await call(other, "StartDiscovery") == "ok")
        #expect(
            await call(other, "StartDiscovery")
                == "org.bluez.Error.InProgress \"Operation already in progress\""
        )
        #expect(await call(stage.client, "StopDiscovery") == none)
        #expect(await stage.client.property(adapter, "Adapter1", "Discovering") == .boolean(true))
        await other.leave()
        await stage.client.wait(for: "SIG hci0 [Discovering false]")
    }

    @Test(
        "A client that leaves with a filter set signals the end of discovery again",
        arguments: [
            ([SimulatorStage.filter()], true), ([SimulatorStage.filter(), .properties([])], false),
            ([], false),
        ]
    )
    func leavesFilter(filters: [BusValue], tells: Bool) async throws {
        let stage = try await SimulatorStage()
        let other = try await BusClient(stage.system.busAddress)
        for filter in filters {
            await other.call(adapter, "Adapter1", "SetDiscoveryFilter", [filter])
        }
        await other.call(adapter, "Adapter1", "StartDiscovery")
        await other.call(adapter, "Adapter1", "StopDiscovery")
        await stage.client.wait(for: "SIG hci0 [Discovering false]")
        _ = await stage.client.taken()
        await other.leave()
        if tells { await stage.client.wait(for: "SIG hci0 [Discovering false]") }
        await stage.system.pass(.milliseconds(50))
        let told = await stage.client.taken()
        #expect(told == (tells ? ["SIG hci0 [Discovering false] []"] : []))
    }

    @Test(
        "A name ends at its first NUL, and each non-ASCII byte before it becomes a space",
        .timeLimit(.minutes(15)),
        arguments: [
            ("Lam\0p", "Lam"), ("Lamp\0", "Lamp"), ("\0Lamp", nil), ("Lamé\0x", "Lam"),
            ("é\0x", nil), (" Lamp \0x", "Lamp"), ("Lé pé", "Lé pé"), (" ", " "),
        ]
    )
    func nameWithNUL(name: String, shown: String?) async throws {
        let stage = try await SimulatorStage()
        await stage.system.perform { world in
            world.add(SimulatedDevice(address: "F0:F1:F2:F3:F4:F6", name: name))
        }
        await stage.client.call(
            "/org/bluez/hci0",
            "Adapter1",
            "SetDiscoveryFilter",
            [SimulatorStage.filter()]
        )
        await stage.client.call("/org/bluez/hci0", "Adapter1", "StartDiscovery")
        await stage.client.wait(for: "InterfacesAdded ~F0_F1_F2_F3_F4_F6")
        let path = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F6"
        func names() async -> [BusValue?] {
            [
                await stage.client.property(path, "Device1", "Name"),
                await stage.client.property(path, "Device1", "Alias"),
            ]
        }
        let expected: [BusValue?] = [
            shown.map { .string($0) }, .string(shown ?? "F0-F1-F2-F3-F4-F6"),
        ]
        #expect(await names() == expected)
        await stage.client.call(path, "Device1", "Connect")
        await stage.client.wait(for: "SIG ~F0_F1_F2_F3_F4_F6 [UUIDs")
        #expect(await names() == expected)
    }

    @Test("The cleanup after a client is one signal of the adapter")
    func leavesAgent() async throws {
        let stage = try await SimulatorStage()
        let other = try await BusClient(stage.system.busAddress)
        let agent: [BusValue] = [.objectPath("/agent"), .string("NoInputNoOutput")]
        await other.call("/org/bluez", "AgentManager1", "RegisterAgent", agent)
        await other.call(adapter, "Adapter1", "StartDiscovery")
        await stage.client.wait(for: "SIG hci0 [Discovering true]")
        await other.leave()
        await stage.client.wait(for: "SIG hci0 [Discovering false; Pairable false] []")
    }

    @Test("Switching off discards the filter of a running discovery")
    func powerTakesFilter() async throws {
        let stage = try await SimulatorStage()
        let other = try await BusClient(stage.system.busAddress)
        await other.call(adapter, "Adapter1", "SetDiscoveryFilter", [SimulatorStage.filter()])
        await other.call(adapter, "Adapter1", "StartDiscovery")
        await stage.client.wait(for: "SIG hci0 [Discovering true]")
        await stage.client.set(adapter, "Adapter1", "Powered", .boolean(false))
        await stage.client.wait(for: "SIG hci0 [PowerState \"off\"")
        _ = await stage.client.taken()
        await other.leave()
        await stage.system.pass(.milliseconds(50))
        #expect(await stage.client.taken().isEmpty)
    }

    @Test(
        "A device without a connection is removed 30 s after its last advertisement (adv_stop.txt)",
        .pitfall(.temporaryDevices)
    )
    func temporary() async throws {
        let stage = try await SimulatorStage(scale: 0.02)
        await stage.discover()
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.leaveRange() }
        await stage.client.wait(for: "InterfacesRemoved ~F0_F1_F2_F3_F4_F5")
        let result = await stage.client.call(SimulatorStage.device, "Device1", "Connect")
        #expect(
            result.outcome == "org.freedesktop.DBus.Error.UnknownObject \"Method \"Connect\" with "
                + "signature \"\" on interface \"org.bluez.Device1\" doesn't exist\n\""
        )
    }

    @Test("An adapter that is off replies with NotReady", .pitfall(.discoveryNotReady))
    func poweredOff() async throws {
        let stage = try await SimulatorStage()
        await stage.client.set(adapter, "Adapter1", "Powered", .boolean(false))
        await stage.client.wait(for: "SIG hci0 [PowerState \"off\"")
        let members: [(String, [BusValue])] = [
            ("StartDiscovery", []), ("StopDiscovery", []),
            ("SetDiscoveryFilter", [SimulatorStage.filter()]),
        ]
        for (member, arguments) in members {
            let result = await stage.client.call(adapter, "Adapter1", member, arguments)
            #expect(result.outcome == "org.bluez.Error.NotReady \"Resource Not Ready\"")
        }
    }
}
