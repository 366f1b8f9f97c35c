import BluejayAsync
import BluejayGLib
import BluejayTesting

/// A program that listens to one device and connects again after each error.
final class ListeningProgram: Swift.Sendable {
    private let address: String
    private let world: TestWorld
    private let count = LockedValue(0)

    init(_ address: String, in world: TestWorld) {
        self.address = address
        self.world = world
    }

    var name: String { "the program of \(address)" }
    /// The number of values received so far.
    var valueCount: Int { count.value }

    /// Runs until its task is cancelled.
    func run() async throws {
        let bluejay = world.makeBluejay()
        while !Task.isCancelled {
            try? await bluejay.withConnection(toFirst: .address(address), within: 60) { sensor in
                for try await _ in sensor.values(of: .heartRateMeasurement, isKept: true) {
                    count.update { $0 += 1 }
                }
            }
            try await world.clock.sleep(for: .seconds(5))
        }
    }
}
