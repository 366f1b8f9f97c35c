import BluejayAsync
import BluejayTesting
import Foundation
import Testing

/// Plays the files of `Documentation/ReportedFaults.md`.
@Suite("Faults that users reported", .timeLimit(.minutes(15)))
struct ReportedFaultTests {
    private static let length = Duration.seconds(300)

    private static let schedules: [String] = {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../Documentation/ReportedFaults.md")
        let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
        return text.split(separator: "```json\n").dropFirst().compactMap {
            $0.split(separator: "```").first.map(String.init)
        }
    }()

    @Test("The page has ten files")
    func count() {
        #expect(Self.schedules.count == 10)
    }

    @Test(
        "A program that listens receives values again after each fault",
        .simulatedBlueZ { $0.add(.heartRateSensor()) },
        arguments: schedules
    )
    func survived(file: String) async throws {
        let world = try TestWorld.current
        let schedule = try FaultSchedule(json: file)
        try world.perform { $0.play(schedule) }
        let bluejay = world.makeBluejay()
        var last = Duration.zero
        while world.clock.now.offset < Self.length {
            do {
                last = try await Self.listen(bluejay, in: world)
            } catch {
                try await world.clock.sleep(for: .seconds(1))
            }
        }
        #expect(last >= Self.length)
        #expect(try world.perform { $0.playedFaultCount } == schedule.events.count)
    }

    /// Listens until the end of the test; returns the time of the last value.
    private static func listen(_ bluejay: Bluejay, in world: TestWorld) async throws -> Duration {
        try await bluejay.withConnection(toFirst: .anyService([.heartRate]), within: 20) { sensor in
            let values = sensor.values(of: .heartRateMeasurement, isKept: true)
            for try await _ in values where world.clock.now.offset >= length { break }
            return world.clock.now.offset
        }
    }
}
