internal import Synchronization

/// The calls of one callback that wait for its actor, limited where others decide how often it is called.
// Everything but `remove` is used on the context only: the invariant behind `@unchecked`.
package final class WaitingCalls: @unchecked Swift.Sendable {
    private let limit: Int
    private let count = Atomic(0)
    private var isFull = false
    private var hasOverflowed = false

    package init(limit: Int) {
        self.limit = limit
    }

    /// Whether a further call may wait: false from `limit` calls on, until half of them have run.
    var hasRoom: Bool {
        let count = count.load(ordering: .acquiring)
        isFull = isFull ? count > limit / 2 : count >= limit
        return !isFull
    }

    /// Counts a call, unless there is no room.
    ///
    /// - Parameter onOverflow: Called for the first of several calls without room.
    /// - Returns: Whether there was room.
    package func add(onOverflow: () -> Void = {}) -> Bool {
        guard hasRoom else {
            if !hasOverflowed { onOverflow() }
            hasOverflowed = true
            return false
        }
        hasOverflowed = false
        addAlways()
        return true
    }

    func addAlways() {
        count.add(1, ordering: .acquiringAndReleasing)
    }

    /// Counts a call that has run, on any thread; returns true if there is room again.
    @discardableResult
    package func remove() -> Bool {
        count.subtract(1, ordering: .acquiringAndReleasing).newValue == limit / 2
    }
}

/// A callback whose caller pauses while too many calls wait for the actor of the closure.
// Everything but the closure is used on the context only, and the closure in its isolation: the invariant behind
// `@unchecked`.
package final class PacedCallback<Value>: @unchecked Swift.Sendable {
    /// Called on the context when there is room again.
    package var onRoom: (() -> Void)?

    private let context: MainContext
    private let actor: (any Actor)?
    private let body: (Value) -> Void
    private let waiting: WaitingCalls

    /// - Parameters:
    ///   - context: The context of the caller.
    ///   - limit: The number of waiting calls from which the caller pauses.
    ///   - callback: The closure.
    package init(
        on context: MainContext,
        limit: Int,
        _ callback: @escaping @isolated(any) (Value) -> Void
    ) {
        self.context = context
        actor = context.foreign(callback.isolation)
        body = unsafe unsafeBitCast(callback, to: ((Value) -> Void).self)
        waiting = WaitingCalls(limit: limit)
    }

    /// Whether fewer than `limit` calls wait.
    package var hasRoom: Bool { waiting.hasRoom }

    /// Calls the closure, at once on the loop or later on an actor.
    package func call(_ value: Value) {
        guard context.isElsewhere(actor) else { return body(value) }
        waiting.addAlways()
        context.perform(in: actor) { [self] in
            body(value)
            if waiting.remove() { context.post { [self] in onRoom?() } }
        }
    }
}

extension MainContext {
    /// Returns a closure for this context that calls `callback` in the isolation of its closure.
    ///
    /// - Parameters:
    ///   - limit: The number of calls that may wait for an actor. Further values are discarded until half of
    ///     the calls have run.
    ///   - callback: The callback.
    ///   - overflow: Returns the value that takes the place of the discarded ones.
    /// - Returns: The closure.
    // Inlined, as the form without a limit is.
    @inlinable @inline(__always)
    package func callback<Value>(
        limit: Int,
        _ callback: @escaping @isolated(any) (Value) -> Void,
        overflow: @escaping () -> Value
    ) -> (Value) -> Void {
        let body = IsolatedClosure(callback).withoutIsolation
        guard let actor = callback.isolation else { return body }
        return calling(body, in: actor, limit: limit, overflow: overflow)
    }

    @usableFromInline
    package func calling<Value>(
        _ body: @escaping (Value) -> Void,
        in actor: any Actor,
        limit: Int,
        overflow: @escaping () -> Value
    ) -> (Value) -> Void {
        guard let actor = foreign(actor) else { return body }
        let waiting = WaitingCalls(limit: limit)
        return { [self] value in
            guard isElsewhere(actor) else { return body(value) }
            let isAdded = waiting.add {
                let gap = overflow()
                perform(in: actor) { body(gap) }
            }
            guard isAdded else { return }
            perform(in: actor) {
                waiting.remove()
                body(value)
            }
        }
    }

    /// Returns a closure for this context that calls `callback` in the isolation of its closure.
    ///
    /// - Parameters:
    ///   - waiting: Counts the calls that wait for an actor.
    ///   - callback: The callback.
    ///   - isWanted: Called on the actor before a call; false omits the call.
    ///   - reject: Receives the values for which there is no room.
    /// - Returns: The closure.
    package func callback<Value>(
        limitedBy waiting: WaitingCalls,
        _ callback: @escaping @isolated(any) (Value) -> Void,
        isWanted: @escaping (Value) -> Bool,
        reject: @escaping (Value) -> Void
    ) -> (Value) -> Void {
        let body = unsafe unsafeBitCast(callback, to: ((Value) -> Void).self)
        guard let actor = foreign(callback.isolation) else { return body }
        return { [self] value in
            guard isElsewhere(actor) else { return body(value) }
            guard waiting.add() else { return reject(value) }
            perform(in: actor) {
                waiting.remove()
                if isWanted(value) { body(value) }
            }
        }
    }
}
