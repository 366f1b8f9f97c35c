/// Connects that share the connection attempt of another call.
///
/// Invariant: every added connect is completed exactly once here, or handed to the queue.
struct SharedAttempts: Equatable {
    typealias ID = QueueStateMachine.ID
    typealias Action = QueueStateMachine.Action

    private struct Connect: Equatable {
        let id: ID
        var attempt: ID
        /// Whether the attempt is known to be to the same peripheral.
        var isSame: Bool
    }

    /// The consequence of the end of an attempt.
    struct Outcome: Equatable {
        var completions: [Action] = []
        /// A connect that now makes its own attempt, which the remaining ones share.
        var next: ID?
    }

    /// In the order of the calls.
    private var connects: [Connect] = []

    mutating func add(_ id: ID, attempt: ID, isSame: Bool) {
        connects.append(Connect(id: id, attempt: attempt, isSame: isSame))
    }

    /// Starts the limits of the connects that share an attempt, because it has its turn.
    func attemptStarted(_ attempt: ID) -> [Action] {
        connects.filter { $0.attempt == attempt }.map { .attemptStarted($0.id) }
    }

    /// Completes the connects that share a finished attempt, or selects one for the next attempt.
    ///
    /// The time limit and the cancellation of a call end that call alone.
    mutating func attemptEnded(_ attempt: ID, _ error: BluejayError?) -> Outcome {
        var outcome = Outcome()
        var remaining: [Connect] = []
        for var connect in connects {
            guard connect.attempt == attempt else {
                remaining.append(connect)
                continue
            }
            if let error, isOfCall(error) || !connect.isSame {
                guard let next = outcome.next else {
                    outcome.next = connect.id
                    continue
                }
                connect.attempt = next
                remaining.append(connect)
            } else {
                outcome.completions.append(.complete(connect.id, error))
            }
        }
        connects = remaining
        return outcome
    }

    private func isOfCall(_ error: BluejayError) -> Bool {
        [BluejayError.Code.connectionTimedOut, .noPeripheralFound, .cancelled].contains(error.code)
    }

    mutating func cancel(_ id: ID, _ error: BluejayError) -> [Action] {
        guard let index = connects.firstIndex(where: { $0.id == id }) else { return [] }
        connects.remove(at: index)
        return [.complete(id, error)]
    }

    mutating func cancelAll(_ error: BluejayError) -> [Action] {
        let all = connects
        connects = []
        return all.map { .complete($0.id, error) }
    }
}
