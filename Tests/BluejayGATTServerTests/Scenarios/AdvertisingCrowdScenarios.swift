import Bluejay
import BluejayGATTServer
import Foundation
import Staging
import Testing

/// Whether an advertisement is registered again after a connection of a central.
private let goesOnAfterConnections = false

@Suite("Advertising where a connection ends it", .timeLimit(.minutes(5)))
struct AdvertisingCrowdScenarios {
    @Test(
        "With Extended Advertising a second and a third central find the adapter while others stay",
        .enabled(if: goesOnAfterConnections, "the second central waits until the first has left")
    )
    func threeInTurn() async throws {
        try await onStage(on: .extendedCrowd) { scene in
            let host = try await Host(scene, on: await scene.availableCentral(adapter: "hci0"))
            for number in 1...3 {
                let central = try await scene.stage.addCentral(named: "Central \(number)")
                try await central.enter()
                #expect(host.connectedCount == number)
                #expect(try await central.read(Host.characteristic) == [7])
            }
            await host.stop()
        }
    }
}
