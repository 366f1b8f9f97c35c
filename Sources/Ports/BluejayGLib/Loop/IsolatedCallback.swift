/// A callback, and the actor that its closure is isolated to.
///
/// A closure that a class of the main actor or an actor forms belongs to that actor, and may use its state. The
/// loop therefore calls it there: at once if the loop's thread is the actor's, otherwise later, in order.
package struct IsolatedCallback<Value> {
    private let actor: (any Actor)?
    private let body: (Value) -> Void

    package init(_ callback: @escaping @isolated(any) (Value) -> Void) {
        actor = callback.isolation
        // `call` respects the isolation, which the type of the closure does not show from here on.
        body = unsafe unsafeBitCast(callback, to: ((Value) -> Void).self)
    }

    /// Calls the closure for an object on `context`; on the context only.
    package func call(_ value: Value, from context: MainContext) {
        context.perform(in: actor) { body(value) }
    }
}

/// A callback that returns an answer, and the actor that its closure is isolated to.
package struct IsolatedHandler<Value, Answer> {
    private let context: MainContext
    private let actor: (any Actor)?
    private let body: (Value) -> Answer

    package init(
        on context: MainContext,
        _ callback: @escaping @isolated(any) (Value) -> Answer
    ) {
        self.context = context
        actor = context.foreign(callback.isolation)
        body = unsafe unsafeBitCast(callback, to: ((Value) -> Answer).self)
    }

    package init<First, Second>(
        on context: MainContext,
        _ callback: @escaping @isolated(any) (First, Second) -> Answer
    ) where Value == (First, Second) {
        self.context = context
        actor = context.foreign(callback.isolation)
        let body = unsafe unsafeBitCast(callback, to: ((First, Second) -> Answer).self)
        self.body = { body($0.0, $0.1) }
    }

    /// Returns the answer at once, or nil if `ask(_:_:)` must wait for the actor; on the context only.
    package func answer(_ value: Value) -> Answer? {
        guard let actor, !context.isIsolated(to: actor) else { return body(value) }
        return nil
    }

    /// Runs `work` in the isolation of the closure; on the context only.
    package func perform(_ work: @escaping () -> Void) {
        context.perform(in: actor, work)
    }

    /// Asks on the actor, later.
    ///
    /// - Parameters:
    ///   - value: The question.
    ///   - isWanted: Called on the actor before the question; false discards the question.
    ///   - receive: Called on the actor with the answer.
    package func ask(
        _ value: Value,
        isWanted: @escaping () -> Bool = { true },
        _ receive: @escaping (Answer) -> Void
    ) {
        context.perform(in: actor) {
            if isWanted() { receive(body(value)) }
        }
    }
}

extension MainContext {
    /// Returns a closure for this context that calls `callback` in the isolation of its closure.
    @inline(__always)
    package func callback<Value>(_ callback: @escaping @isolated(any) (Value) -> Void)
        -> (Value) -> Void
    {
        let actor = callback.isolation
        let body = unsafe unsafeBitCast(callback, to: ((Value) -> Void).self)
        guard let actor = foreign(actor) else { return body }
        return { [self] value in perform(in: actor) { body(value) } }
    }

    package func callback(_ callback: @escaping @isolated(any) () -> Void) -> () -> Void {
        let actor = callback.isolation
        let body = unsafe unsafeBitCast(callback, to: (() -> Void).self)
        guard let actor = foreign(actor) else { return body }
        return { [self] in perform(in: actor, body) }
    }

    package func callback<First, Second>(
        _ callback: @escaping @isolated(any) (First, Second) -> Void
    ) -> (First, Second) -> Void {
        let actor = callback.isolation
        let body = unsafe unsafeBitCast(callback, to: ((First, Second) -> Void).self)
        guard let actor = foreign(actor) else { return body }
        return { [self] first, second in perform(in: actor) { body(first, second) } }
    }

