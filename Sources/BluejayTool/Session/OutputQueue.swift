import Dispatch
import Foundation
import Synchronization

/// Writes to standard output and standard error, in order, on a thread of its own.
///
/// A reader that reads nothing blocks only that thread: signals and time limits still work.
final class OutputQueue: Sendable {
    fileprivate struct State {
        var pending = 0
        var isClosed = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
    }

    /// ``room()`` waits until fewer bytes than this are pending.
    private static let capacity = 65_536
    /// One write, so that ``drain(untilStalledFor:)`` sees the progress of a long output.
    private static let chunk = 16_384

    private let queue = DispatchQueue(label: "output")
    private let state = Mutex(State())
    private let onClosed: @Sendable () -> Void

    /// - Parameter onClosed: Called once, on the main queue, when standard output is closed by its reader.
    init(onClosed: @escaping @MainActor @Sendable () -> Void) {
        self.onClosed = { DispatchQueue.main.async { MainActor.assumeIsolated { onClosed() } } }
    }

    /// Whether so many bytes are pending that the next ones should wait for ``room()``.
    var isFull: Bool { state.withLock { $0.pending >= Self.capacity } }

    /// Appends bytes for standard output; after its end they are discarded.
    func write(_ data: Data) {
        append(data) { [self] part in
            guard !state.withLock({ $0.isClosed }) else { return }
            do {
                try FileHandle.standardOutput.write(contentsOf: part)
            } catch {
                state.withLock { $0.isClosed = true }
                onClosed()
            }
        }
    }

    /// Appends bytes for standard error.
    func writeError(_ data: Data) {
        append(data) { try? FileHandle.standardError.write(contentsOf: $0) }
    }

    private func append(_ data: Data, _ write: @escaping @Sendable (Data) -> Void) {
        var rest = data[...]
        while !rest.isEmpty {
            let part = Data(rest.prefix(Self.chunk))
            rest = rest.dropFirst(Self.chunk)
            state.withLock { $0.pending += part.count }
            queue.async { [self] in
                write(part)
                let ready = state.withLock { $0.wrote(part.count, capacity: Self.capacity) }
                for waiter in ready { waiter.resume() }
            }
        }
    }

    /// Waits until there is room for more, or the task is cancelled.
    func room() async {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard state.pending >= Self.capacity, !Task.isCancelled else { return false }
                    state.waiters[number] = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    /// Waits until everything is written.
    ///
    /// - Parameter limit: Without progress for this long the rest is given up; nil is never.
    func drain(untilStalledFor limit: DispatchTimeInterval?) async {
        let isWritten = Once()
        queue.async { isWritten.resume() }
        guard let limit else { return await isWritten.wait() }
        var before = Int.max
        var now = state.withLock { $0.pending }
        while !isWritten.isResumed, now < before {
            let turn = Once()
            queue.async { turn.resume() }
            DispatchQueue.global().asyncAfter(deadline: .now() + limit) { turn.resume() }
            await turn.wait()
            (before, now) = (now, state.withLock { $0.pending })
        }
    }
}

extension OutputQueue.State {
    /// Counts bytes as written; returns the callers of `room()` that may go on.
    fileprivate mutating func wrote(
        _ count: Int,
        capacity: Int
    ) -> [CheckedContinuation<Void, Never>] {
        pending -= count
        guard pending < capacity else { return [] }
        defer { waiters = [:] }
        return Array(waiters.values)
    }
}

/// An event that happens once and that one task waits for.
private final class Once: Sendable {
    private struct State {
        var isResumed = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    var isResumed: Bool { state.withLock { $0.isResumed } }

    func resume() {
        state.withLock { state in
            state.isResumed = true
            defer { state.waiter = nil }
            return state.waiter
        }?.resume()
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isResumed { state.waiter = continuation }
                return state.isResumed
            }
            if isOver { continuation.resume() }
        }
    }
}
