/// A callback with the type of its isolation.
///
/// A structure holds a closure as it is, so a cast of the structure costs nothing. A cast of the closure itself,
/// which is then a generic argument, wraps it in two further closures.
@usableFromInline
package struct IsolatedClosure<Value> {
    @usableFromInline let body: @isolated(any) (Value) -> Void

    @inlinable @inline(__always)
    package init(_ body: @escaping @isolated(any) (Value) -> Void) {
        self.body = body
    }

    /// The callback without the type of its isolation, which its caller must respect.
    @inlinable @inline(__always)
    package var withoutIsolation: (Value) -> Void {
        unsafe unsafeBitCast(self, to: PlainClosure<Value>.self).body
    }
}

@usableFromInline
package struct PlainClosure<Value> {
    @usableFromInline let body: (Value) -> Void
}

/// The isolation of the code that registered an observer, which owns the observer's state.
///
/// Held weakly, because an actor may register itself.
package struct ObserverIsolation {
    private weak var actor: (any Actor)?
    private let isIsolated: Bool
    private let waiting = WaitingCalls(limit: 4_096)

    package init(_ actor: (any Actor)?) {
        self.actor = actor
        isIsolated = actor != nil
    }

    /// Runs `call` in this isolation: at once on the loop's thread, otherwise later.
    ///
    /// Without its actor, an observer receives nothing more.
    package func perform(on context: MainContext, _ call: @escaping () -> Void) {
        guard isIsolated else { return call() }
        if let actor { context.perform(in: actor, call) }
    }

    /// Runs `call` in this isolation, unless 4,096 such calls wait there.
    ///
    /// - Parameters:
    ///   - context: The context of the caller.
    ///   - call: The call.
    ///   - onOverflow: Called for the first of several calls without room.
    package func performLimited(
        on context: MainContext,
        _ call: @escaping () -> Void,
        onOverflow: () -> Void
    ) {
        guard isElsewhere(on: context) else { return perform(on: context, call) }
        guard waiting.add(onOverflow: onOverflow) else { return }
        perform(on: context) { [waiting] in
            waiting.remove()
            call()
        }
    }

    /// Whether an actor has this isolation that the calling thread has not; on the loop only.
    package func isElsewhere(on context: MainContext) -> Bool {
        context.isElsewhere(actor)
    }
}

extension MainContext {
    /// Returns a closure for this context that calls `callback` in the isolation of its closure.
    ///
    /// A closure that a class of the main actor or an actor forms belongs to that actor, and may use its state.
    /// The loop therefore calls it there: at once if the loop's thread is the actor's, otherwise later, in order.
    // Inlined, so that a callback without an actor needs neither the context nor the metadata of `Value`.
    @inlinable @inline(__always)
    package func callback<Value>(_ callback: @escaping @isolated(any) (Value) -> Void)
        -> (Value) -> Void
    {
        let body = IsolatedClosure(callback).withoutIsolation
        guard let actor = callback.isolation else { return body }
        return calling(body, in: actor)
    }

    @usableFromInline
    package func calling<Value>(
        _ body: @escaping (Value) -> Void,
        in actor: any Actor
    ) -> (Value) -> Void {
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

    /// Returns a callback without the type of its isolation, and the actor in whose isolation the caller must
    /// call it; nil if the context may call it at once.
    package func parts<Value, Answer>(
        of callback: @escaping @isolated(any) (Value) -> Answer
    ) -> (actor: (any Actor)?, body: (Value) -> Answer) {
        let body = unsafe unsafeBitCast(callback, to: ((Value) -> Answer).self)
        return (foreign(callback.isolation), body)
    }

    package func parts<First, Second, Answer>(
        of callback: @escaping @isolated(any) (First, Second) -> Answer
    ) -> (actor: (any Actor)?, body: (First, Second) -> Answer) {
        let body = unsafe unsafeBitCast(callback, to: ((First, Second) -> Answer).self)
        return (foreign(callback.isolation), body)
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

    /// Whether a callback of `actor` waits for it; on the context only.
    func isElsewhere(_ actor: (any Actor)?) -> Bool {
        actor.map { !isIsolated(to: $0) } ?? false
    }

    /// Returns `actor` unless its executor is a loop of this context.
    func foreign(_ actor: (any Actor)?) -> (any Actor)? {
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
