import BluejaySimulator
import Foundation
import GameHost
import TestSupport
import Testing

@Suite("Two hosts of one adapter", .timeLimit(.minutes(15)))
@MainActor
struct TwoHostsTests {
    @Test(
        "Two hosts advertise with separate players, and one continues without the other",
        arguments: [true, false]
    )
    func two(areOneProgram: Bool) async throws {
        try await GameStage.play { stage in
            // A separate loop has a separate bus connection, like another program.
            let loop = areOneProgram ? stage.loop : MainLoop(threadName: "second host")
            let brain = Brain()
            let second = BLEHostManager(
                sdk: brain,
                host: BluetoothHost(mainLoop: loop, busAddress: stage.system.busAddress)
            )
            second.startAdvertising()
            try await wait { second.isAdvertising }
            #expect(stage.manager.isAdvertising)
            // A player uses the first of two services with the same UUID.
            let player = try await stage.join(1)
            stage.brain.say(.broadcast(Data([1])))
            #expect(try await player.messages(1) == [[1]])
            #expect(second.connectedPeerCount == 0)
            #expect(brain.journal == ["start"])
            stage.manager.stopAdvertising()
            #expect(second.isAdvertising && second.state == .advertising(name: "Tisch"))
            #expect(brain.journal == ["start"])
            second.stopAdvertising()
            #expect(brain.journal.last == "stop")
        }
    }
}
