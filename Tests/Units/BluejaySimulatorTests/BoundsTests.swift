import BluejayDBus
import Testing

@testable import BluejaySimulator

@Suite("Limits of a long-running simulator", .timeLimit(.minutes(15)))
struct BoundsTests {
    @Test("A history keeps the last 10,000 entries in order and counts all")
    func history() {
        var history = BoundedHistory<Int>()
        for number in 0..<10_000 { history.append(number) }
        #expect(history.last == Array(0..<10_000))
        for number in 10_000..<34_567 { history.append(number) }
        #expect(history.last == Array(24_567..<34_567))
        #expect(history.count == 34_567)
    }

    @Test("Writes, reads and sent values are counted")
    func counts() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.characteristic("0011", "StartNotify")
        await stage.write("000f", [1])
        await stage.read("0023")
        await stage.read("0023")
        let uuid = SimulatorStage.service + "2"
        let counts = await stage.system.read { world in
            guard let device = world.device("F0:F1:F2:F3:F4:F5") else { return [Int]() }
            device.send([1], on: uuid)
            return [device.writeCount, device.readCount, device.sentCount, device.sent.count]
        }
        #expect(counts == [1, 2, 1, 1])
    }

    @Test("The simulator survives signals of a client with any number and type of arguments")
    func strangeSignals() async throws {
        let stage = try await SimulatorStage()
        let application = try await Application(stage.system.busAddress)
        await application.export()
        #expect(await application.register() == "ok")
        let client = application.client
        let root: BusValue = .objectPath("/app")
        #expect(
            await client.call(
                "/org/bluez/hci1",
                "AdvertisementMonitorManager1",
                "RegisterMonitor",
                [root]
            ).outcome == "ok"
        )
        let standard = "org.freedesktop.DBus."
        let signals =
            [
                ("/app", standard + "ObjectManager", "InterfacesAdded"),
                ("/app", standard + "ObjectManager", "InterfacesRemoved"),
                ("/app/service0/char0", standard + "Properties", "PropertiesChanged"),
                ("/adv", standard + "Properties", "PropertiesChanged"),
                ("/org/freedesktop/DBus", standard.dropLast() + "", "NameOwnerChanged"),
            ] as [(ObjectPath, String, String)]
        let interface: BusValue = .string("org.bluez.GattCharacteristic1")
        let shapes: [[BusValue]] = [
            [], [root], [interface], [.byte(1)], [root, root], [root, .strings([])],
            [interface, .properties([])], [interface, .properties([("Value", .int64(.min))])],
            [interface, .bytes([1]), .strings([])], [interface, .strings(["a"]), .byte(1)],
            [root, .properties([("org.bluez.AdvertisementMonitor1", .byte(1))])],
            [root, .strings([]), root, root],
        ]
        for (path, name, member) in signals {
            for shape in shapes { await client.emit(path, name, member, shape) }
        }
        // The reply arrives after all of them.
        #expect(await client.objects().contains("/org/bluez/hci0"))
    }

    @Test(
        "An invalid time scale is limited to the nearest valid one",
        arguments: [
            (0, 0.0001), (-1, 0.0001), (.nan, 0.0001), (.infinity, 1000), (2000, 1000), (0.5, 0.5),
        ] as [(Double, Double)]
    )
    func timeScale(asked: Double, used: Double) {
        var options = SimulatorOptions()
        options.timeScale = asked
        #expect(options.timeScale == used)
    }

    @Test("A system with a time scale of 0 runs at the highest speed")
    func noTime() async throws {
        let stage = try await SimulatorStage(scale: 0)
        await stage.client.call("/org/bluez/hci0", "Adapter1", "StartDiscovery")
        await stage.client.wait(for: "SIG hci0 [Discovering true]")
        #expect(await stage.client.objects().contains("/org/bluez/hci0"))
    }
}
