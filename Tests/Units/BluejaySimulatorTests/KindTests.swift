import BluejayDBus
import BluejaySimulator
import Testing

@Suite("Differences between BlueZ versions", .timeLimit(.minutes(15)))
struct KindTests {
    private static let peripheral = "dev_00_AA_01_01_00_01"
    private let handle = "/service0015/char0016"

    private func path(_ adapter: String) -> String {
        "/org/bluez/\(adapter)/\(Self.peripheral)"
    }

    private func seen(_ adapter: String) -> String {
        adapter == "hci0" ? "~00_AA_01_01_00_01" : "\(adapter)/\(Self.peripheral)"
    }

    private func connect(_ adapter: String, in stage: SimulatorStage) async {
        let client = stage.client
        let path = "/org/bluez/\(adapter)"
        await client.call(path, "Adapter1", "SetDiscoveryFilter", [SimulatorStage.filter()])
        await client.call(path, "Adapter1", "StartDiscovery")
        await client.wait(for: "InterfacesAdded \(seen(adapter))")
        await client.call(path, "Adapter1", "StopDiscovery")
        await client.call(self.path(adapter), "Device1", "Connect")
        await client.wait(for: "SIG \(seen(adapter)) [UUIDs")
        _ = await client.taken()
    }

    /// Returns an application on hci1 that uses sockets, with a central on hci0 and on hci2.
    private func served(_ kind: SimulatedBlueZVersion) async throws -> (SimulatorStage, Application)
    {
        let stage = try await SimulatorStage(kind, adapters: 3)
        let application = try await Application(stage.system.busAddress)
        await application.export(acquires: true)
        #expect(await application.register() == "ok")
        await application.exportAdvertisement([
            ("Type", .string("peripheral")), ("Discoverable", .boolean(true)),
        ])
        #expect(await application.advertise() == "ok")
        for adapter in ["hci0", "hci2"] {
            await connect(adapter, in: stage)
            let path = path(adapter) + handle
            await stage.client.call(path, "GattCharacteristic1", "StartNotify")
        }
        return (stage, application)
    }

    @Test(
        "Each version has its number of notification sockets, and its own receivers of each socket",
        arguments: [
            (SimulatedBlueZVersion.v5_66, ["hci0"], ["hci0", "hci2"]),
            (.v5_72, ["hci0", "hci2"], ["hci0", "hci2"]),
            (.v5_76, ["hci0", "hci2"], ["hci0"]), (.v5_86, ["hci0", "hci2"], ["hci0"]),
        ]
    )
    func sockets(kind: SimulatedBlueZVersion, asked: [String], heard: [String]) async throws {
        let (stage, application) = try await served(kind)
        await application.wait(for: "AcquireNotify hci1/\(central(asked.last ?? ""))")
        let calls = await application.taken()
        #expect(calls == asked.map { "AcquireNotify hci1/\(central($0))" })
        _ = await stage.client.taken()
        await application.send([7], onSocket: 0)
        await stage.client.wait(for: "SIG \(seen("hci0"))\(handle) [Value <07>]")
        // One write per value reaches all of its receivers.
        await application.send([8], onSocket: asked.count - 1)
        await stage.client.wait(for: "SIG \(seen("hci2"))\(handle) [Value <08>]")
        let lines = await stage.client.taken().filter { $0.contains("<07>") }
        #expect(lines == heard.map { "SIG \(seen($0))\(handle) [Value <07>] []" })
    }

    private func central(_ adapter: String) -> String {
        adapter == "hci0" ? "dev_00_AA_01_00_00_00" : "dev_00_AA_01_02_00_02"
    }

    @Test("A central that unsubscribes closes only its own socket")
    func leaves() async throws {
        let (stage, application) = try await served(.v5_86)
        await application.wait(for: "AcquireNotify hci1/\(central("hci2"))")
        _ = await application.taken()
        await stage.client.call(path("hci0") + handle, "GattCharacteristic1", "StopNotify")
        _ = await stage.client.taken()
        await application.send([9], onSocket: 1)
        await stage.client.wait(for: "SIG \(seen("hci2"))\(handle) [Value <09>]")
        await stage.client.call(path("hci0") + handle, "GattCharacteristic1", "StartNotify")
        await application.wait(for: "AcquireNotify hci1/\(central("hci0"))")
    }

    @Test("The drop of a central without a bond closes the first socket, whichever central owns it")
    func firstSocket() async throws {
        let (stage, application) = try await served(.v5_86)
        await application.wait(for: "AcquireNotify hci1/\(central("hci2"))")
        await stage.client.call(path("hci2"), "Device1", "Disconnect")
        await application.wait(forEndOfSocket: 0)
        _ = await stage.client.taken()
        // The socket of the central that left still exists, without a receiver.
        await application.send([9], onSocket: 1)
        await application.send([8])
        await stage.client.wait(for: "SIG \(seen("hci0"))\(handle) [Value <08>]")
        let lines = await stage.client.taken().filter { $0.contains("<09>") }
        #expect(lines == [])
    }

