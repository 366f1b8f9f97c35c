internal import BluejayGLib

/// Performs steps in order, one at a time, and ends calls outside of the call itself.
///
/// A callback that calls back in appends steps, which are performed in their turn: nothing recurses, and the
/// state is settled before any callback runs.
///
/// Steps are performed at once, but the calls of this iteration of the main loop end in a later iteration. A
/// rejection therefore never comes inside the call, rejections and ends keep the order of the calls, and a
/// completion that repeats its call does not block the loop.
final class StepScheduler {
    /// The owner of the queue and of the published state.
    struct Handlers {
        /// Performs an action of the queue.
        let perform: (QueueStateMachine.Action) -> Void
        /// Receives the deferred end of an operation.
        let finish: (QueueStateMachine.ID, BluejayError?) -> Void
        /// Precedes the first of some steps.
        let willProcess: () -> Void
        /// Follows the last of some steps, and each call that has none.
        let didSettle: () -> Void
    }

    /// Set once, by the maker.
    var handlers: Handlers?

    /// The identifier of the last call.
    private(set) var lastID = 0
    private let context: MainContext
    private let steps = StepQueue()
    /// The depth of nested loops in which steps are being performed; nil when they are not.
    private var processingDepth: Int?
    /// The last call that may end in this iteration.
    private var lastSettled = 0
    private var isWaitingForIteration = false
    /// Continues in the next iteration of the loop, or of a loop inside a callback.
    private var iterations: EventSource?

    init(context: MainContext) {
        self.context = context
    }

    /// Makes the identifier of a new call.
    func makeID() -> QueueStateMachine.ID {
        lastID += 1
        return lastID
    }

    /// Whether a call may end in this iteration.
    func mayEnd(_ id: QueueStateMachine.ID) -> Bool { id <= lastSettled }

    /// Performs actions of the queue after the steps that wait.
    func perform(_ actions: [QueueStateMachine.Action]) {
        // Most calls wait for their turn: there is nothing to do for them.
        if actions.isEmpty, processingDepth == nil { return settle() }
        if !actions.isEmpty { steps.append(actions) }
        process()
    }

    /// Defers the end of an operation to a later iteration.
    func finish(_ id: QueueStateMachine.ID, _ error: BluejayError?) {
        steps.append(.finished(id, error))
        process()
    }

    /// Completes a call that never became an operation, in a later iteration.
    func completeOnNextIteration(_ completion: @escaping () -> Void) {
        steps.append(.answer(makeID(), completion))
        process()
    }

    /// Fails calls in this iteration, or when the instance is released.
    func fail(_ calls: [(BluejayError) -> Void], _ error: BluejayError) {
        // No call has the identifier 0: the steps wait for no iteration.
        for fail in calls { steps.append(.answer(0) { fail(error) }) }
        process()
    }

    /// Appends a notification to the steps that wait; the release of the instance discards it.
    func notify(_ notification: @escaping () -> Void) {
        steps.append(.tell(notification))
        process()
    }

    /// Discards all steps.
    ///
    /// - Returns: The completions of calls that never became operations.
    func stop() -> [() -> Void] { steps.removeAll() }

    /// Releases the event source; afterwards any thread may release the scheduler.
    func release() {
        isWaitingForIteration = false
        iterations = nil
    }

    private func process() {
        let depth = MainContext.depth
        let outer = processingDepth
        // A callback that runs a nested loop is still on the stack, and the steps of that loop must not
        // wait for it.
        if let outer, depth <= outer { return }
        if iterations == nil { iterations = makeIterations() }
        processingDepth = depth
        handlers?.willProcess()
        while !isWaitingForIteration, let step = steps.next(upTo: lastSettled) { perform(step) }
        if !steps.isEmpty { isWaitingForIteration = true }
        processingDepth = outer
        settle()
    }

    private func perform(_ step: StepQueue.Step) {
        switch step {
        case .perform(let action): handlers?.perform(action)
        case .finished(let id, let error): handlers?.finish(id, error)
        case .answer(_, let completion), .tell(let completion): completion()
        }
    }

    private func settle() {
        handlers?.didSettle()
        if !isWaitingForIteration { lastSettled = lastID }
    }

    private func makeIterations() -> EventSource {
        EventSource(
            SourceCallbacks(
                prepare: { [weak self] in self?.hasSteps ?? false },
                check: { [weak self] in self?.hasSteps ?? false },
                dispatch: { [weak self] in self?.iterationStarted() }
            ),
            on: context,
            canRecurse: true
        )
    }

    // If the loop iterates while steps are being performed, a callback runs a nested loop.
    private var hasSteps: Bool {
        !steps.isEmpty && (isWaitingForIteration || processingDepth != nil)
    }

    private func iterationStarted() {
        isWaitingForIteration = false
        lastSettled = lastID
        process()
    }
}
