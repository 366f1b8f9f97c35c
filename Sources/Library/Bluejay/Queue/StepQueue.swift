internal import DequeModule

/// The steps of one instance, in order.
///
/// Actions that came together are kept together: a million of them are not moved one by one.
final class StepQueue {
    /// Something to do, in the order of the list.
    enum Step {
        case perform(QueueStateMachine.Action)
        /// An operation has ended inside its own start.
        case finished(QueueStateMachine.ID, BluejayError?)
        case answer(QueueStateMachine.ID, () -> Void)
        /// Something to tell, behind what is told already.
        case tell(() -> Void)

        /// The call that it ends.
        var ends: QueueStateMachine.ID? {
            switch self {
            case .perform(.complete(let id, _)), .finished(let id, _), .answer(let id, _): id
            case .perform, .tell: nil
            }
        }
    }

    private enum Entry {
        case step(Step)
        case actions([QueueStateMachine.Action])
    }

    // The actions that are before everything else, up to `place` done. Each on its own, and this a class:
    // what is read and set at once is not watched for other accesses meanwhile.
    private var actions: [QueueStateMachine.Action] = []
    private var place = 0
    private var entries: Deque<Entry> = []

    var isEmpty: Bool { place == actions.count && entries.isEmpty }

    func append(_ step: Step) { entries.append(.step(step)) }

    func append(_ new: [QueueStateMachine.Action]) {
        if isEmpty {
            (actions, place) = (new, 0)
        } else {
            entries.append(.actions(new))
        }
    }

    /// Takes the next step off the list; nil when it ends a call that was made after the `last` one, or
    /// when there is none.
    func next(upTo last: QueueStateMachine.ID) -> Step? {
        while true {
            if place < actions.count {
                let step = Step.perform(actions[place])
                if let id = step.ends, id > last { return nil }
                place += 1
                return step
            }
            if place > 0 { (actions, place) = ([], 0) }
            switch entries.popFirst() {
            case nil: return nil
            case .actions(let new): actions = new
            case .step(let step):
                guard let id = step.ends, id > last else { return step }
                entries.prepend(.step(step))
                return nil
            }
        }
    }

    /// Takes everything off the list; gives the ends of calls that never became operations.
    func removeAll() -> [() -> Void] {
        let left = entries
        (actions, place, entries) = ([], 0, [])
        return left.compactMap {
            guard case .step(.answer(_, let completion)) = $0 else { return nil }
            return completion
        }
    }
}