    @Test("An empty packet ends the delivery from a socket")
    func emptyPacket() async throws {
        let (stage, application) = try await served(.v5_86)
        await application.wait(for: "AcquireNotify hci1/\(central("hci2"))")
        _ = await stage.client.taken()
        await application.send([], onSocket: 0)
        await application.send([7], onSocket: 0)
        await application.send([8], onSocket: 1)
        await stage.client.wait(for: "SIG \(seen("hci2"))\(handle) [Value <08>]")
        await application.send([6])
        await stage.client.wait(for: "SIG \(seen("hci0"))\(handle) [Value <06>]")
        let lines = await stage.client.taken().filter { $0.contains("<07>") }
        #expect(lines == [])
    }

    @Test("The version can be hidden", arguments: ["usb:v1234p5678d0100", ""])
    func hiddenVersion(modalias: String) async throws {
        var options = SimulatorOptions()
        options.modalias = modalias
        let system = try await SimulatedSystem.start(options)
        let client = try await BusClient(system.busAddress)
        let told = await client.property("/org/bluez/hci0", "Adapter1", "Modalias")
        #expect(told == (modalias.isEmpty ? nil : .string(modalias)))
    }

    @Test(
        "Properties exist from the versions in bluez.md on, and Modalias names the version",
        arguments: [
            (SimulatedBlueZVersion.v5_55, [false, false, false, false], "usb:v1D6Bp0246d0537"),
            (.v5_66, [true, true, true, false], "usb:v1D6Bp0246d0542"),
            (.v5_76, [true, true, true, false], "usb:v1D6Bp0246d054C"),
            (.v5_86, [true, true, true, true], "usb:v1D6Bp0246d0556"),
        ]
    )
    func properties(kind: SimulatedBlueZVersion, present: [Bool], modalias: String) async throws {
        let stage = try await SimulatorStage(kind)
        await stage.connect()
        var found: [Bool] = []
        for (path, interface, name) in [
            (SimulatorStage.path("000f"), "GattCharacteristic1", "MTU"),
            (SimulatorStage.device, "Device1", "Bonded"),
            ("/org/bluez/hci0", "Adapter1", "PowerState"),
            (SimulatorStage.path("000f"), "GattCharacteristic1", "Handle"),
        ] {
            found.append(await stage.client.property(path, interface, name) != nil)
        }
        #expect(found == present)
        let own = await stage.client.property("/org/bluez/hci0", "Adapter1", "Modalias")
        #expect(own == .string(modalias))
        await stage.client.set("/org/bluez/hci0", "Adapter1", "Powered", .boolean(false))
        await stage.client.wait(
            for: present[2] ? "SIG hci0 [PowerState \"off\"; " : "SIG hci0 [Powered"
        )
        let told = await stage.client.taken().contains { $0.contains("PowerState") }
        #expect(told == present[2])
    }

    @Test("BlueZ 5.55 reports the system's error text for a failed connection")
    func oldReasons() async throws {
        let stage = try await SimulatorStage(.v5_55)
        await stage.discover()
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.setAdvertising(false) }
        await stage.client.start(SimulatorStage.device, "Device1", "Connect")
        await stage.client.call(SimulatorStage.device, "Device1", "Disconnect")
        await stage.client.wait(for: "ERR Connect")
        let lines = await stage.client.taken().filter { $0.hasPrefix("ERR") }
        #expect(lines == ["ERR Connect org.bluez.Error.Failed \"Operation canceled\""])
    }

    @Test("BlueZ 5.55 sends each Failed error as 0x80, and passes no MTU to an application")
    func oldServer() async throws {
        let stage = try await SimulatorStage(.v5_55)
        let application = try await Application(stage.system.busAddress)
        await application.export(BusError(name: "org.bluez.Error.Failed", message: "0x85"))
        #expect(await application.register() == "ok")
        await application.exportAdvertisement([
            ("Type", .string("peripheral")), ("Discoverable", .boolean(true)),
        ])
        #expect(await application.advertise() == "ok")
        await connect("hci0", in: stage)
        let result = await stage.client.call(
            path("hci0") + handle,
            "GattCharacteristic1",
            "ReadValue",
            [.properties([])]
        )
        #expect(
            result.outcome == "org.bluez.Error.Failed \"Operation failed with ATT error: 0x80\""
        )
        #expect(
            await application.taken() == [
                "ReadValue [\"device\" hci1/dev_00_AA_01_00_00_00; \"link\" \"LE\"]"
            ]
        )
    }
}
