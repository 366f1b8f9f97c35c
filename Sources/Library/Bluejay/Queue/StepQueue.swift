internal import DequeModule

/// The steps of one instance, in order.
///
/// Actions that are appended together stay together, so that a million of them need not be moved one by one.
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

    private enum Entry {
        case step(Step)
        case actions([QueueStateMachine.Action])
    }

    // The actions that precede `entries`; those before `index` are performed. They are separate properties of
    // a class, because instantaneous accesses need no exclusivity check.
    private var actions: [QueueStateMachine.Action] = []
    private var index = 0
    private var entries: Deque<Entry> = []

    var isEmpty: Bool { index == actions.count && entries.isEmpty }

    func append(_ step: Step) { entries.append(.step(step)) }

    func append(_ new: [QueueStateMachine.Action]) {
        if isEmpty {
            (actions, index) = (new, 0)
        } else {
            entries.append(.actions(new))
        }
    }

    /// Removes and returns the next step, or returns `nil` if none remains or the step ends a call made after
    /// `last`.
    func popNext(upTo last: QueueStateMachine.ID) -> Step? {
        while true {
            if index < actions.count {
                let step = Step.perform(actions[index])
                if let id = step.completedID, id > last { return nil }
                index += 1
                return step
            }
            if index > 0 { (actions, index) = ([], 0) }
            switch entries.popFirst() {
            case nil: return nil
            case .actions(let new): actions = new
            case .step(let step):
                guard let id = step.completedID, id > last else { return step }
                entries.prepend(.step(step))
                return nil
            }
        }
    }

    /// Removes all steps, and returns the completions of calls that have no operation.
    func removeAll() -> [() -> Void] {
        let left = entries
        (actions, index, entries) = ([], 0, [])
        return left.compactMap {
            guard case .step(.complete(_, let completion)) = $0 else { return nil }
            return completion
        }
    }
}
