import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("A host on the main thread's loop", .timeLimit(.minutes(15)))
@MainActor
struct MainLoopTests {
    @Test("A host and its game run on the main loop of the program")
    func echo() async throws {
        try await onSimulatedBlueZ(.accelerated(.v5_86)) { system in
            async let program = runProgram(
                "game-on-main-loop",
                environment: ["DBUS_SYSTEM_BUS_ADDRESS": system.busAddress]
            )
            let player = TablePlayer(system, "C0:00:00:00:00:01")
            await system.perform { $0.add(SimulatedCentral(address: "C0:00:00:00:00:01")) }
            try await player.play([.connect, .subscribe(notifying)])
            try await player.send([1, 2])
            let heard = try await player.messages(1)
            #expect(heard == [[1, 2]])
            try await player.send([0])
            let heard2 = try await player.messages(2)
            #expect(heard2 == [[1, 2], [9]])
            let (lines, status) = try await program
            #expect(status == 0)
            #expect(
                lines == [
                    "checking Bluetooth", "adding the service", "advertising as Echo", "+ Player 1",
                    "heard [1, 2]", "heard [0]", "-", "stop", "not started",
                ]
            )
        }
    }
}
