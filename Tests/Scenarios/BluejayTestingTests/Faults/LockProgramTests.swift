import BluejayAsync
import BluejayL2CAP
import BluejayTesting
import Foundation
import Testing

@Suite("Programs that pair survive every fault at every message", .timeLimit(.minutes(15)))
struct LockProgramTests {
    private static let bolt = CharacteristicIdentifier(
        uuid: SimulatedDevice.DoorLock.bolt,
        service: ServiceIdentifier(uuid: SimulatedDevice.DoorLock.service)
    )

    @Test(
        "A program that pairs with a passkey",
        .simulatedBlueZ { $0.add(.passkeyLock()) },
        .everyFault
    )
    func passkey() async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        await bluejay.setPairingHandler { request, _ in
            guard case .passkey = request else { return .reject }
            return .passkey(SimulatedDevice.DoorLock.passkey)
        }
        try await bluejay.withConnection(toFirst: .name("Lock"), within: 20) { lock in
            try await lock.pair()
            let state: UInt8 = try await lock.read(from: Self.bolt)
            #expect(state == 0)
        }
    }

    @Test(
        "A program whose write makes bluetoothd pair",
        .simulatedBlueZ {
            $0.add(.lock()); $0.userAgreesToPairing = true
        },
        .everyFault
    )
    func pairedByWrite() async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        try await bluejay.withConnection(toFirst: .name("Lock"), within: 20) { lock in
            try await lock.write(to: Self.bolt, value: UInt8(1))
        }
    }
}

@Suite("Programs with long values survive every fault at every message", .timeLimit(.minutes(15)))
struct LongValueProgramTests {
    private static let address = "C0:00:00:00:00:07"
    private static let service = ServiceIdentifier(uuid: "FFE0")
    private static let port = CharacteristicIdentifier(uuid: "FFE1", service: service)

    private static func add(to blueZ: SimulatedBlueZ) {
        let device = SimulatedDevice(address: address, name: "Port", advertising: ["FFE0"])
        let echo = ScriptedCharacteristic(
            "FFE1",
            ["write", "write-without-response", "notify"],
            .echoes([]),
            descriptors: [("2901", Array("Port".utf8))]
        )
        device.addService("FFE0", [echo])
        device.serveChannels(on: 0x80, .echo)
        blueZ.add(device)
    }

    private func withPort(
        _ body: nonisolated(nonsending) (Bluejay) async throws -> Void
    ) async throws {
        let bluejay = try TestWorld.current.makeBluejay()
        try await bluejay.withConnection(toFirst: .name("Port"), within: 20, body)
    }

    @Test("A program that asks and awaits the answer", .simulatedBlueZ { add(to: $0) }, .everyFault)
    func ask() async throws {
        try await withPort { port in
            let answer = try await port.ask(Self.port, writing: Data([1, 2]))
            #expect(answer == Data([1, 2]))
        }
    }

    @Test("A program that writes in pieces", .simulatedBlueZ { add(to: $0) }, .everyFault)
    func pieces() async throws {
        try await withPort { port in
            let value = Data(repeating: 1, count: 900)
            try await port.write(to: Self.port, contentsOf: value, inPiecesOf: 300)
        }
    }

    @Test("A program that reads a descriptor", .simulatedBlueZ { add(to: $0) }, .everyFault)
    func descriptor() async throws {
        try await withPort { port in
            let name = DescriptorIdentifier(uuid: "2901", characteristic: Self.port)
            let text = try await port.read(from: name)
            #expect(text == Data("Port".utf8))
        }
    }

    @Test("A program with an L2CAP channel", .simulatedBlueZ { add(to: $0) }, .everyFault)
    func channel() async throws {
        let world = try TestWorld.current
        let port = try PeripheralIdentifier(
            address: Self.address,
            isRandomAddress: true,
            name: "Port"
        )
        let host = BluetoothHost(mainLoop: world.mainLoop)
        let echo = try await L2CAPChannel.withChannel(to: port, psm: 0x80, host: host) { channel in
            try await channel.send(Data([1, 2, 3]))
            var packets = channel.received.makeAsyncIterator()
            return await packets.next()
        }
        #expect(echo == Data([1, 2, 3]))
    }
}
