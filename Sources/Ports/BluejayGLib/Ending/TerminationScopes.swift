internal import CBluejay
internal import Glibc

/// The open scopes of the program, which a signal closes before it ends the program.
///
/// While a scope is open, SIGINT and SIGTERM do not end the program at once, unless the program handles or
/// ignores them. They cancel the tasks of all scopes. When these have closed, or after a tenth of a second, the loops
/// of the scopes close what is still open. When the scopes have closed, or after another second, the signal has its
/// default effect. A further signal has it at once.
// All state is used under the lock: that invariant justifies `@unchecked`.
@safe final class TerminationScopes: @unchecked Swift.Sendable {
    static let shared = TerminationScopes()

    /// The limits, in microseconds: for cancelled scopes before and after their loops have closed, and for loops
    /// beyond the limit of their shutdown hooks.
    private static let graceTime: Int64 = 100_000
    private static let closingTime: Int64 = 1_000_000
    private static let shutdownTime: Int64 = 6_000_000

    // A task is used between the opening and the closing of its scope, while it runs.
    @safe private struct Scope {
        let task: UnsafeCurrentTask
        let loop: MainLoop
        /// Whether another scope waits for this one.
        let isNested: Bool
    }

    private let lock = ConditionLock()
    private var scopes: [Int: Scope] = [:]
    private var lastID = 0
    private var signals: TerminationSignals?
    private var isEnding = false
    /// The number of loops that have not closed what was open on them.
    private var closingLoopCount = 0

    /// Opens a scope of the current task, for the resources of a loop.
    func open(on loop: MainLoop, isNested: Bool) -> Int? {
        unsafe withUnsafeCurrentTask { task in
            guard let task = unsafe task else { return nil }
            return lock.withLock {
                if scopes.isEmpty, !isEnding { followSignals() }
                lastID += 1
                scopes[lastID] = unsafe Scope(task: task, loop: loop, isNested: isNested)
                if isEnding { unsafe task.cancel() }
                return lastID
            }
        }
    }

    /// Removes a scope, whose resources are closed.
    ///
    /// - Returns: Whether the task may continue. Otherwise a signal is about to end the program.
    func close(_ id: Int) -> Bool {
        lock.withLock {
            let scope = scopes.removeValue(forKey: id)
            lock.broadcast()
            if scopes.isEmpty, !isEnding { signals = nil }
            return !isEnding || scope?.isNested ?? true
        }
    }

    private func followSignals() {
        signals = TerminationSignals(
            MainLoop.terminationSignals,
            of: MainLoop.background.context
        ) { [weak self] in
            self?.received($0)
        }
    }

    private func received(_ signal: Int32) {
        NamedThread.start("ending") { [self] in
            for loop in cancelTasks() { close(loop) }
            wait(Self.shutdownTime) { closingLoopCount == 0 }
            waitForScopes(Self.closingTime)
            Self.flushOutput()
            bluejay_end_by_signal(signal)
        }
    }

    /// Writes what `print` has buffered, unless its reader is slow.
    private static func flushOutput() {
        let isFlushed = OneShotEvent()
        NamedThread.start("flushing") {
            fflush(nil)
            isFlushed.signal()
        }
        _ = isFlushed.wait(within: .seconds(1))
    }

    /// Cancels the tasks of the scopes and waits for them.
    ///
    /// - Returns: The loops of all scopes that were open.
    private func cancelTasks() -> [MainLoop] {
        let loops = lock.withLock {
            isEnding = true
            // A cancelled task may run code of the program, but none that opens or closes a scope.
            for scope in scopes.values { unsafe scope.task.cancel() }
            return scopes.values.map(\.loop)
        }
        waitForScopes(Self.graceTime)
        let unique = Dictionary(loops.map { (ObjectIdentifier($0.context), $0) }) { first, _ in
            first
        }
        return Array(unique.values)
    }

    /// Closes what is open on a loop, which may have ended.
    private func close(_ loop: MainLoop) {
        lock.withLock { closingLoopCount += 1 }
        loop.context.closeResources { [self] in
            lock.withLock {
                closingLoopCount -= 1
                lock.broadcast()
            }
        }
    }

    private func waitForScopes(_ limit: Int64) {
        wait(limit) { !scopes.values.contains { !$0.isNested } }
    }

    private func wait(_ limit: Int64, until isMet: () -> Bool) {
        let deadline = bluejay_monotonic_time() + limit
        lock.withLock {
            while !isMet(), lock.wait(until: deadline) {}
        }
    }
}
