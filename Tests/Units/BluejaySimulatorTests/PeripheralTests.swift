import BluejayDBus
import BluejaySimulator
import TestTraits
import Testing

/// Tests `GATTManager`, `RemoteApplication` and `AdvertisingManager`.
@Suite("An application on hci1, observed from hci0", .timeLimit(.minutes(15)))
struct PeripheralTests {
    private let device = "/org/bluez/hci0/dev_00_AA_01_01_00_01"
    private let seen = "~00_AA_01_01_00_01"

    private static let advertisement: BusProperties = [
        ("Type", .string("peripheral")), ("LocalName", .string("SimulatorStage")),
        ("ServiceUUIDs", .strings(["180d"])), ("Discoverable", .boolean(true)),
    ]

    /// Returns a central on hci0, connected to the application on hci1 and resolved.
    private func connected(
        _ refusing: BusError? = nil,
        flags: [String] = ["read", "write", "notify"],
        kind: SimulatedBlueZVersion = .v5_66
    ) async throws -> (SimulatorStage, Application) {
        let stage = try await SimulatorStage(kind)
        let application = try await Application(stage.system.busAddress)
        await application.export(refusing, flags: flags)
        #expect(await application.register() == "ok")
        await application.exportAdvertisement(Self.advertisement)
        #expect(await application.advertise() == "ok")
        let client = stage.client
        await client.call(
            "/org/bluez/hci0",
            "Adapter1",
            "SetDiscoveryFilter",
            [SimulatorStage.filter()]
        )
        await client.call("/org/bluez/hci0", "Adapter1", "StartDiscovery")
        await client.wait(for: "InterfacesAdded \(seen)")
        await client.call("/org/bluez/hci0", "Adapter1", "StopDiscovery")
        await client.call(device, "Device1", "Connect")
        await client.wait(for: "SIG \(seen) [UUIDs")
        _ = await client.taken()
        return (stage, application)
    }

    private var characteristic: String { device + "/service0015/char0016" }

    private func call(_ stage: SimulatorStage, _ member: String, _ arguments: [BusValue]) async
        -> CallResult
    {
        await stage.client.call(characteristic, "GattCharacteristic1", member, arguments)
    }

