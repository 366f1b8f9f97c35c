import Synchronization

/// A broken rule, with its kind for the counts of a run.
struct Violation: Swift.Sendable {
    let kind: String
    let detail: String
}

/// The operations of one schedule and their results; written from all threads.
final class Ledger: Swift.Sendable {
    private struct Entry {
        let what: String
        let kind: String
        /// Whether it must end without further calls when everything works.
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
    private let startTime = ContinuousClock.now
    /// Receives the violations after the report of the schedule.
    private let onLateViolation: @Sendable (Violation) -> Void

    init(clientCount: Int, onLateViolation: @escaping @Sendable (Violation) -> Void) {
        self.clientCount = clientCount
        self.onLateViolation = onLateViolation
    }

    /// Records an operation that must end exactly once.
    ///
    /// - Parameters:
    ///   - kind: The kind for the counts.
    ///   - what: The player and the arguments.
    ///   - isBounded: Whether it must end without further calls when everything works.
    /// - Returns: The number for `end`.
    func start(_ kind: String, _ what: String, isBounded: Bool = true) -> Int {
        record(what)
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
        record("\(entry.what) -> \(result)")
        if entry.ends > 1 {
            violate("\(entry.kind): ended \(entry.ends) times", "\(entry.what) -> \(result)")
        }
    }

    func hasEnded(_ number: Int) -> Bool { result(number) != nil }

    /// Returns the result of an operation; `nil` if it does not exist or has not ended.
    func result(_ number: Int) -> String? {
        state.withLock { $0.entries.indices.contains(number) ? $0.entries[number].result : nil }
    }

    /// The number of operations so far, which is the number of the next one.
    var count: Int { state.withLock { $0.entries.count } }

    func violate(_ kind: String, _ detail: String) {
        record("BROKEN: \(kind): \(detail)")
        let violation = Violation(kind: kind, detail: detail)
        let isLate = state.withLock { state in
            if !state.hasReported { state.violations.append(violation) }
            return state.hasReported
        }
        if isLate { onLateViolation(violation) }
    }

    func record(_ text: String) {
        let time = ContinuousClock.now - startTime
        let milliseconds =
            time.components.seconds * 1_000
            + time.components.attoseconds / 1_000_000_000_000_000
        state.withLock { $0.story.append("\(milliseconds) ms  \(text)") }
    }

    /// Returns the operations that have not ended, each with its kind.
    func pending(bounded: Bool) -> [(kind: String, what: String)] {
        state.withLock { state in
            state.entries.filter { $0.ends == 0 && $0.isBounded == bounded }
                .map { ($0.kind, $0.what) }
        }
    }

    var story: [String] { state.withLock { $0.story } }

    /// Returns the violations and the story; later violations are passed to `late`.
    func report() -> (violations: [Violation], story: [String]) {
        state.withLock { state in
            state.hasReported = true
            return (state.violations, state.story)
        }
    }
}
