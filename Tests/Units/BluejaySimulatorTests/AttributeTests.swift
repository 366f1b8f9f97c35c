import BluejayDBus
import BluejaySimulator
import TestTraits
import Testing

/// Tests `DeviceScript`.
@Suite("Reading and writing, as recorded (gatt.txt)", .timeLimit(.minutes(15)))
struct AttributeTests {
    private let characteristic = "~F0_F1_F2_F3_F4_F5/service000e/char"

    @Test("A characteristic has the properties of its flags")
    func properties() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        func present(_ handle: String) async -> [String] {
            var names: [String] = []
            for name in ["Notifying", "WriteAcquired", "NotifyAcquired", "MTU", "Handle"]
            where await stage.client.property(
                SimulatorStage.path(handle),
                "GattCharacteristic1",
                name
            ) != nil {
                names.append(name)
            }
            return names
        }
        #expect(await present("000f") == ["WriteAcquired", "MTU"])
        #expect(await present("0011") == ["Notifying", "NotifyAcquired", "MTU"])
        #expect(await present("0014") == ["Notifying", "MTU"])
        #expect(await present("001b") == ["MTU"])
        let flags = await stage.client.property(
            SimulatorStage.path("0017"),
            "GattCharacteristic1",
            "Flags"
        )
        #expect(flags == .strings(["read", "write"]))
    }

    @Test(
        "A read reports the value as a property change before the reply",
        .pitfall(.readLooksLikeNotification)
    )
    func read() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.read("0023")
        let lines = await stage.client.taken()
        #expect(
            lines == [
                "call ReadValue", "SIG \(characteristic)0023 [Value <78>] []", "ret ReadValue",
            ]
        )
    }

    @Test(
        "A read returns up to 512 bytes; reads with an offset fail as not long or as out of range"
    )
    func offsets() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        let whole = await stage.read("001b")
        #expect((try? whole.get())?.first?.bytes?.count == 512)
        let part = await stage.read("001b", offset: 500)
        #expect(
            part.outcome == "org.bluez.Error.Failed \"Operation failed with ATT error: 0x0b\""
        )
        let beyond = await stage.read("001b", offset: 513)
        #expect(beyond.outcome == "org.bluez.Error.InvalidArguments \"Invalid offset\"")
    }

    @Test("A long value can be read from an offset, and the stored value stays complete")
    func part() async throws {
        let stage = try await SimulatorStage()
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.mtu = 100 }
        await stage.connect()
        let whole = try await stage.read("001b").get().first?.bytes
        let part = try await stage.read("001b", offset: 500).get().first?.bytes
        #expect(part == whole?.suffix(12))
        let value = await stage.client.property(
            SimulatorStage.path("001b"),
            "GattCharacteristic1",
            "Value"
        )
        #expect(value?.bytes == whole)
        #expect(whole?.count == 512)
    }

    @Test(
        "A write is accepted or refused according to its type and length",
        arguments: [
            ("000f", 512, "request", "ok"), ("000f", 513, "request", "Invalid Length"),
            ("000f", 515, "command", "Failed to initiate write"),
            ("0011", 513, nil, "Operation is not supported"),
            ("000f", 300, "reliable", "ok"), ("000f", 512, "command", "ok"),
            ("000f", 0, "request", "ok"), ("000f", 3, "nonsense", "Operation is not supported"),
            ("000f", 7, nil, "ok"), ("001d", 1, "request", "Operation failed with ATT error: 0x81"),
            ("001b", 1, nil, "Operation is not supported"), ("001b", 1, "command", "ok"),
        ] as [(String, Int, String?, String)]
    )
    func write(handle: String, length: Int, type: String?, expected: String) async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        let value = [UInt8](repeating: 7, count: length)
        let outcome = await stage.write(handle, value, type: type).outcome
        #expect(outcome == "ok" ? expected == "ok" : outcome.hasSuffix("\"\(expected)\""))
        if expected == "ok", handle == "000f" {
            #expect((try? await stage.read(handle).get())?.first?.bytes == value)
        }
    }

    @Test("A command longer than the MTU allows is not sent", .pitfall(.commandsWithoutFlowControl))
    func longCommand() async throws {
        let stage = try await SimulatorStage()
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.mtu = 100 }
        await stage.connect()
        #expect(
            await stage.write("000f", [UInt8](repeating: 1, count: 97), type: "command").outcome
                == "ok"
        )
        let result = await stage.write("000f", [UInt8](repeating: 1, count: 98), type: "command")
        #expect(result.outcome == "org.bluez.Error.Failed \"Failed to initiate write\"")
    }

    @Test(
        "Two concurrent reads share one request and complete together (inprogress.txt)",
        .pitfall(.concurrentCalls)
    )
    func merged() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        for _ in 0..<2 {
            await stage.startReading("001f")
        }
        let other: BusProperties = [("offset", .uint16(1))]
        await stage.client.call(
            SimulatorStage.path("001f"),
            "GattCharacteristic1",
            "ReadValue",
            [.properties(other)]
        )
        await stage.client.wait(for: "ret ReadValue")
        _ = await stage.client.objects()
        let lines = await stage.client.taken()
        #expect(
            lines == [
                "call ReadValue", "call ReadValue", "call ReadValue",
                "ERR ReadValue org.bluez.Error.InProgress \"In Progress\"",
                "SIG \(characteristic)001f [Value <73 6c 6f 77>] []",
                "ret ReadValue", "ret ReadValue",
            ]
        )
        // A second request would be answered before this one.
        await stage.read("0023")
        let later = await stage.client.taken()
        #expect(later.filter { $0.contains("001f") } == [])
    }

    @Test(
        "An error of the peer has bluetoothd's name and text",
        .pitfall(.attributeErrorsAreTexts),
        arguments: [
            (0x02, "org.bluez.Error.NotPermitted \"Read not permitted\""),
            (0x05, "org.bluez.Error.NotPermitted \"Not paired\""),
            (0x06, "org.bluez.Error.NotSupported \"Operation is not supported\""),
            (0x08, "org.bluez.Error.NotAuthorized \"Operation Not Authorized\""),
            (0x0D, "org.bluez.Error.InvalidArguments \"Invalid Length\""),
            (0x80, "org.bluez.Error.Failed \"Operation failed with ATT error: 0x80\""),
            (0xFD, "org.bluez.Error.Failed \"Operation failed with ATT error: 0xfd\""),
        ] as [(UInt8, String)]
    )
    func refusals(code: UInt8, expected: String) async throws {
        let stage = try await SimulatorStage()
        let uuid = SimulatorStage.service + "a"
        await stage.system.perform {
            $0.device("F0:F1:F2:F3:F4:F5")?.setBehavior(.refuses(code), of: uuid)
        }
        await stage.connect()
        #expect(await stage.read("0023").outcome == expected)
    }

    @Test("The client configuration descriptor can be read, and writing it is refused")
    func descriptors() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        let path = SimulatorStage.path("0011") + "/desc0013"
        func value() async -> [UInt8]? {
            let result = await stage.client.call(
                path,
                "GattDescriptor1",
                "ReadValue",
                [.properties([])]
            )
            return (try? result.get())?.first?.bytes
        }
        #expect(await value() == [0, 0])
        await stage.characteristic("0011", "StartNotify")
        #expect(await value() == [1, 0])
        let written = await stage.client.call(
            path,
            "GattDescriptor1",
            "WriteValue",
            [.bytes([0, 0]), .properties([])]
        )
        #expect(written.outcome == "org.bluez.Error.NotPermitted \"Write not permitted\"")
    }

    @Test("A read that requires encryption fails without an agent, and removes the device")
    func encryptedWithoutAgent() async throws {
        let stage = try await SimulatorStage(scale: 0.05)
        await stage.connect()
        let result = await stage.read("0017")
        #expect(result.outcome.hasPrefix("org.freedesktop.DBus.Error.UnknownObject"))
        await stage.client.wait(
            for: "InterfacesRemoved ~F0_F1_F2_F3_F4_F5/service0006/char0007/desc"
        )
    }

    @Test(
        "The first read that requires encryption pairs if an agent is registered (encrypt.txt)",
        .pitfall(.readStartsPairing)
    )
    func encryptedWithAgent() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        let path: ObjectPath = "/agent"
        await stage.client.run { client in
            let authorize = BusMethod("RequestAuthorization", inputSignature: "o") { $0.reply() }
            client.server?.export(
                [BusInterface("org.bluez.Agent1", methods: [authorize])],
                at: path
            )
        }
        await stage.client.call(
            "/org/bluez",
            "AgentManager1",
            "RegisterAgent",
            [.objectPath(path), .string("NoInputNoOutput")]
        )
        await stage.client.wait(for: "SIG hci0 [Pairable true]")
        _ = await stage.client.taken()
        await stage.read("0017")
        let lines = await stage.client.taken().filter { !$0.contains("hci1") }
        #expect(
            lines == [
                "call ReadValue", "SIG ~F0_F1_F2_F3_F4_F5 [Bonded true; Paired true] []",
                "SIG \(characteristic)0017 [Value <73 65 63 72 65 74>] []", "ret ReadValue",
            ]
        )
    }
}