    @Test("The central is a device of the peripheral's adapter (svc_change.txt)")
    func centralIsSeen() async throws {
        let (stage, application) = try await connected()
        let central = "/org/bluez/hci1/dev_00_AA_01_00_00_00"
        #expect(await stage.client.property(central, "Device1", "Connected") == .boolean(true))
        #expect(await stage.client.property(central, "Device1", "Alias") == .string("BlueZ 5.66"))
        #expect(await stage.client.property(device, "Device1", "Name") == .string("BlueZ 5.66"))
        let services = await stage.client.objects().filter {
            $0.hasPrefix(device + "/service") && !$0.contains("char")
        }
        #expect(
            services.map { $0.replacing(device, with: "") }
                == ["/service0008", "/service0012", "/service0015"]
        )
        await application.client.leave()
    }

    @Test("A read calls ReadValue of the application's object with the options")
    func read() async throws {
        let (stage, application) = try await connected()
        let result = await call(stage, "ReadValue", [.properties([])])
        #expect((try? result.get())?.first == .bytes([1, 2]))
        #expect(
            await application.taken() == [
                "ReadValue [\"device\" hci1/dev_00_AA_01_00_00_00; \"link\" \"LE\"; \"mtu\" 517]"
            ]
        )
    }

    @Test(
        "A write calls WriteValue with the options, including a nonzero offset",
        .pitfall(.longWrites)
    )
    func write() async throws {
        let (stage, application) = try await connected()
        let options: BusProperties = [("offset", .uint16(3)), ("type", .string("request"))]
        let result = await call(stage, "WriteValue", [.bytes([7]), .properties(options)])
        #expect(result.outcome == "ok")
        #expect(
            await application.taken() == [
                "WriteValue <07> [\"device\" hci1/dev_00_AA_01_00_00_00; \"offset\" 3; "
                    + "\"link\" \"LE\"; \"mtu\" 517]"
            ]
        )
    }

    @Test(
        "An error of the application reaches the central as an ATT code",
        arguments: [
            ("Failed", "0x85", "Failed \"Operation failed with ATT error: 0x85\""),
            ("Failed", "no", "Failed \"Operation failed with ATT error: 0x80\""),
            ("Failed", "", "Failed \"Operation failed with ATT error: 0x0e\""),
            ("NotAuthorized", "", "NotAuthorized \"Operation Not Authorized\""),
            ("NotPermitted", "", "NotPermitted \"Read not permitted\""),
            ("InvalidValueLength", "", "InvalidArguments \"Invalid Length\""),
            ("InProgress", "", "Failed \"Operation failed with ATT error: 0xfe\""),
        ]
    )
    func errors(name: String, text: String, expected: String) async throws {
        let refusal = BusError(name: "org.bluez.Error." + name, message: text)
        let (stage, application) = try await connected(refusal)
        let result = await call(stage, "ReadValue", [.properties([])])
        #expect(result.outcome == "org.bluez.Error." + expected)
        await application.client.leave()
    }

    @Test(
        "bluetoothd sends 0xFD from 5.76 on; earlier versions send 0x0E instead",
        arguments: zip(
            SimulatedBlueZVersion.allCases,
            ["0x0e", "0x0e", "0x0e", "0xfd", "0xfd"]
        )
    )
    func improperConfiguration(kind: SimulatedBlueZVersion, code: String) async throws {
        let name = "org.bluez.Error.ImproperlyConfigured"
        let (stage, application) = try await connected(
            BusError(name: name, message: ""),
            kind: kind
        )
        let text = "org.bluez.Error.Failed \"Operation failed with ATT error: \(code)\""
        #expect(await call(stage, "ReadValue", [.properties([])]).outcome == text)
        let request: BusProperties = [("type", .string("request"))]
        let write = await call(stage, "WriteValue", [.bytes([7]), .properties(request)])
        #expect(write.outcome == text)
        await application.client.leave()
    }

    @Test("A write completes without the application if the characteristic allows commands")
    func writeWithoutResponse() async throws {
        let refusal = BusError(name: "org.bluez.Error.Failed", message: "0x80")
        let (stage, application) = try await connected(
            refusal,
            flags: ["write", "write-without-response"]
        )
        let result = await call(stage, "WriteValue", [.bytes([7]), .properties([])])
        #expect(result.outcome == "ok")
        await application.wait(
            for:
                "WriteValue <07> [\"device\" hci1/dev_00_AA_01_00_00_00; \"link\" \"LE\"; \"mtu\" 517]"
        )
    }

    @Test(
        "The application receives StartNotify for the first subscriber and StopNotify for the last one"
    )
    func notifications() async throws {
        let (stage, application) = try await connected()
        await application.send([1])
        #expect(await call(stage, "StartNotify", []).outcome == "ok")
        await application.wait(for: "StartNotify")
        await application.send([5])
        await stage.client.wait(for: "SIG \(seen)/service0015/char0016 [Value <05>] []")
        await stage.client.call(device, "Device1", "Disconnect")
        await application.wait(for: "StopNotify")
        #expect(await application.taken() == ["StartNotify", "StopNotify"])
    }

    @Test("Each indication is confirmed")
    func indications() async throws {
        let (stage, application) = try await connected(flags: ["indicate"])
        #expect(await call(stage, "StartNotify", []).outcome == "ok")
        await application.wait(for: "StartNotify")
        await application.send([5])
        await application.wait(for: "Confirm")
    }

    @Test(
        "The services of an application disappear when it leaves (svc_change.txt)",
        .fault(.programKilled, during: .advertising, .servedRead)
    )
    func leaving() async throws {
        let (stage, application) = try await connected()
        await application.client.leave()
        await stage.client.wait(for: "SIG \(seen) [UUIDs")
        let lines = await stage.client.taken().map {
            $0.contains("[UUIDs") ? String($0.prefix { $0 != "[" }) + "[UUIDs" : $0
        }
        #expect(
            lines.filter { !$0.contains("hci1/dev") } == [
                "SIG hci1 [UUIDs",
                "SIG hci1 [SupportedInstances 5; ActiveInstances 0] []",
                "InterfacesRemoved \(seen)/service0015/char0016/desc0018",
                "InterfacesRemoved \(seen)/service0015/char0016",
                "InterfacesRemoved \(seen)/service0015",
                "SIG \(seen) [UUIDs",
            ]
        )
        #expect(await call(stage, "ReadValue", [.properties([])]).outcome.contains("UnknownObject"))
    }

    @Test("A repeated, empty or invalid registration is refused")
    func registration() async throws {
        let stage = try await SimulatorStage()
        let empty = try await Application(stage.system.busAddress)
        #expect(await empty.register() == "org.bluez.Error.Failed \"No object received\"")
        await empty.export(flags: ["read", "shout"])
        #expect(
            await empty.register() == "org.bluez.Error.Failed \"No valid service object found\""
        )
        let good = try await Application(stage.system.busAddress)
        await good.export()
        #expect(await good.register() == "ok")
        #expect(await good.register() == "org.bluez.Error.AlreadyExists \"Already Exists\"")
    }

    @Test(
        "An advertisement that is too long or contradictory is refused",
        arguments: [
            ([("LocalName", .string("SimulatorStage"))], "Failed to parse advertisement."),
            (
                advertisement + [("Includes", .strings(["local-name"]))],
                "Failed to parse advertisement."
            ),
            (
                [("Type", .string("broadcast")), ("Discoverable", .boolean(true))],
                "Failed to parse advertisement."
            ),
            (
                [
                    ("Type", .string("peripheral")), ("Discoverable", .boolean(true)),
                    (
                        "ServiceUUIDs",
                        .strings([
                            SimulatorStage.service + "0", "180d", "180f", "180a", "181a", "181b",
                        ])
                    ),
                ], "Failed to register advertisement"
            ),
            (
                [
                    ("Type", .string("peripheral")), ("Discoverable", .boolean(true)),
                    (
                        "ServiceUUIDs",
                        .strings([SimulatorStage.service + "0", "180d", "180f", "180a"])
                    ),
                    ("Appearance", .uint16(0x0341)),
                ], "Failed to register advertisement"
            ),
            // 16 bytes each, although 4 would suffice: bluetoothd shortens a long text to 16 bits only.
            (
                [
                    ("Type", .string("peripheral")),
                    (
                        "ServiceUUIDs",
                        .strings([
                            "12345678-0000-1000-8000-00805f9b34fb",
                            "12345679-0000-1000-8000-00805f9b34fb",
                        ])
                    ),
                ], "Failed to register advertisement"
            ),
        ] as [(BusProperties, String)]
    )
    func advertisements(properties: BusProperties, expected: String) async throws {
        let stage = try await SimulatorStage()
        let application = try await Application(stage.system.busAddress)
        await application.exportAdvertisement(properties)
        #expect(await application.advertise() == "org.bluez.Error.Failed \"\(expected)\"")
    }

    @Test("At most five advertisements are active, and their count changes before the reply")
    func capacity() async throws {
        let stage = try await SimulatorStage()
        var applications: [Application] = []
        for index in 0..<5 {
            let application = try await Application(stage.system.busAddress)
            await application.exportAdvertisement(Self.advertisement)
            #expect(await application.advertise() == "ok")
            await stage.client.wait(
                for: "SIG hci1 [SupportedInstances \(4 - index); ActiveInstances \(index + 1)] []"
            )
            applications.append(application)
        }
        let more = try await Application(stage.system.busAddress)
        await more.exportAdvertisement(Self.advertisement)
        #expect(
            await more.advertise()
                == "org.bluez.Error.NotPermitted \"Maximum advertisements reached\""
        )
        #expect(applications.count == 5)
    }

    @Test("The pairing device uses its own agent, and the other side uses the default agent")
    func pairing() async throws {
        let (stage, application) = try await connected()
        await registerAgent(application.client)
        await application.client.call(
            "/org/bluez",
            "AgentManager1",
            "RequestDefaultAgent",
            [.objectPath("/agent")]
        )
        await registerAgent(stage.client)
        #expect(await stage.client.call(device, "Device1", "Pair").outcome == "ok")
        let asked = "asked about /org/bluez/hci1/dev_00_AA_01_00_00_00"
        #expect(await application.client.taken().filter { $0.hasPrefix("asked") } == [asked])
        #expect(await stage.client.taken().filter { $0.hasPrefix("asked") } == [])
    }

    /// Registers an agent that accepts, and records the devices of the requests.
    private func registerAgent(_ client: BusClient) async {
        await client.run { client in
            let ask = BusMethod("RequestAuthorization", inputSignature: "o") { [weak client] call in
                guard case .objectPath(let path)? = call.arguments.first else { return }
                client?.note("asked about \(path)")
                call.reply()
            }
            client.server?.export([BusInterface("org.bluez.Agent1", methods: [ask])], at: "/agent")
        }
        let agent: [BusValue] = [.objectPath("/agent"), .string("NoInputNoOutput")]
        await client.call("/org/bluez", "AgentManager1", "RegisterAgent", agent)
    }
}
