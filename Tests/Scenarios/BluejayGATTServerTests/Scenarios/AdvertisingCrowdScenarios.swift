import Bluejay
import BluejayGATTServer
import Foundation
import Staging
import TestSupport
import Testing

@Suite("Advertising during connections", .timeLimit(.minutes(15)))
struct AdvertisingCrowdScenarios {
    @Test("With Extended Advertising, further centrals find the server while others are connected")
    func threeInTurn() async throws {
        try await withTestbed(on: .multiplePeersExtended) { context in
            let host = try await RecordingServer(
                context,
                on: await context.availableCentral(adapter: "hci0")
            )
            for number in 1...3 {
                let central = try await context.testbed.addCentral(named: "Central \(number)")
                try await central.enter()
                #expect(try await central.read(RecordingServer.characteristic) == [7])
                try await wait { host.connectedCount == number }
            }
            await host.stop()
        }
    }
}
