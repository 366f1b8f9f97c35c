import Bleu
import BluejayTesting
import Distributed
import Foundation
import Testing

@Suite("The program of the page of Bleu", .timeLimit(.minutes(15)))
struct PageTests {
    @Test("A thermometer is served on one adapter, and read and calibrated from another one")
    func thermometer() async throws {
        try await BleuRoom.play { room in
            let system = try await serveThermometer(on: room.host(0))
            #expect(try await readThermometer(on: room.host(1)) == [21.5, 22.5])
            try await system.stopAdvertising()
            // The first reader's link takes two seconds to close.
            try await room.wait(.seconds(5))
            #expect(try await readThermometer(on: room.host(1)) == [])
        }
    }
}
