import BluejayAsync
import BluejayTesting
import Testing

@testable import BluejaySimulator

@Suite("Released instances", .timeLimit(.minutes(15)))
struct ReleasedHandlerTests {
    @Test(
        "A released instance with an async pairing handler leaves no agent",
        .simulatedBlueZ { $0.add(.passkeyLock()) }
    )
    func pairingHandler() async throws {
        let world = try TestWorld.current
        weak var released: Bluejay?
        do {
            let bluejay = world.makeBluejay()
            released = bluejay
            await bluejay.setPairingHandler { _, _ in
                .passkey(SimulatedDevice.DoorLock.passkey)
            }
            try await bluejay.withConnection(toFirst: .name("Lock"), within: 20) { lock in
                try await lock.pair()
                #expect(try world.perform { $0.heldResources }["agents"] == 1)
            }
        }
        try await world.clock.sleep(for: .seconds(10))
        #expect(released == nil)
        #expect(try world.perform { $0.heldResources } == [:])
    }
}
