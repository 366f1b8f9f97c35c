import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejaySimulator
import Testing

/// Tests `NotifySockets`.
@Suite("Unicast values with two centrals, for each version of BlueZ", .timeLimit(.minutes(15)))
struct UnicastTests {
    @Test(
        "From 5.76 on, a unicast value reaches only its central",
        arguments: [SimulatedBlueZVersion.v5_76, .v5_86]
    )
    func each(kind: SimulatedBlueZVersion) async throws {
        let stage = try await CentralsStage(kind)
        let (first, second) = (try await stage.central("hci0"), try await stage.central("hci2"))
        try await first.listen()
        try await second.listen()
        await stage.wait(forSubscribers: ["hci0", "hci2"])
        #expect(stage.server.addressing == .unicast)
        #expect(await stage.notify([1], to: "hci0") == nil)
        #expect(await stage.notify([2], to: "hci2") == nil)
        #expect(await stage.notify([3]) == nil)
        #expect(await first.first(2) == [[1], [3]])
        #expect(await second.first(2) == [[2], [3]])
    }

    @Test(
        "Before 5.76, unicast fails while two are connected, and broadcasts reach both",
        arguments: [
            (SimulatedBlueZVersion.v5_55, ["hci0"]), (.v5_66, ["hci0"]),
            (.v5_72, ["hci0", "hci2"]),
        ]
    )
    func all(kind: SimulatedBlueZVersion, known: [String]) async throws {
        let stage = try await CentralsStage(kind)
        let first = try await stage.central("hci0")
        try await first.listen()
        await stage.wait(forSubscribers: ["hci0"])
        #expect(stage.server.addressing == .broadcast)
        #expect(await stage.notify([1], to: "hci0") == nil)
        #expect(await first.first(1) == [[1]])
        let second = try await stage.central("hci2")
        try await second.listen()
        if known.count == 2 { await stage.wait(forSubscribers: known) }
        #expect(await stage.notify([2], to: "hci0")?.code == .notAddressable)
        #expect(await stage.notify([3], to: "hci2")?.code == .notAddressable)
        #expect(await stage.notify([4]) == nil)
        #expect(await first.first(2) == [[1], [4]])
        #expect(await second.first(1) == [[4]])
    }

    @Test(
        "On 5.66, a central that is alone receives unicast values even if it is unreported"
    )
    func firstLeaves() async throws {
        let stage = try await CentralsStage(.v5_66)
        let (first, second) = (try await stage.central("hci0"), try await stage.central("hci2"))
        try await first.listen()
        try await second.listen()
        await stage.wait(forSubscribers: ["hci0"])
        try await first.leave()
        await stage.wait(forSubscribers: [])
        #expect(await stage.notify([1], to: "hci2") == nil)
        #expect(await second.first(1) == [[1]])
        let back = try await stage.central("hci0")
        try await back.listen()
        #expect(await stage.run { $1.subscribers.count } == 0)
        #expect(await stage.notify([2], to: "hci2")?.code == .notAddressable)
        #expect(await stage.notify([3]) == nil)
        #expect(await second.first(2) == [[1], [3]])
        #expect(await back.first(1) == [[3]])
    }

    @Test(
        "Before 5.70, a peripheral of the same program may be an unreported subscriber",
        arguments: [(SimulatedBlueZVersion.v5_66, true), (.v5_72, false)]
    )
    func ownPeripheral(kind: SimulatedBlueZVersion, isRefused: Bool) async throws {
        let stage = try await CentralsStage(kind)
        let central = try await stage.central("hci0")
        try await central.listen()
        await stage.wait(forSubscribers: ["hci0"])
        await stage.system.perform { $0.add(.heartRateSensor()) }
        let bluejay = Bluejay(
            mainLoop: stage.server.mainLoop,
            adapter: "hci1",
            busAddress: stage.system.busAddress
        )
        await bluejay.start()
        let sensor = try PeripheralIdentifier(
            address: SimulatedDevice.HeartRateSensor.address,
            isRandomAddress: true,
            name: nil
        )
        try await bluejay.connect(sensor, timeout: .seconds(20))
        let refusal = await stage.notify([1], to: "hci0")
        #expect(refusal?.code == (isRefused ? .notAddressable : nil))
        try await bluejay.disconnect()
        #expect(await stage.notify([2], to: "hci0") == nil)
        #expect(await central.first(isRefused ? 1 : 2) == (isRefused ? [[2]] : [[1], [2]]))
    }

