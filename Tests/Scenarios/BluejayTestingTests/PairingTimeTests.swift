import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Testing

@Suite("Time limits of pairing", .timeLimit(.minutes(15)))
struct PairingTimeTests {
    private typealias Lock = SimulatedDevice.DoorLock

    private func connected() async throws -> Bluejay {
        let bluejay = try await startedBluejay()
        try await bluejay.connect(find(Lock.service, by: bluejay), timeout: .seconds(10))
        return bluejay
    }

    @Test(
        "A pairing request without an answer is rejected after exactly 25 s",
        .simulatedBlueZ { $0.add(.passkeyLock()) }
    )
    func unanswered() async throws {
        let bluejay = try await connected()
        let (ended, tell) = AsyncStream.makeStream(of: Void.self)
        await bluejay.onLoop { bluejay in
            bluejay.setPairingHandler { _, _, answer in
                // The answer retains itself until the request ends.
                answer.onEnd = {
                    _ = answer
                    tell.yield()
                }
            }
        }
        let time = try await inAMoment {
            await #expect(throws: BluejayError.pairingRejected) { try await bluejay.pair() }
        }
        var events = ended.makeAsyncIterator()
        await events.next()
        #expect(time >= .seconds(25))
        #expect(time < .seconds(26))
    }

    @Test(
        "A lock that shows its passkey opens once the passkey is entered",
        .simulatedBlueZ { $0.add(.passkeyLock()) }
    )
    func typed() async throws {
        let bluejay = try await connected()
        let service = ServiceIdentifier(uuid: BluetoothUUID(string: Lock.service))
        let bolt = CharacteristicIdentifier(
            uuid: BluetoothUUID(string: Lock.bolt),
            service: service
        )
        await bluejay.onLoop { bluejay in
            bluejay.setPairingHandler { request, _, answer in
                if request == .passkey { answer.accept(passkey: Lock.passkey) }
            }
        }
        try await bluejay.pair()
        try await bluejay.write(to: bolt, value: UInt8(1))
        #expect(try await bluejay.read(from: bolt, as: UInt8.self) == 1)
    }
}
