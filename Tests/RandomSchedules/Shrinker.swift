/// Makes a schedule that breaks a rule as short as it can be.
struct Shrinker {
    let kind: String
    let lane: Lane
    let deadline: ContinuousClock.Instant

    /// The same without the steps that it does not take.
    func shrink(_ schedule: Schedule) async -> Schedule {
        guard await breaks(schedule) else { return schedule }
        var shortest = schedule
        var length = max(1, schedule.steps.count / 2)
        while true {
            var position = 0
            while position < shortest.steps.count {
                guard ContinuousClock.now < deadline else { return shortest }
                var shorter = shortest
                let end = min(position + length, shorter.steps.count)
                shorter.steps.removeSubrange(position..<end)
                if await breaks(shorter) {
                    shortest = shorter
                } else {
                    position += length
                }
            }
            guard length > 1 else { return shortest }
            length /= 2
        }
    }

    // Time is real: what was broken once is not broken each time.
    private func breaks(_ schedule: Schedule) async -> Bool {
        for _ in 0..<3 {
            let ledger = Ledger { _ in }
            let outcome = await Play(schedule, in: lane, ledger: ledger).run()
            if outcome.violations.contains(where: { $0.kind == kind }) { return true }
            guard ContinuousClock.now < deadline else { return false }
        }
        return false
    }
}
