internal import BluejayGLib

/// Performs the actions of the queue, and ends its operations.
protocol StepPerformer: AnyObject {
    func perform(_ action: QueueStateMachine.Action)
    func finish(_ id: QueueStateMachine.ID, _ error: BluejayError?)
}

/// Performs steps in order, one at a time, and completes calls outside the call itself.
///
/// A callback that makes calls appends steps, which are performed in their turn. Nothing recurses, and the
/// state is settled before any callback runs.
///
/// Steps are performed at once, but the calls of this iteration of the main loop end on a later iteration. A
/// rejection is therefore never delivered inside the call, rejections and completions keep the order of the
/// calls, and a completion that repeats its call does not block the loop.
final class StepScheduler {
    /// Closures of the owner of the published state.
    struct Handlers {
        /// Called before the first of several steps.
        let willProcess: () -> Void
        /// Called after the last of several steps, and after each call without steps.
        let didProcess: () -> Void
    }

    /// Set once, by the owner.
    var handlers: Handlers?
    /// The owner of the operations; set once, by itself.
    weak var performer: (any StepPerformer)?

    /// The identifier of the last call.
    private(set) var lastID = 0
    private let context: MainContext
    private let steps = StepQueue()
    /// The last call that may end on this iteration.
    private var lastEndableID = 0
    /// Continues on the next iteration of the loop, or of a loop inside a callback.
    private var iterations: EventSource?

    init(context: MainContext) {
        self.context = context
    }

    func makeID() -> QueueStateMachine.ID {
        lastID += 1
        return lastID
    }

    /// Returns whether a call may end on this iteration.
    func canEnd(_ id: QueueStateMachine.ID) -> Bool { id <= lastEndableID }

    /// Performs actions of the queue after the pending steps.
    func perform(_ actions: [QueueStateMachine.Action]) {
        // Most calls wait for their turn and have no actions.
        guard !actions.isEmpty else {
            if steps.processingDepth == nil { finishProcessing() }
            return
        }
        steps.append(actions)
        process()
    }

    /// Defers the end of an operation to a later iteration.
    func finish(_ id: QueueStateMachine.ID, _ error: BluejayError?) {
        steps.append(.finished(id, error))
        process()
    }

    /// Completes a call that has no operation, on a later iteration.
    func completeOnNextIteration(_ completion: @escaping () -> Void) {
        steps.append(.complete(makeID(), completion))
        process()
    }

    /// Fails calls on this iteration, or when the instance is released.
    func fail(_ calls: [(BluejayError) -> Void], _ error: BluejayError) {
        // No call has the identifier 0, so these steps wait for no iteration.
        for fail in calls { steps.append(.complete(0) { fail(error) }) }
        process()
    }

    /// Appends a notification to the pending steps; the release of the instance discards it.
    func notify(_ notification: @escaping () -> Void) {
        steps.append(.notify(notification))
        process()
    }

    /// Discards all steps, and returns the completions of calls that have no operation.
    func stop() -> [() -> Void] { steps.removeAll() }

    /// Releases the event source; afterwards any thread may release the scheduler.
    func release() {
        steps.isWaitingForIteration = false
        iterations = nil
    }

    private func process() {
        let depth = MainContext.dispatchDepth
        let outer = steps.processingDepth
        // A callback that runs a nested loop is still on the stack, and the steps of that loop must not
        // wait for it.
        if let outer, depth <= outer { return }
        if iterations == nil { iterations = makeIterations() }
        steps.processingDepth = depth
        handlers?.willProcess()
        if let performer { performSteps(with: performer) }
        if !steps.isEmpty { steps.isWaitingForIteration = true }
        steps.processingDepth = outer
        finishProcessing()
    }

    private func performSteps(with performer: any StepPerformer) {
        while !steps.isWaitingForIteration, let step = steps.popNext(upTo: lastEndableID) {
            switch step {
            case .perform(let action): performer.perform(action)
            case .finished(let id, let error): performer.finish(id, error)
            case .complete(_, let completion), .notify(let completion): completion()
            }
        }
    }

    private func finishProcessing() {
        handlers?.didProcess()
        if !steps.isWaitingForIteration { lastEndableID = lastID }
    }

    private func makeIterations() -> EventSource {
        EventSource(
            SourceCallbacks(
                prepare: { [steps] in steps.isReady },
                check: { [steps] in steps.isReady },
                dispatch: { [weak self] in self?.iterationStarted() }
            ),
            on: context,
            canRecurse: true
        )
    }

    private func iterationStarted() {
        steps.isWaitingForIteration = false
        lastEndableID = lastID
        process()
    }
}
