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
        // Another owner may keep running the context: the waiting work still runs, then removes the source.
        guard !queue.isEmpty else { return }
        _ = queue.add { EventSource.endCurrent() }
        source.source.leave()
    }

    var isEmpty: Bool { queue.isEmpty }

    /// Moves the source after a new source of the context: posted work runs last in an iteration.
    func fallBehind() { source.source.fallBehind() }

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

// The state is used inside `locked` only: that invariant justifies `@unchecked`.
private final class WorkQueue: @unchecked Swift.Sendable {
    private struct State {
        var waiting: Deque<PostedWork.Work> = []
        /// The number of pieces of work started so far.
        var begun = 0
        /// The longest queue since it was last empty.
        var peak = 0
        /// Whether the context may be asleep and needs a wake-up.
        var isAsleep = false
    }

    private let lock = ConditionLock()
    private var state = State()

    private func locked<Value>(_ body: (inout State) -> Value) -> Value {
        lock.locked { body(&state) }
    }

    var isEmpty: Bool { locked { $0.waiting.isEmpty } }

    /// Adds work; returns whether the context must be woken.
    func add(_ work: @escaping PostedWork.Work) -> Bool {
        locked { state in
            state.waiting.append(work)
            state.peak = max(state.peak, state.waiting.count)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
    }

    /// Called before the context sleeps; returns whether work waits.
    func prepare() -> Bool {
        locked { state in
            state.isAsleep = state.waiting.isEmpty
            return !state.isAsleep
        }
    }

    /// Called after the sleep; returns whether work waits.
    func check() -> Bool {
        locked { state in
            state.isAsleep = false
            return !state.waiting.isEmpty
        }
    }

    /// Runs the waiting work.
    ///
    /// Work posted meanwhile waits for the next iteration; a loop inside a piece of work runs the remaining
    /// ones.
    func run() {
        let end = locked { $0.begun + $0.waiting.count }
        while let work = take(before: end) { work() }
    }

    private func take(before end: Int) -> PostedWork.Work? {
        locked { state in
            guard state.begun < end, let work = state.waiting.popFirst() else { return nil }
            state.begun += 1
            if state.waiting.isEmpty {
                // Release the memory of a burst.
                if state.peak > 1024 { state.waiting = [] }
                state.peak = 0
            }
            return work
        }
    }
}
