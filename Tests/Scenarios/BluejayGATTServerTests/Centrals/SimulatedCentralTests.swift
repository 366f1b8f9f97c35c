import BluejayCore
import BluejayGATTServer
import BluejaySimulator
import BluejayTesting
import Foundation
import TestTraits
import Testing

@Suite(
    "A peripheral and a scripted central",
    .timeLimit(.minutes(15)),
    .simulatedBlueZ
)
struct SimulatedCentralTests {
    private static let first = "C0:FF:EE:00:00:01"

    @Test("A scripted central connects, subscribes, receives values in order and disconnects")
    func notifications() async throws {
        let (world, peripheral) = try await Peripheral.published()
        let phone = try world.addCentral()
        try await phone.connect()
        try await phone.subscribe(to: "2A37")
        try await peripheral.wait(for: "beats +")
        for value in 1...3 as ClosedRange<UInt8> {
            #expect(try peripheral.server.notify(Data([value]), on: peripheral.beats))
        }
        #expect(try await phone.next(2, of: "2A37") == [[1], [2]])
        #expect(try await phone.next(of: "FFE0/2A37") == [[3]])
        try await phone.leave()
        try await peripheral.wait(for: "\(Self.first) disconnected")
        #expect(
            peripheral.journal == [
                "\(Self.first) connected", "beats +", "beats -", "\(Self.first) disconnected",
            ]
        )
        #expect(try !peripheral.server.notify(Data([9]), on: peripheral.beats))
        #expect(phone.values(of: "2A37") == [[1], [2], [3]])
    }

    @Test("Indications are confirmed, and the end of a subscription is reported")
    func indications() async throws {
        let (world, peripheral) = try await Peripheral.published()
        let phone = try world.addCentral()
        try await phone.connect()
        try await phone.subscribe(to: "2A3A")
        try await peripheral.wait(for: "alarm +")
        try peripheral.server.notify(Data([7]), on: peripheral.alarm)
        #expect(try await phone.next(of: "2A3A") == [[7]])
        try await peripheral.wait(for: "confirmed")
        try await phone.unsubscribe(from: "2A3A")
        try await peripheral.wait(for: "alarm -")
    }

    @Test("A central with a small MTU reads and writes a long value in parts")
    func longValues() async throws {
        let (world, peripheral) = try await Peripheral.published()
        let phone = try world.addCentral(mtu: 23)
        try await phone.connect()
        #expect(try await phone.read("2A3B") == (0..<200).map { UInt8($0) })
        let value = (0..<100).map { UInt8(200 - $0) }
        try await phone.write(value, to: "2A3B")
        #expect(try await phone.read("2A3B").prefix(100) == value[...])
        try await phone.write([1, 2, 3], to: "2A39", .long)
        #expect(peripheral.written == [[1, 2, 3]])
    }

    @Test("Rejected requests and missing attributes throw an error with the code")
    func refusals() async throws {
        let (world, peripheral) = try await Peripheral.published()
        let phone = try world.addCentral(mtu: 23)
        await #expect(throws: CentralError.notConnected) { try await phone.read("2A3B") }
        try await phone.connect()
        peripheral.refusal = ATTError(code: 0x81)
        await #expect(throws: CentralError.refused(0x81)) {
            try await phone.write([1], to: "2A39")
        }
        await #expect(throws: CentralError.refused(0x81)) {
            try await phone.write([1], to: "2A39", .long)
        }
        await #expect(throws: CentralError.refused(0x02)) { try await phone.read("2A37") }
        await #expect(throws: CentralError.refused(0x03)) {
            try await phone.write([1], to: "2A37")
        }
        await #expect(throws: CentralError.notFound("2AFF")) { try await phone.read("2AFF") }
        await #expect(throws: CentralError.tooLong(length: 21, limit: 20)) {
            let value = [UInt8](repeating: 0, count: 21)
            try await phone.write(value, to: "2A3C", .withoutResponse)
        }
        await #expect(throws: CentralError.missed("2A37", came: 0, expected: 1)) {
            try await phone.next(of: "2A37", within: .seconds(5))
        }
    }

    @Test("A connect waits for an advertisement until its timeout")
    func connecting() async throws {
        let world = try TestWorld.current
        let phone = try world.addCentral()
        await #expect(throws: CentralError.nobodyAdvertises) {
            try await phone.connect(within: .seconds(20))
        }
        #expect(world.clock.now.offset >= .seconds(20))
        let peripheral = Peripheral(world, adapter: "hci1")
        async let found: Void = phone.connect(toAdapter: 1)
        try await peripheral.publish(in: world)
        try await found
        try await phone.leave()
        await #expect(throws: CentralError.nobodyAdvertises) {
            try await phone.connect(toAdapter: 0, within: .seconds(5))
        }
        try await phone.connect(toAdapter: 1)
        #expect(phone.isConnected)
        phone.leaveRange()
        try await peripheral.wait(for: "\(Self.first) disconnected")
        await #expect(throws: CentralError.nobodyAdvertises) {
            try await phone.connect(within: .seconds(5))
        }
        phone.returnToRange()
        try await phone.connect()
    }

    @Test("A script runs step by step, and its report lists the failures")
    func script() async throws {
        let (world, peripheral) = try await Peripheral.published()
        let phone = try world.addCentral()
        let report = try await phone.play([
            .repeat(
                [
                    .connect, .write("2A39", [1]), .read("2A37"), .wait(.seconds(60)),
                    .subscribe("2A37"), .disconnect,
                ],
                times: 3
            ), .read("2A3B"),
        ])
        #expect(peripheral.written == [[1], [1], [1]])
        #expect(report.failureCount == 4)
        #expect(report.failures.first?.step == .read("2A37"))
        #expect(report.failures.last?.error == .notConnected)
        #expect(world.clock.now.offset >= .seconds(180))
        try await peripheral.wait(for: "\(Self.first) disconnected", count: 3)
        #expect(peripheral.journal.filter { $0 == "beats +" }.count == 3)
        #expect(peripheral.journal.filter { $0 == "beats -" }.count == 3)
    }

    @Test("Cancelling the waiting task stops an endless script")
    func stopping() async throws {
        let (world, peripheral) = try await Peripheral.published()
        let phone = try world.addCentral()
        let task = Task {
            try await phone.play([.forever([.connect, .disconnect, .forever([])])])
        }
        try await peripheral.wait(for: "\(Self.first) disconnected", count: 5)
        task.cancel()
        let report = try await task.value
        #expect(report.failures.map(\.error) == [.stopped] || report.failureCount == 0)
        try await phone.leave()
    }

    @Test(
        "Each version of bluetoothd notifies two centrals",
        arguments: SimulatedBlueZVersion.allCases
    )
    func kinds(_ kind: SimulatedBlueZVersion) async throws {
        var options = SimulatorOptions()
        options.version = kind
        try await TestWorld.make(options).run {
            let (world, peripheral) = try await Peripheral.published()
            let phones = try [world.addCentral(), world.addCentral(mtu: 23)]
            for phone in phones {
                try await phone.connect()
                try await phone.subscribe(to: "2A37")
            }
            try await peripheral.wait(for: "beats +")
            let value = Array(repeating: 7, count: 100) as [UInt8]
            #expect(try peripheral.server.notify(Data(value), on: peripheral.beats))
            #expect(try await phones[0].next(of: "2A37") == [value])
            #expect(try await phones[1].next(of: "2A37") == [Array(value.prefix(20))])
            for phone in phones { try await phone.leave() }
            try await peripheral.wait(for: "beats -")
            #expect(peripheral.connected == 0)
        }
    }

    @Test("A script stops with its simulated system")
    func endOfWorld() async throws {
        let errors = try await withCheckedThrowingContinuation { continuation in
            Task {
                do {
                    // The world is released, and ends, after this call.
                    try await TestWorld.make().perform { blueZ in
                        let central = SimulatedCentral(address: Self.first)
                        blueZ.add(central)
                        central.play([.connectTo(adapter: nil, within: .seconds(1e10))]) {
                            continuation.resume(returning: $0.failures.map(\.error))
                        }
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        #expect(errors == [.stopped])
    }

    @Test(
        "Attributes that require authentication are closed to a central paired without a passkey",
        arguments: [SimulatedPairing.justWorks, .passkey(123_456)]
    )
    func authentication(pairing: SimulatedPairing) async throws {
        let (world, peripheral) = try await Peripheral.published()
        peripheral.server.pairingHandler = { request, _, answer in
            if case .passkey = request {
                answer.accept(passkey: 123_456)
            } else {
                answer.accept()
            }
        }
        let service = LocalService(
            uuid: BluetoothUUID(uint16: 0xFFE1),
            characteristics: [
                LocalCharacteristic(
                    uuid: BluetoothUUID(uint16: 0xFF01),
                    properties: [.read, .encryptRead],
                    value: Data([1])
                ),
                LocalCharacteristic(
                    uuid: BluetoothUUID(uint16: 0xFF02),
                    properties: [.read, .encryptAuthenticatedRead],
                    value: Data([2])
                ),
            ]
        )
        try await world.expect("service", count: 1) { done in
            peripheral.server.add(service) { _ in done() }
        }
        let phone = try world.addCentral()
        try phone.perform { $0.pairing = pairing }
        try await phone.connect()
        try await phone.pair()
        #expect(try await phone.read("FF01") == [1])
        let value = try? await phone.read("FF02")
        #expect((value != nil) == (pairing != .justWorks))
    }

    @Test(
        "A paired central with a private address is identified by its identity address",
        .pitfall(.privateAddresses)
    )
    func pairing() async throws {
        let (world, peripheral) = try await Peripheral.published()
        let secret = LocalCharacteristic(
            uuid: BluetoothUUID(uint16: 0x2A3D),
            properties: [.read, .encryptRead],
            value: Data([42])
        )
        try await world.expect("the encrypted characteristic") { done in
            let service = LocalService(
                uuid: BluetoothUUID(uint16: 0xFFE1),
                characteristics: [secret]
            )
            peripheral.server.add(service) { _ in done() }
        }
        let phone = try world.addCentral(address: "5C:00:00:00:00:01")
        try phone.perform { $0.setIdentity("00:1B:DC:00:00:01") }
        try await phone.connect()
        await #expect(throws: CentralError.refused(0x0F)) { try await phone.read("2A3D") }
        await #expect(throws: CentralError.notPaired) { try await phone.pair() }
        try world.perform { $0.userAgreesToPairing = true }
        #expect(try await phone.read("2A3D") == [42])
        try await phone.leave()
        try phone.perform { $0.changeAddress(to: "5C:00:00:00:00:02") }
        peripheral.forgetJournal()
        try await phone.connect()
        #expect(try await phone.read("2A3D") == [42])
        try await peripheral.wait(for: "00:1B:DC:00:00:01 connected")
    }
}
