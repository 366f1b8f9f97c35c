internal import DequeModule

/// The steps of one instance, in order.
final class StepQueue {
    enum Step {
        case perform(QueueStateMachine.Action)
        /// The end of an operation inside its own `start`.
        case finished(QueueStateMachine.ID, BluejayError?)
        case complete(QueueStateMachine.ID, () -> Void)
        /// A notification of observers.
        case notify(() -> Void)

        /// The call that the step ends.
        var completedID: QueueStateMachine.ID? {
            switch self {
            case .perform(.complete(let id, _)), .finished(let id, _), .complete(let id, _): id
            case .perform, .notify: nil
            }
        }
    }

    /// Whether the next step waits for another iteration of the loop.
    var isWaitingForIteration = false
    /// The depth of nested loops at which steps are being performed, or `nil` if none are.
    var processingDepth: Int?
    private var steps: Deque<Step> = []

    var isEmpty: Bool { steps.isEmpty }

    /// Whether an iteration of the loop has steps to perform.
    ///
    /// If the loop iterates while steps are being performed, a callback runs a nested loop.
    var isReady: Bool { (isWaitingForIteration || processingDepth != nil) && !steps.isEmpty }

    func append(_ step: Step) { steps.append(step) }

    func append(_ actions: [QueueStateMachine.Action]) {
        // Most calls have one action; the other way takes 300 instructions more for it.
        if actions.count == 1 { return steps.append(.perform(actions[0])) }
        steps.append(contentsOf: actions.lazy.map { .perform($0) })
    }

    /// Removes and returns the next step, or returns `nil` if none remains or the step ends a call made after
    /// `last`.
    func popNext(upTo last: QueueStateMachine.ID) -> Step? {
        guard let next = steps.popFirst() else { return nil }
        guard let id = next.completedID, id > last else { return next }
        steps.prepend(next)
        return nil
    }

    /// Removes all steps, and returns the completions of calls that have no operation.
    func removeAll() -> [() -> Void] {
        let removed = steps
        steps = []
        return removed.compactMap {
            guard case .complete(_, let completion) = $0 else { return nil }
            return completion
        }
    }
}
