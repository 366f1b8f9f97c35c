import BluejayDBus
import Testing

@testable import BluejaySimulator

@Suite("What a simulator that runs for a week must bear", .timeLimit(.minutes(15)))
struct BoundsTests {
    @Test("The last 10,000 are kept in order, and all are counted")
    func history() {
        var history = BoundedHistory<Int>()
        for number in 0..<10_000 { history.append(number) }
        #expect(history.last == Array(0..<10_000))
        for number in 10_000..<34_567 { history.append(number) }
        #expect(history.last == Array(24_567..<34_567))
        #expect(history.count == 34_567)
    }

    @Test("What was written, read and sent is counted")
    func counts() async throws {
        let lab = try await Lab()
        await lab.connect()
        await lab.characteristic("0011", "StartNotify")
        await lab.write("000f", [1])
        await lab.read("0023")
        await lab.read("0023")
        let uuid = Lab.service + "2"
        let counts = await lab.system.read { world in
            guard let device = world.device("F0:F1:F2:F3:F4:F5") else { return [Int]() }
            device.send([1], on: uuid)
            return [device.writeCount, device.readCount, device.sentCount, device.sent.count]
        }
        #expect(counts == [1, 2, 1, 1])
    }

    @Test("32.25: signals of a client with arguments of any number and type end nothing")
    func strangeSignals() async throws {
        let lab = try await Lab()
        let application = try await Application(lab.system.busAddress)
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
        "A time scale that no clock can have is the nearest one that it can",
        arguments: [
            (0, 0.0001), (-1, 0.0001), (.nan, 0.0001), (.infinity, 1000), (2000, 1000), (0.5, 0.5),
        ] as [(Double, Double)]
    )
    func timeScale(asked: Double, used: Double) {
        var options = SimulatorOptions()
        options.timeScale = asked
        #expect(options.timeScale == used)
    }

    @Test("A system whose time scale was to be 0 runs as fast as it can")
    func noTime() async throws {
        let lab = try await Lab(scale: 0)
        await lab.client.call("/org/bluez/hci0", "Adapter1", "StartDiscovery")
        await lab.client.wait(for: "SIG hci0 [Discovering true]")
        #expect(await lab.client.objects().contains("/org/bluez/hci0"))
    }
}
