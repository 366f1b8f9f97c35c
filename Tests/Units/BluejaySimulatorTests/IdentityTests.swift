import BluejayDBus
import BluejaySimulator
import TestTraits
import Testing

/// Tests `DeviceDetails`.
@Suite("Private addresses (bluez.md, pitfall 21)", .timeLimit(.minutes(15)))
struct IdentityTests {
    private let path = "/org/bluez/hci0/dev_4A_00_00_00_00_01"
    private let seen = "~4A_00_00_00_00_01"
    private let later = "/org/bluez/hci0/dev_D0_00_00_00_00_01"

    /// Returns a stage with a device that has a private address, connected and paired.
    private func paired() async throws -> SimulatorStage {
        let stage = try await SimulatorStage()
        await stage.system.perform { world in
            let phone = SimulatedDevice(address: "4A:00:00:00:00:01", name: "Phone")
            phone.setIdentity("D0:00:00:00:00:01", isRandom: true)
            world.add(phone)
        }
        await stage.client.run { client in
            let authorize = BusMethod("RequestAuthorization", inputSignature: "o") { $0.reply() }
            client.server?.export(
                [BusInterface("org.bluez.Agent1", methods: [authorize])],
                at: "/agent"
            )
        }
        let agent: [BusValue] = [.objectPath("/agent"), .string("NoInputNoOutput")]
        await stage.client.call("/org/bluez", "AgentManager1", "RegisterAgent", agent)
        await discover(stage, until: "InterfacesAdded \(seen)")
        await stage.client.call(path, "Device1", "Connect")
        await stage.client.wait(for: "SIG \(seen) [UUIDs")
        _ = await stage.client.taken()
        await stage.client.call(path, "Device1", "Pair")
        return stage
    }

    private func discover(_ stage: SimulatorStage, until line: String) async {
        await stage.client.call(
            "/org/bluez/hci0",
            "Adapter1",
            "SetDiscoveryFilter",
            [SimulatorStage.filter()]
        )
        await stage.client.call("/org/bluez/hci0", "Adapter1", "StartDiscovery")
        await stage.client.wait(for: line)
        await stage.client.call("/org/bluez/hci0", "Adapter1", "StopDiscovery")
    }

    private func drop(_ stage: SimulatorStage) async {
        await stage.system.perform { $0.device("D0:00:00:00:00:01")?.dropLink() }
        await stage.client.wait(for: "SIG \(seen) [ServicesResolved false")
    }

    @Test(
        "Pairing changes the address of the object and keeps its path",
        .pitfall(.addressChangesByPairing)
    )
    func identity() async throws {
        let stage = try await paired()
        let lines = await stage.client.taken()
        #expect(
            lines == [
                "call Pair",
                "SIG \(seen) [Address \"D0:00:00:00:00:01\"; AddressType \"random\"] []",
                "SIG \(seen) [Bonded true; Paired true] []", "ret Pair",
            ]
        )
        #expect(await stage.client.objects().contains(path))
        #expect(await stage.client.objects().contains(later) == false)
    }

    @Test(
        "A paired device keeps its object under the next private address; other adapters add another",
        .pitfall(.privateAddresses)
    )
    func rotates() async throws {
        let stage = try await paired()
        await drop(stage)
        await stage.system.perform {
            $0.device("D0:00:00:00:00:01")?.changeAddress(to: "5B:00:00:00:00:02")
        }
        await stage.client.call("/org/bluez/hci1", "Adapter1", "StartDiscovery")
        await stage.client.wait(for: "InterfacesAdded hci1/dev_5B_00_00_00_00_02")
        #expect(await stage.client.call(path, "Device1", "Connect").outcome == "ok")
        let objects = await stage.client.objects()
        #expect(objects.contains("/org/bluez/hci0/dev_5B_00_00_00_00_02") == false)
    }

    @Test("A restarted bluetoothd lists a paired device only under its identity address")
    func restarted() async throws {
        let stage = try await paired()
        await drop(stage)
        await stage.system.killDaemon()
        try await stage.system.startDaemon()
        let objects = await stage.client.objects()
        #expect(objects.contains(later))
        #expect(objects.contains(path) == false)
        #expect(await stage.client.call(later, "Device1", "Connect").outcome == "ok")
    }

    @Test("Removing a device deletes its keys")
    func removed() async throws {
        let stage = try await paired()
        await drop(stage)
        let object = ObjectPath(path) ?? .root
        await stage.client.call(
            "/org/bluez/hci0",
            "Adapter1",
            "RemoveDevice",
            [.objectPath(object)]
        )
        _ = await stage.client.taken()
        await discover(stage, until: "InterfacesAdded \(seen)")
        let address = await stage.client.property(path, "Device1", "Address")
        #expect(address == .string("4A:00:00:00:00:01"))
    }

    @Test("A scripted device is found by its current address and its identity address")
    func lookup() async throws {
        let stage = try await SimulatorStage()
        await stage.system.perform { world in
            let phone = SimulatedDevice(address: "4A:00:00:00:00:01", name: "Phone")
            phone.setIdentity("D0:00:00:00:00:01", isRandom: true)
            world.add(phone)
            world.device("4a:00:00:00:00:01")?.changeAddress(to: "5B:00:00:00:00:02")
            world.add(SimulatedDevice(address: "00:11:22:33:44:55", isRandom: false))
        }
        let found = await stage.system.read { world in
            [
                "4A:00:00:00:00:01", "5B:00:00:00:00:02", "D0:00:00:00:00:01",
                "00:11:22:33:44:55", "nonsense",
            ].map { world.device($0) != nil }
        }
        #expect(found == [false, true, true, true, false])
    }

    @Test("An added device replaces the one with the same address")
    func replaced() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.system.perform { $0.add(SimulatorStage.peripheral()) }
        await stage.client.wait(for: "SIG ~F0_F1_F2_F3_F4_F5 [ServicesResolved false")
        await stage.reconnectKnown()
        await stage.read("0023")
        let reads = await stage.system.read { $0.device("F0:F1:F2:F3:F4:F5")?.readCount }
        #expect(reads == 1)
    }
}
