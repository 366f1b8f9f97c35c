/// Shortens a schedule that breaks a rule.
struct Shrinker {
    private let product: String
    private let seed: UInt64
    private let kind: String
    private let deadline: ContinuousClock.Instant

    /// The number of plays of each shorter schedule: the threads of tasks may order two calls differently.
    private static let attempts = 2

    init(
        _ product: String,
        _ seed: UInt64,
        _ kind: String,
        until deadline: ContinuousClock.Instant
    ) {
        self.product = product
        self.seed = seed
        self.kind = kind
        self.deadline = deadline
    }

    /// Returns the necessary steps and faults; `nil` if the schedule breaks no rule this time.
    func shrink(_ selection: Selection) async throws -> Selection? {
        let size = Products.size(product, seed: seed)
        var shortest = Selection(
            steps: selection.steps ?? Array(0..<size.steps),
            faults: selection.faults ?? Array(0..<size.faults)
        )
        guard try await breaks(shortest) else { return nil }
        // A second round removes steps that only removed steps needed.
        for _ in 0..<2 {
            let count = (shortest.steps?.count ?? 0) + (shortest.faults?.count ?? 0)
            try await shorten(&shortest, \.faults)
            try await shorten(&shortest, \.steps)
            if (shortest.steps?.count ?? 0) + (shortest.faults?.count ?? 0) == count { break }
        }
        return shortest
    }

    private func shorten(
        _ shortest: inout Selection,
        _ part: WritableKeyPath<Selection, [Int]?>
    ) async throws {
        var numbers = shortest[keyPath: part] ?? []
        var length = max(1, numbers.count / 2)
        while true {
            var position = 0
            while position < numbers.count {
                guard ContinuousClock.now < deadline else { return }
                var shorter = numbers
                shorter.removeSubrange(position..<min(position + length, shorter.count))
                var candidate = shortest
                candidate[keyPath: part] = shorter
                if try await breaks(candidate) {
                    (numbers, shortest) = (shorter, candidate)
                } else {
                    position += length
                }
            }
            guard length > 1 else { return }
            length /= 2
        }
    }

    private func breaks(_ selection: Selection) async throws -> Bool {
        for _ in 0..<Self.attempts {
            let lane = try await LaneProcess(["--product", product] + selection.arguments)
            let outcome = await lane.play(seed)
            await lane.end()
            if outcome.violations.contains(where: { $0.kind == kind }) { return true }
        }
        return false
    }
}
