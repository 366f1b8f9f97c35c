/// Shortens a schedule that breaks a rule.
struct Shrinker {
    private let kind: String
    private let deadline: ContinuousClock.Instant
    private var lane: Lane

    init(_ kind: String, until deadline: ContinuousClock.Instant) async throws {
        self.kind = kind
        self.deadline = deadline
        lane = try await Lane(99, isAlone: true)
    }

    /// Returns the schedule without unnecessary steps; `nil` if it broke no rule this time.
    mutating func shrink(_ schedule: Schedule) async throws -> Schedule? {
        guard try await breaks(schedule) else { return nil }
        var shortest = schedule
        var length = max(1, schedule.steps.count / 2)
        while true {
            var position = 0
            while position < shortest.steps.count {
                guard ContinuousClock.now < deadline else { return shortest }
                var shorter = shortest
                let end = min(position + length, shorter.steps.count)
                shorter.steps.removeSubrange(position..<end)
                if try await breaks(shorter) {
                    shortest = shorter
                } else {
                    position += length
                }
            }
            guard length > 1 else { return shortest }
            length /= 2
        }
    }

    func end() async {
        await lane.end()
    }

    // Time is real: a violation does not recur each time.
    private mutating func breaks(_ schedule: Schedule) async throws -> Bool {
        for _ in 0..<3 {
            let ledger = Ledger(clientCount: schedule.clientCount) { _ in }
            let play = Play(schedule, in: lane, ledger: ledger, patience: 150)
            let outcome = await play.run()
            guard outcome.violations.isEmpty else {
                // A new lane, so that violations do not affect the next schedule.
                await lane.end()
                lane = try await Lane(99, isAlone: true)
                if outcome.violations.contains(where: { $0.kind == kind }) { return true }
                continue
            }
            guard ContinuousClock.now < deadline else { return false }
        }
        return false
    }
}
