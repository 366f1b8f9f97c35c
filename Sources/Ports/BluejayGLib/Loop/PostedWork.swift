internal import CBluejay
internal import DequeModule

/// What was posted to a context and has not begun.
///
/// One source of the context does all of it, in the order of the posts. A context that is in a turn finds
/// the work by itself; only one that sleeps is woken, with one system call for all that comes until it
/// does.
@safe final class PostedWork: Swift.Sendable {
    typealias Work = @Sendable () -> Void

    private let queue = WorkQueue()
    private let source: WorkSource

    /// - Parameter context: A valid `GMainContext`, which the source keeps.
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
        // Somebody else may go on with the context: what waits is done, and takes the source away.
        guard !queue.isEmpty else { return }
        _ = queue.add { EventSource.endCurrent() }
        source.source.leave()
    }

    /// Whether nothing waits that was posted before.
    var isEmpty: Bool { queue.isEmpty }

    /// Puts it behind a source that has come to the context: in one turn what was posted is the last.
    func fallBehind() { source.source.fallBehind() }

    /// Has `work` done in one of the next turns; any thread may call it.
    func add(_ work: @escaping Work) {
        if queue.add(work) { unsafe bluejay_context_wake(source.context) }
    }
}

/// A source and the context that it is on.
// The context may be woken from any thread, and the source is used where the context is current, and by its
// last owner: that is the invariant behind `@unchecked`.
@safe private final class WorkSource: @unchecked Swift.Sendable {
    let context: OpaquePointer
    let source: EventSource

    init(_ context: OpaquePointer, _ source: EventSource) {
        unsafe self.context = unsafe context
        self.source = source
    }
}

// The state is touched inside `locked` only: the invariant behind `@unchecked`.
private final class WorkQueue: @unchecked Swift.Sendable {
    private struct State {
        var waiting: Deque<PostedWork.Work> = []
        /// How much was begun since the beginning.
        var begun = 0
        /// The longest that it was since it was empty.
        var peak = 0
        /// Whether the context may sleep until it is woken.
        var isAsleep = false
    }

    private let lock = ConditionLock()
    private var state = State()

    private func locked<Value>(_ body: (inout State) -> Value) -> Value {
        lock.locked { body(&state) }
    }

    var isEmpty: Bool { locked { $0.waiting.isEmpty } }

    /// Whether the context has to be woken.
    func add(_ work: @escaping PostedWork.Work) -> Bool {
        locked { state in
            state.waiting.append(work)
            state.peak = max(state.peak, state.waiting.count)
            defer { state.isAsleep = false }
            return state.isAsleep
        }
    }

    /// The context is about to sleep.
    func prepare() -> Bool {
        locked { state in
            state.isAsleep = state.waiting.isEmpty
            return !state.isAsleep
        }
    }

    /// The context has slept.
    func check() -> Bool {
        locked { state in
            state.isAsleep = false
            return !state.waiting.isEmpty
        }
    }

    /// Does what waits now.
    ///
    /// What is posted meanwhile waits for the next turn; a loop inside a work goes on with the rest.
    func run() {
        let end = locked { $0.begun + $0.waiting.count }
        while let work = take(before: end) { work() }
    }

    private func take(before end: Int) -> PostedWork.Work? {
        locked { state in
            guard state.begun < end, let work = state.waiting.popFirst() else { return nil }
            state.begun += 1
            if state.waiting.isEmpty {
                // What a burst has taken is given back.
                if state.peak > 1024 { state.waiting = [] }
                state.peak = 0
            }
            return work
        }
    }
}
