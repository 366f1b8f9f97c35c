/// Connects that end with the connection attempt of another call.
///
/// Invariant: every connect that is added is completed exactly once here, or handed to the queue.
struct SharedAttempts: Equatable {
    typealias ID = QueueStateMachine.ID
    typealias Action = QueueStateMachine.Action

    private struct Connect: Equatable {
        let id: ID
        var attempt: ID
        /// Whether the attempt is known to be to the same peripheral.
        var isSame: Bool
    }

    /// What follows the end of an attempt.
    struct Outcome: Equatable {
        var completions: [Action] = []
        /// A connect that now makes an attempt of its own, which the remaining ones share.
        var next: ID?
    }

    /// In the order of the calls.
    private var connects: [Connect] = []

    mutating func add(_ id: ID, attempt: ID, isSame: Bool) {
        connects.append(Connect(id: id, attempt: attempt, isSame: isSame))
    }

    /// An attempt has its turn: the limits of the connects that share it start.
    func began(_ attempt: ID) -> [Action] {
        connects.filter { $0.attempt == attempt }.map { .attemptBegan($0.id) }
    }

    /// An attempt was completed.
    ///
    /// The limit and the cancellation of a call end that call alone.
    mutating func ended(_ attempt: ID, _ error: BluejayError?) -> Outcome {
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

    /// Fails one connect; nothing happens without one of this number.
    mutating func cancel(_ id: ID, _ error: BluejayError) -> [Action] {
        guard let place = connects.firstIndex(where: { $0.id == id }) else { return [] }
        connects.remove(at: place)
        return [.complete(id, error)]
    }

    /// Fails all connects.
    mutating func cancelAll(_ error: BluejayError) -> [Action] {
        let all = connects
        connects = []
        return all.map { .complete($0.id, error) }
    }
}
