import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

@Suite("Requests that require a failed pairing", .timeLimit(.minutes(15)))
struct RejectedPairingTests {
    private static let address = "C0:00:00:00:00:01"
    private static let secret = CharacteristicIdentifier(uuid: "A0A1", service: .init(uuid: "A0A0"))

    private static func addSafe(_ world: SimulatedBlueZ) {
        let device = SimulatedDevice(address: address, name: "Safe", advertising: ["A0A0"])
        device.addService(
            "A0A0",
            [
                ScriptedCharacteristic(
                    "A0A1",
                    ["encrypt-read", "encrypt-write", "encrypt-notify"],
                    .value([7])
                )
            ]
        )
        world.add(device)
    }

    private func connected(rejects: Bool) async throws -> Bluejay {
        let bluejay = try await startedBluejay()
        try await bluejay.connect(
            find("A0A0", by: bluejay),
            timeout: .seconds(10)
        )
        guard rejects else { return bluejay }
        await bluejay.onLoop { bluejay in
            bluejay.setPairingHandler { _, _, answer in answer.reject() }
        }
        return bluejay
    }

    /// Returns the error of a call and the time until it failed.
    private func failure(
        _ call: () async throws -> Void
    ) async throws -> (error: BluejayError?, time: Duration) {
        let clock = try TestWorld.current.clock
        let begun = clock.now
        let error = await #expect(throws: BluejayError.self) { try await call() }
        return (error, begun.duration(to: clock.now))
    }

    @Test(
        "If this program rejects the pairing, reads and writes fail immediately with notPaired",
        .simulatedBlueZ { addSafe($0) }
    )
    func rejected() async throws {
        let bluejay = try await connected(rejects: true)
        let read = try await failure { _ = try await bluejay.read(from: Self.secret) as UInt8 }
        #expect(read.error == .notPaired)
        #expect(read.time < .seconds(1))
        // bluetoothd still waits: the next read must not wait for the first one.
        let again = try await failure { _ = try await bluejay.read(from: Self.secret) as UInt8 }
        #expect(again.error == .notPaired)
        #expect(again.time < .seconds(1))
        let write = try await failure { try await bluejay.write(to: Self.secret, value: UInt8(1)) }
        #expect(write.error == .notPaired)
        #expect(bluejay.isConnected)
    }

    @Test(
        "A listen whose pairing this program rejects fails immediately with notPaired",
        .simulatedBlueZ { addSafe($0) }
    )
    func rejectedListen() async throws {
        let bluejay = try await connected(rejects: true)
        let listen = try await failure {
            for try await _ in bluejay.values(of: Self.secret, as: UInt8.self) {}
        }
        #expect(listen.error == .notPaired)
        #expect(listen.time < .seconds(1))
    }

    @Test(
        "Without an agent, a read fails with notConnected when the link ends",
        .simulatedBlueZ { addSafe($0) }
    )
    func noAgent() async throws {
        let bluejay = try await connected(rejects: false)
        let read = try await failure { _ = try await bluejay.read(from: Self.secret) as UInt8 }
        #expect((.seconds(30) ..< .seconds(32)).contains(read.time))
        #expect(read.error == .notConnected)
        #expect(!bluejay.isConnected)
        #expect(try TestWorld.current.perform { $0.device(Self.address)?.isConnected } == false)
    }

    @Test(
        "If the user pairs after a rejection, the next read succeeds",
        .simulatedBlueZ { addSafe($0) }
    )
    func pairedLater() async throws {
        let bluejay = try await connected(rejects: true)
        let read = try await failure { _ = try await bluejay.read(from: Self.secret) as UInt8 }
        #expect(read.error == .notPaired)
        await bluejay.onLoop { bluejay in
            bluejay.setPairingHandler { _, _, answer in answer.accept() }
        }
        try await bluejay.pair()
        #expect(try await bluejay.read(from: Self.secret) as UInt8 == 7)
        try await TestWorld.current.clock.sleep(for: .seconds(40))
        #expect(bluejay.isConnected)
    }
}