    @Test("An unknown version counts as the oldest")
    func hidden() async throws {
        for modalias in ["usb:v1234p5678d0100", ""] {
            let stage = try await CentralsStage(.v5_86, modalias: modalias)
            let (first, second) = (
                try await stage.central("hci0"), try await stage.central("hci2")
            )
            try await first.listen()
            try await second.listen()
            await stage.wait(forSubscribers: ["hci0", "hci2"])
            #expect(stage.server.addressing == .broadcast)
            #expect(await stage.notify([1], to: "hci0")?.code == .notAddressable)
        }
    }

    @Test(
        "If a disconnection closes another central's socket, that central receives signals instead",
        arguments: [SimulatedBlueZVersion.v5_72, .v5_76, .v5_86]
    )
    func muted(kind: SimulatedBlueZVersion) async throws {
        let stage = try await CentralsStage(kind)
        let (first, second) = (try await stage.central("hci0"), try await stage.central("hci2"))
        try await first.listen()
        await stage.wait(forSubscribers: ["hci0"])
        try await second.listen()
        await stage.wait(forSubscribers: ["hci0", "hci2"])
        // A central that leaves properly unsubscribes first, and bluetoothd then closes the right socket.
        await stage.system.perform { $0.setPowered(false, ofAdapter: 2) }
        await stage.wait(forSubscribers: ["hci0 without a socket"])
        #expect(stage.server.connectedDevices.count == 1)
        #expect(await stage.notify([1], to: "hci0") == nil)
        #expect(await stage.notify([2]) == nil)
        #expect(await first.first(2) == [[1], [2]])
        try await first.bluejay.endListen(to: CentralsStage.measurement)
        try await first.listen()
        await stage.wait(forSubscribers: ["hci0"])
        #expect(await stage.notify([3], to: "hci0") == nil)
        #expect(await first.first(3) == [[1], [2], [3]])
    }

    @Test(
        "A central that unsubscribes or leaves does not affect the values of the other one",
        arguments: [SimulatedBlueZVersion.v5_66, .v5_86],
        [true, false]
    )
    func oneGoes(kind: SimulatedBlueZVersion, leaves: Bool) async throws {
        let stage = try await CentralsStage(kind)
        let (first, second) = (try await stage.central("hci0"), try await stage.central("hci2"))
        try await first.listen()
        try await second.listen()
        await stage.wait(forSubscribers: kind == .v5_66 ? ["hci0"] : ["hci0", "hci2"])
        let values = (0..<100).map { [UInt8($0)] }
        async let departure: Void = go(first, leaves: leaves)
        for value in values { #expect(await stage.notify(value) == nil) }
        try await departure
        #expect(await second.first(values.count) == values)
        let heard = await first.values
        #expect(heard == Array(values.prefix(heard.count)))
    }

    private func go(_ central: CentralsStage.Central, leaves: Bool) async throws {
        if leaves {
            try await central.leave()
        } else {
            try await central.bluejay.endListen(to: CentralsStage.measurement)
        }
    }

    @Test(
        "A frozen bluetoothd fills the socket and the queue, which later drain in order"
    )
    func standsStill() async throws {
        let stage = try await CentralsStage(.v5_86)
        let central = try await stage.central("hci0")
        try await central.listen()
        await stage.wait(forSubscribers: ["hci0"])
        await stage.system.perform { $0.apply(.daemonFrozen(for: .seconds(10_000))) }
        func value(_ number: Int) -> [UInt8] { [UInt8(number / 256), UInt8(number % 256)] }
        var count = 0
        while await stage.notify(value(count), to: "hci0") == nil { count += 1 }
        #expect(count > 256)
        #expect(await stage.notify([0], to: "hci0") == .tooManyValues(limit: 256))
        await stage.system.perform { $0.apply(.daemonResumed) }
        let heard = await central.first(count)
        #expect(heard == (0..<count).map(value))
    }

    @Test("Killing bluetoothd with two subscribers ends all subscriptions")
    func killed() async throws {
        let stage = try await CentralsStage(.v5_86)
        let (first, second) = (try await stage.central("hci0"), try await stage.central("hci2"))
        try await first.listen()
        try await second.listen()
        await stage.wait(forSubscribers: ["hci0", "hci2"])
        await stage.system.killDaemon()
        await stage.wait(forSubscribers: [])
        #expect(await stage.run { $1.isSubscribed } == false)
    }
}