    package func callback<First, Second, Third>(
        _ callback: @escaping @isolated(any) (First, Second, Third) -> Void
    ) -> (First, Second, Third) -> Void {
        let actor = callback.isolation
        let body = unsafe unsafeBitCast(callback, to: ((First, Second, Third) -> Void).self)
        guard let actor = foreign(actor) else { return body }
        return { [self] first, second, third in
            perform(in: actor) { body(first, second, third) }
        }
    }

    /// Runs `work` in the isolation of `actor`: at once if the calling thread is isolated to it, or without an
    /// actor; otherwise later, after the earlier work for the actor.
    package func perform(in actor: (any Actor)?, _ work: @escaping () -> Void) {
        guard let actor, !isIsolated(to: actor) else { return work() }
        callbackQueues.add(work, for: actor, on: self)
    }

    /// Whether the thread of the context is isolated to `actor`; on the context only.
    package func isIsolated(to actor: (any Actor)?) -> Bool {
        guard let actor = foreign(actor) else { return true }
        return actor === MainActor.shared && NamedThread.isMain
    }

    /// Returns `actor` unless its executor is a loop of this context.
    fileprivate func foreign(_ actor: (any Actor)?) -> (any Actor)? {
        guard let actor, actor !== MainActor.shared else { return actor }
        // The first word of a reference to an executor is the executor.
        let executor = unsafe unsafeBitCast(actor.unownedExecutor, to: (UInt, UInt).self)
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: executor.0) else { return actor }
        let object = unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
        return (object as? MainLoop)?.context === self ? nil : actor
    }
}

/// The callbacks of a context that wait for their actors; used on the context only.
final class CallbackQueues {
    private var queues: [ObjectIdentifier: CallbackQueue] = [:]

    func add(_ work: @escaping () -> Void, for actor: any Actor, on context: MainContext) {
        let id = ObjectIdentifier(actor)
        let queue = queues[id] ?? CallbackQueue(actor, on: context)
        queues[id] = queue
        queue.add(work)
    }

    /// Forgets a queue, and its actor, unless work was added meanwhile.
    fileprivate func drained(_ queue: CallbackQueue, of actor: any Actor) {
        let id = ObjectIdentifier(actor)
        if queue.isIdle, queues[id] === queue { queues[id] = nil }
    }
}

/// Callbacks on their way from a context to an actor, in order.
// The lock protects the state, and each callback runs on the actor only: that invariant justifies `@unchecked`.
private final class CallbackQueue: @unchecked Swift.Sendable {
    /// An actor runs this many callbacks before other work gets a turn.
    private static let batchSize = 64

    private let actor: any Actor
    private let context: MainContext
    /// Stops a virtual clock until the callbacks have run; nil with the system clock.
    private let hold: ClockHold?
    private let lock = ConditionLock()
    private var waiting: [() -> Void] = []
    private var isDraining = false

    init(_ actor: any Actor, on context: MainContext) {
        self.actor = actor
        self.context = context
        hold = ClockHold(on: context)
    }

    var isIdle: Bool { lock.withLock { !isDraining } }

    func add(_ work: @escaping () -> Void) {
        hold?.startWork()
        let starts = lock.withLock {
            waiting.append(work)
            defer { isDraining = true }
            return !isDraining
        }
        if starts { startDraining() }
    }

    private func startDraining() {
        Task { [actor] in await drain(in: actor) }
    }

    private func drain(in actor: isolated any Actor) {
        let batch = lock.withLock {
            let count = min(waiting.count, Self.batchSize)
            defer { waiting.removeFirst(count) }
            return Array(waiting.prefix(count))
        }
        for work in batch {
            work()
            hold?.endWork()
        }
        let isDone = lock.withLock {
            isDraining = !waiting.isEmpty
            return !isDraining
        }
        guard isDone else { return startDraining() }
        context.post { [self] in context.callbackQueues.drained(self, of: self.actor) }
    }
}
