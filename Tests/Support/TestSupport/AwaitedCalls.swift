internal import Synchronization

/// Calls in separate tasks; a test finds the calls that never end.
package final class AwaitedCalls: Sendable {
    private struct State {
        var pending: [String] = []
        var errors: [String: any Error] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Makes a call, which must not be waiting when the test asks for the ends.
    package func begin(_ name: String, _ call: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.pending.append(name) }
        Task { [self] in
            do {
                try await call()
                end(name, nil)
            } catch {
                end(name, error)
            }
        }
    }

    /// The error that a call has thrown.
    package func error(of name: String) -> (any Error)? { state.withLock { $0.errors[name] } }

    /// The calls that have not ended yet.
    package var pending: [String] { state.withLock { $0.pending } }

    /// Waits until all calls have ended, and returns those that still wait after the limit.
    package func hanging(after limit: Duration = .seconds(10)) async throws -> [String] {
        let end = ContinuousClock.now + limit
        while !pending.isEmpty, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(10))
        }
        return pending.sorted()
    }

    private func end(_ name: String, _ error: (any Error)?) {
        state.withLock { state in
            state.pending.removeAll { $0 == name }
            state.errors[name] = error
        }
    }
}
