import BluejayCore
import BluejayGATTServer
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

@Suite("Misbehaving centrals", .timeLimit(.minutes(15)), .simulatedBlueZ)
struct CentralFaultTests {
    private static let public1 = "C0:FF:EE:00:00:01"

    private func subscribed(_ world: TestWorld, _ count: Int) async throws -> [TestCentral] {
        var centrals: [TestCentral] = []
        for _ in 0..<count {
            let central = try world.addCentral()
            try await central.connect()
            try await central.subscribe(to: "2A37")
            centrals.append(central)
        }
        return centrals
    }

    @Test(
        "A central that receives nothing delays no other one, and later receives the queued values"
    )
    func takesNothing() async throws {
        let (world, peripheral) = try await Peripheral.published()
        let centrals = try await subscribed(world, 2)
        try await peripheral.wait(for: "beats +")
        try centrals[0].perform { $0.takesValues = false }
        let values = (0..<12_000).map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        for value in values {
            #expect(try peripheral.server.notify(Data(value), on: peripheral.beats))
        }
        #expect(try await centrals[1].next(12_000, of: "2A37") == values.suffix(10_000))
        #expect(try centrals[1].perform { $0.valueCount(of: "2A37") } == 12_000)
        #expect(try centrals[0].perform { $0.valueCount(of: "2A37") } == 0)
        try centrals[0].perform { $0.takesValues = true }
        #expect(centrals[0].values(of: "2A37") == Array(values.suffix(10_000)))
    }

    @Test("10,000 writes without response are received once each and in order")
    func flood() async throws {
        let (world, peripheral) = try await Peripheral.published()
        let phone = try world.addCentral()
        try await phone.connect()
        let values = (0..<10_000).map { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let writes = values.map { CentralStep.write("2A3C", $0, .withoutResponse) }
        // The answer to the request arrives after all commands.
        let report = try await phone.play(writes + [.write("2A39", [1])])
        #expect(report.failureCount == 0)
        #expect(peripheral.written.count == 10_001)
        #expect(peripheral.written == values + [[1]])
    }

    @Test(
        "An interrupted long write changes nothing, and the next one is complete",
        arguments: [[CentralStep.disconnect], [.loseLink], [.cancelPrepared, .disconnect]]
    )
    func longWrite(_ end: [CentralStep]) async throws {
        let (world, peripheral) = try await Peripheral.published()
        let phone = try world.addCentral(mtu: 23)
        let pieces = (0..<3).map {
            CentralStep.prepare("2A3B", Array(repeating: 9, count: 18), offset: 18 * $0)
        }
        let first = try await phone.play([.connect] + pieces + end)
        #expect(first.failureCount == 0)
        try await peripheral.wait(for: "\(Self.public1) disconnected")
        #expect(peripheral.held.value == Data((0..<200).map { UInt8($0) }))
        // A second central must not execute the first one's prepared writes.
        let second = try await phone.play([.connect, .execute, .read("2A3B")])
        #expect(second.reads == [(0..<200).map { UInt8($0) }])
        try await phone.write((0..<54).map { UInt8($0 + 100) }, to: "2A3B")
        #expect(peripheral.held.value.prefix(54) == Data((0..<54).map { UInt8($0 + 100) }))
    }

    @Test("A prepared write with an offset outside the packet format is rejected")
    func offsetOfNoPacket() async throws {
        let (world, peripheral) = try await Peripheral.published()
        let phone = try world.addCentral()
        let report = try await phone.play([
            .connect, .prepare("2A3B", [1], offset: .max), .prepare("2A3B", [2], offset: .max),
            .prepare("2A3B", [3], offset: -1), .prepare("2A3B", [4], offset: 65_535),
            .prepare("2A3B", [5], offset: 65_536), .execute, .read("2A3B"),
        ])
        // The only offset that fits a packet exceeds the maximum length of a value.
        let refused = report.failures.map(\.error)
        #expect(refused == Array(repeating: .refused(0x07), count: 4) + [.refused(0x0D)])
        #expect(report.reads.count == 1)
        #expect(peripheral.connected == 1)
    }

    @Test("Prepared writes beyond bluetoothd's limit are rejected, and the link remains")
    func tooManyPieces() async throws {
        let (world, peripheral) = try await Peripheral.published()
        let phone = try world.addCentral()
        let pieces = (0..<31).map { CentralStep.prepare("2A3B", [1], offset: 2 * $0) }
        let report = try await phone.play([.connect] + pieces + [.cancelPrepared, .read("2A3B")])
        #expect(report.failures.map(\.error) == [.refused(0x09)])
        #expect(report.reads.count == 1)
        #expect(peripheral.connected == 1)
    }

    @Test("If two centrals share an address, the second receives no reply")
    func oneAddress() async throws {
        let (world, peripheral) = try await Peripheral.published()
        let random = try world.addCentral(address: Self.public1)
        let other = try world.addCentral(address: Self.public1, isRandom: false)
        try await random.connect()
        try await random.subscribe(to: "2A37")
        try await peripheral.wait(for: "beats +")
        try await other.connect()
        await #expect(throws: CentralError.noAnswer) { try await other.subscribe(to: "2A37") }
        #expect(peripheral.server.connectedDevices.count == 1)
        #expect(try peripheral.server.notify(Data([1]), on: peripheral.beats))
        #expect(try await random.next(of: "2A37") == [[1]])
        #expect(other.values(of: "2A37").isEmpty)
        try await random.leave()
        try await peripheral.wait(for: "\(Self.public1) disconnected")
        #expect(
            peripheral.journal == [
                "\(Self.public1) connected", "beats +", "beats -", "\(Self.public1) disconnected",
            ]
        )
        // bluetoothd drops the object half a minute later, which makes room for the other central.
        try await world.clock.sleep(for: .seconds(31))
        try await other.connect()
        try await other.subscribe(to: "2A37")
        try await peripheral.wait(for: "beats +", count: 2)
        #expect(peripheral.server.connectedDevices.first?.isRandomAddress == false)
    }

