internal import CBluejay
internal import DequeModule

/// The work posted to a context that has not started.
///
/// One source of the context runs all work, in the order of posting. A context in an iteration finds the
/// work by itself. A sleeping one is woken, with one system call for all work posted until it wakes.
@safe final class PostedWork: Swift.Sendable {
    typealias Work = @Sendable () -> Void

    private let queue = WorkQueue()
    private let source: WorkSource

    /// - Parameter context: A valid `GMainContext`, which the source retains.
    init(on context: OpaquePointer) {
        let queue = queue
        let handlers = SourceCallbacks(
            prepare: { queue.prepare() },
            check: { queue.check() },
            dispatch: { queue.run() }
        )
        unsafe source = WorkSource(context, EventSource(handlers, on: context, canRecurse: true))
    }

    deinit {
        // Another owner may keep running the context: the pending work still runs, then removes the source.
        guard !queue.isEmpty else { return }
        _ = queue.add { EventSource.destroyCurrent() }
        source.source.detach()
    }

    var isEmpty: Bool { queue.isEmpty }

    /// Moves the source after a new source of the context: posted work runs last in an iteration.
    func moveToBack() { source.source.moveToBack() }

    /// Posts `work` for a later iteration; any thread may call this method.
    func add(_ work: @escaping Work) {
        if queue.add(work) { unsafe bluejay_context_wake(source.context) }
    }
}

// Any thread may wake the context; the source is used where the context is current, and by its last owner:
// that invariant justifies `@unchecked`.
@safe private final class WorkSource: @unchecked Swift.Sendable {
    let context: OpaquePointer
    let source: EventSource

    init(_ context: OpaquePointer, _ source: EventSource) {
        unsafe self.context = unsafe context
        self.source = source
    }
}

// The state is used inside `withState` only: that invariant justifies `@unchecked`.
private final class WorkQueue: @unchecked Swift.Sendable {
    private struct State {
        var pending: Deque<PostedWork.Work> = []
        /// The number of pieces of work started so far.
        var startedCount = 0
        /// The longest queue since it was last empty.
        var peakCount = 0
        /// Whether the context may be asleep and needs a wake-up.
        var isAsleep = false
    }

    private let lock = ConditionLock()
    private var state = State()

    private func withState<Value>(_ body: (inout State) -> Value) -> Value {
        lock.withLock { body(&state) }
    }

    var isEmpty: Bool { withState { $0.pending.isEmpty } }

    /// Adds work; returns whether the context must be woken.
    func add(_ work: @escaping PostedWork.Work) -> Bool {
        withState { state in
            state.pending.append(work)
            state.peakCount = max(state.peakCount, state.pending.count)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
    }

    /// Called before the context sleeps; returns whether work waits.
    func prepare() -> Bool {
        withState { state in
            state.isAsleep = state.pending.isEmpty
            return !state.isAsleep
        }
    }

    /// Called after the sleep; returns whether work waits.
    func check() -> Bool {
        withState { state in
            state.isAsleep = false
            return !state.pending.isEmpty
        }
    }

    /// Runs the pending work.
    ///
    /// Work posted meanwhile waits for the next iteration; a loop inside a piece of work runs the remaining
    /// ones.
    func run() {
        let end = withState { $0.startedCount + $0.pending.count }
        while let work = popFirst(before: end) { work() }
    }

    private func popFirst(before end: Int) -> PostedWork.Work? {
        withState { state in
            guard state.startedCount < end, let work = state.pending.popFirst() else { return nil }
            state.startedCount += 1
            if state.pending.isEmpty {
                // Release the memory of a burst.
                if state.peakCount > 1024 { state.pending = [] }
                state.peakCount = 0
            }
            return work
        }
    }
}
