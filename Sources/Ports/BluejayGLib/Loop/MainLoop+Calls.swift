extension MainLoop {
    /// Whether the calling thread is not the loop's; on the loop, it records the use.
    ///
    /// A call of an object runs at once on the loop. Elsewhere it is posted, which keeps each thread's
    /// calls in order.
    package var isElsewhere: Bool {
        guard isCurrent else { return true }
        warnIfNotRun()
        return false
    }

    /// Makes a call: at once on the loop, otherwise on a later iteration.
    package func callOrPost(_ call: @escaping () -> Void) {
        if isElsewhere { relay(call) } else { call() }
    }

    package func relay(_ call: @escaping () -> Void) {
        let call = UncheckedTransfer(call)
        post { call.value() }
    }

    /// Makes a call and returns its result; another thread waits until its earlier calls and this one have
    /// run.
    ///
    /// The call is cancelled if the loop has not started it within the time limit, for example because a
    /// callback waits for the calling thread, or no thread runs the loop.
    ///
    /// - Parameters:
    ///   - timeout: The time limit, in the machine's time.
    ///   - call: Called at most once.
    /// - Returns: The result, or nil if the call was cancelled.
    package func result<Value>(
        within timeout: Duration = .seconds(3),
        of call: @escaping () -> Value
    ) -> Value? {
        guard isElsewhere else { return call() }
        let call = UncheckedTransfer(call)
        warnIfNotRun()
        return context.wait(within: timeout) { resume in resume(call.value()) }
    }
}

/// A property of an object on a loop, which any thread may read and set.
///
/// A thread reads the latest value; the loop receives each thread's values in order. If two threads set the
/// property, the later one wins.
// `value` and `version` are used under the lock, the rest on the loop: that invariant justifies
// `@unchecked`.
package final class LoopProperty<Value>: @unchecked Swift.Sendable {
    private let lock = ConditionLock()
    private var value: Value
    private var version = 0
    private var appliedVersion = 0

    /// The value on the loop.
    package private(set) var applied: Value

    package init(_ value: Value) {
        self.value = value
        applied = value
    }

    package var latest: Value { lock.withLock { value } }

    /// Sets the value, from any thread.
    ///
    /// - Parameters:
    ///   - value: The new value.
    ///   - loop: The loop of the object.
    ///   - changed: Called on the loop with the value.
    package func set(
        _ value: Value,
        on loop: MainLoop,
        changed: @escaping (Value) -> Void = { _ in }
    ) {
        let version = store(value)
        loop.callOrPost { [self] in
            guard version > appliedVersion else { return }
            appliedVersion = version
            applied = value
            changed(value)
        }
    }

    /// Sets the value on the loop, unless another thread has set one meanwhile.
    ///
    /// - Returns: The former value.
    @discardableResult
    package func replace(with value: Value) -> Value {
        let former = applied
        applied = value
        var held = value
        lock.withLock {
            if version == appliedVersion { swap(&self.value, &held) }
        }
        return former
    }

    // The old value is released outside the lock: its deinit may call this object.
    private func store(_ new: Value) -> Int {
        var held = new
        return lock.withLock {
            swap(&value, &held)
            version += 1
            return version
        }
    }
}

/// An object that is created and used on one loop.
// The object is used on the loop only: that invariant justifies `@unchecked`.
package final class LoopConfined<Object: AnyObject>: @unchecked Swift.Sendable {
    package let loop: MainLoop
    private lazy var object = create()
    private let create: () -> Object

    /// Creates the object on the loop: at once there, otherwise in its next iteration.
    package init(_ loop: MainLoop, create: @escaping () -> Object) {
        self.loop = loop
        self.create = create
        perform { _ in }
    }

    /// Calls `call` on the loop: at once there, otherwise after the earlier calls of the thread.
    package func perform(_ call: @escaping (Object) -> Void) {
        loop.callOrPost { [self] in call(object) }
    }

    /// Calls `call` on the loop and returns its result; `nil` if the loop does not respond within 3 s.
    package func result<Value>(_ call: @escaping (Object) -> Value) -> Value? {
        loop.result { [self] in call(object) }
    }
}

/// Carries a value to the context that it is confined to.
// No thread uses the value on the way: that invariant justifies `@unchecked`.
package struct UncheckedTransfer<Value>: @unchecked Swift.Sendable {
    package let value: Value
    package init(_ value: Value) { self.value = value }
}