    @Test("Killing bluetoothd disconnects each of four centrals once, and all can reconnect")
    func killed() async throws {
        let (world, peripheral) = try await Peripheral.published()
        let centrals = try await subscribed(world, 4)
        try await peripheral.wait(for: "beats +")
        try await centrals[0].subscribe(to: "2A3A")
        try await peripheral.wait(for: "alarm +")
        peripheral.forgetJournal()
        try world.perform { $0.apply(.daemonKilled) }
        for central in centrals { #expect(!central.isConnected) }
        for number in 1...4 {
            try await peripheral.wait(for: "C0:FF:EE:00:00:0\(number) disconnected")
        }
        #expect(peripheral.journal.count == 6)
        #expect(peripheral.journal.filter { $0 == "beats -" || $0 == "alarm -" }.count == 2)
        #expect(peripheral.connected == 0)
        #expect(!peripheral.beats.isSubscribed && !peripheral.alarm.isSubscribed)
        peripheral.forgetJournal()
        async let reports = withThrowingTaskGroup(of: Int.self) { group in
            for central in centrals {
                group.addTask {
                    try await central.play([.connect, .subscribe("2A37")]).failureCount
                }
            }
            return try await group.reduce(0, +)
        }
        try world.perform { $0.apply(.daemonStarted) }
        #expect(try await reports == 0)
        try await peripheral.wait(for: "beats +")
        #expect(try peripheral.server.notify(Data([5]), on: peripheral.beats))
        for central in centrals { #expect(try await central.next(of: "2A37") == [[5]]) }
        #expect(peripheral.journal.filter { $0 == "beats +" }.count == 1)
        #expect(peripheral.connected == 4)
    }

    @Test("The subscription ends only with the last subscriber, however the subscribers leave")
    func leavingOneByOne() async throws {
        let (world, peripheral) = try await Peripheral.published()
        let centrals = try await subscribed(world, 4)
        try await peripheral.wait(for: "beats +")
        try await centrals[0].leave()
        try await centrals[1].unsubscribe(from: "2A37")
        centrals[2].leaveRange()
        try await peripheral.wait(for: "C0:FF:EE:00:00:03 disconnected")
        #expect(peripheral.beats.isSubscribed)
        #expect(try peripheral.server.notify(Data([1]), on: peripheral.beats))
        #expect(try await centrals[3].next(of: "2A37") == [[1]])
        for central in centrals.prefix(3) { #expect(central.values(of: "2A37").isEmpty) }
        centrals[3].leaveRange()
        try await peripheral.wait(for: "beats -")
        #expect(!peripheral.beats.isSubscribed)
        try await centrals[1].leave()
        try await peripheral.wait(for: "C0:FF:EE:00:00:02 disconnected")
        #expect(peripheral.connected == 0)
    }

    @Test("Powering off disconnects centrals that reconnect continuously")
    func switchedOff() async throws {
        let (world, peripheral) = try await Peripheral.published(adapter: "hci0")
        let centrals = try (0..<3).map { _ in try world.addCentral() }
        try world.perform { blueZ in
            for central in blueZ.centrals {
                central.play([
                    .forever([.connect, .subscribe("2A37"), .wait(.milliseconds(7)), .disconnect])
                ])
            }
        }
        for round in 1...20 {
            try await world.clock.sleep(for: .milliseconds(150 + 37 * round))
            try world.perform { $0.setPowered(false, ofAdapter: 0) }
            try await world.clock.sleep(for: .milliseconds(100))
            #expect(peripheral.connected == 0)
            #expect(!peripheral.beats.isSubscribed)
            for central in centrals { #expect(!central.isConnected) }
            try world.perform { $0.setPowered(true, ofAdapter: 0) }
        }
        #expect(peripheral.connectionCount > 20)
        for central in centrals { try central.perform { $0.stop() } }
    }
}
