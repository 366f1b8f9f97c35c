import Synchronization

/// What breaks a rule, and its kind, by which those of a run are counted.
struct Violation: Swift.Sendable {
    let kind: String
    let detail: String
}

/// What was begun in one schedule and how it ended; written from every thread.
final class Ledger: Swift.Sendable {
    private struct Entry {
        let what: String
        let kind: String
        /// Whether it ends when everything works and nobody does anything about it.
        let isBounded: Bool
        var ends = 0
        var result: String?
    }

    private struct State {
        var entries: [Entry] = []
        var violations: [Violation] = []
        var story: [String] = []
        var hasReported = false
    }

    /// The number of bus connections of the instances.
    let clientCount: Int
    private let state = Mutex(State())
    private let began = ContinuousClock.now
    /// Told of what is broken after the schedule was judged.
    private let late: @Sendable (Violation) -> Void

    init(clientCount: Int, late: @escaping @Sendable (Violation) -> Void) {
        self.clientCount = clientCount
        self.late = late
    }

    /// Begins something that ends exactly once.
    ///
    /// - Parameters:
    ///   - kind: What it is counted as.
    ///   - what: Who does it, and with what.
    ///   - isBounded: As above.
    /// - Returns: What `end` is given.
    func begin(_ kind: String, _ what: String, isBounded: Bool = true) -> Int {
        note(what)
        return state.withLock { state in
            state.entries.append(Entry(what: what, kind: kind, isBounded: isBounded))
            return state.entries.count - 1
        }
    }

    func end(_ number: Int, _ result: String) {
        let entry = state.withLock { state in
            state.entries[number].ends += 1
            state.entries[number].result = result
            return state.entries[number]
        }
        note("\(entry.what) -> \(result)")
        if entry.ends > 1 {
            violate("\(entry.kind): ended \(entry.ends) times", "\(entry.what) -> \(result)")
        }
    }

    func hasEnded(_ number: Int) -> Bool { result(number) != nil }

    /// How something ended; nil when it was not begun or has not ended.
    func result(_ number: Int) -> String? {
        state.withLock { $0.entries.indices.contains(number) ? $0.entries[number].result : nil }
    }

    /// How much was begun, which is the number of what is begun next.
    var count: Int { state.withLock { $0.entries.count } }

    func violate(_ kind: String, _ detail: String) {
        note("BROKEN: \(kind): \(detail)")
        let violation = Violation(kind: kind, detail: detail)
        let isLate = state.withLock { state in
            if !state.hasReported { state.violations.append(violation) }
            return state.hasReported
        }
        if isLate { late(violation) }
    }

    /// Adds a line to the story of the schedule.
    func note(_ text: String) {
        let time = ContinuousClock.now - began
        let milliseconds =
            time.components.seconds * 1_000
            + time.components.attoseconds / 1_000_000_000_000_000
        state.withLock { $0.story.append("\(milliseconds) ms  \(text)") }
    }

    /// What has not ended, each with its kind.
    func pending(bounded: Bool) -> [(kind: String, what: String)] {
        state.withLock { state in
            state.entries.filter { $0.ends == 0 && $0.isBounded == bounded }
                .map { ($0.kind, $0.what) }
        }
    }

    /// What happened so far.
    var story: [String] { state.withLock { $0.story } }

    /// What was broken; anything later goes to `late`.
    func report() -> (violations: [Violation], story: [String]) {
        state.withLock { state in
            state.hasReported = true
            return (state.violations, state.story)
        }
    }
}
