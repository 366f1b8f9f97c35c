extension MainLoop {
    /// Whether the calling thread is another one than the loop's; on the loop it notes that it is used.
    ///
    /// A call of an object of the loop is made at once on the loop. Elsewhere it is posted, so that the
    /// calls of each thread are made in their order.
    package var isElsewhere: Bool {
        guard isCurrent else { return true }
        noteUse()
        return false
    }

    /// Makes a call: at once on the loop, else in one of its next turns.
    package func make(_ call: @escaping () -> Void) {
        if isElsewhere { relay(call) } else { call() }
    }

    /// Posts a call of another thread, with what it hands to the loop.
    package func relay(_ call: @escaping () -> Void) {
        let call = Confined(call)
        post { call.value() }
    }

    /// Makes a call and returns its result; another thread waits for the loop, behind its earlier calls.
    ///
    /// The call is given up if the loop has not begun it within the limit, as when a callback waits for the
    /// calling thread, or nobody runs the loop.
    ///
    /// - Parameters:
    ///   - limit: In the time of the machine.
    ///   - call: Made at most once.
    /// - Returns: Nil when the call was given up.
    package func result<Value>(
        within limit: Duration = .seconds(3),
        of call: @escaping () -> Value
    ) -> Value? {
        guard isElsewhere else { return call() }
        let call = Confined(call)
        noteUse()
        return context.wait(within: limit) { resume in resume(call.value()) }
    }
}

/// A property of an object of a loop that any thread reads and sets.
///
/// A thread reads what was set last; the loop has each value in the order of the calls of the thread that set
/// it. Of two threads the one that set it last wins.
// `value` and `number` are used under the lock, and the rest on the loop: the invariant behind `@unchecked`.
package final class LoopProperty<Value>: @unchecked Swift.Sendable {
    private let lock = ConditionLock()
    private var value: Value
    private var number = 0
    private var appliedNumber = 0

    /// The value on the loop.
    package private(set) var applied: Value

    /// Makes one with a first value.
    package init(_ value: Value) {
        self.value = value
        applied = value
    }

    /// The value that was set last, by any thread.
    package var latest: Value { lock.locked { value } }

    /// Sets the value, from any thread.
    ///
    /// - Parameters:
    ///   - value: Handed to the loop.
    ///   - loop: The loop of the object.
    ///   - changed: Called on the loop with the value.
    package func set(
        _ value: Value,
        on loop: MainLoop,
        changed: @escaping (Value) -> Void = { _ in }
    ) {
        let number = store(value)
        loop.make { [self] in
            guard number > appliedNumber else { return }
            appliedNumber = number
            applied = value
            changed(value)
        }
    }

    /// Sets the value on the loop, unless another thread has set one meanwhile.
    ///
    /// - Returns: The value before.
    @discardableResult
    package func replace(with value: Value) -> Value {
        let former = applied
        applied = value
        var held = value
        lock.locked {
            if number == appliedNumber { swap(&self.value, &held) }
        }
        return former
    }

    // The old value is released behind the lock: what it holds may come back here.
    private func store(_ new: Value) -> Int {
        var held = new
        return lock.locked {
            swap(&value, &held)
            number += 1
            return number
        }
    }
}
