import BluejayStreams
import Dispatch
import Foundation

/// Writes to standard output and standard error, in order, on its own thread.
///
/// A reader that reads nothing blocks only that thread: signals and time limits still work.
@MainActor
final class OutputQueue {
    /// ``waitForRoom()`` waits until fewer bytes than this are pending.
    private static let capacity = 65_536
    /// The bytes of one write, so that ``drain(untilStalledFor:)`` detects the progress of a long output.
    private static let chunk = 16_384

    private let queue = DispatchQueue(label: "output")
    private let onEnd: @MainActor (WriteError) -> Void
    private var pending = 0
    private var isClosed = false
    private var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    private var lastWaiter = 0
    /// Resumed after each write, and at the time limit of ``drain(untilStalledFor:)``.
    private var drainer: CheckedContinuation<Void, Never>?

    /// - Parameter onEnd: Called once, with the first error of standard output.
    init(onEnd: @escaping @MainActor (WriteError) -> Void) {
        self.onEnd = onEnd
    }

    /// Whether so many bytes are pending that a writer should wait for ``waitForRoom()``.
    var isFull: Bool { pending >= Self.capacity }

    /// Appends bytes for standard output; after an error they are discarded.
    func write(_ data: Data) {
        guard !isClosed else { return }
        append(data) { part in
            do throws(WriteError) {
                try StandardStreams.write(part, to: STDOUT_FILENO)
                return nil
            } catch {
                return error
            }
        }
    }

    func writeError(_ data: Data) {
        append(data) { part in
            try? StandardStreams.write(part, to: STDERR_FILENO)
            return nil
        }
    }

    private func append(_ data: Data, _ write: @escaping @Sendable (Data) -> WriteError?) {
        var rest = data[...]
        while !rest.isEmpty {
            let part = Data(rest.prefix(Self.chunk))
            rest = rest.dropFirst(Self.chunk)
            pending += part.count
            queue.async { [self] in
                let error = write(part)
                DispatchQueue.main.async {
                    MainActor.assumeIsolated { self.wrote(part.count, error) }
                }
            }
        }
    }

    private func wrote(_ count: Int, _ error: WriteError?) {
        pending -= count
        if let error, !isClosed {
            isClosed = true
            onEnd(error)
        }
        if !isFull {
            let ready = waiters.values
            waiters = [:]
            for waiter in ready { waiter.resume() }
        }
        wakeDrainer()
    }

    /// Waits until there is room for more, or the task is cancelled.
    func waitForRoom() async {
        guard isFull else { return }
        lastWaiter += 1
        let number = lastWaiter
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume()
                } else {
                    waiters[number] = continuation
                }
            }
        } onCancel: {
            Task { @MainActor in self.waiters.removeValue(forKey: number)?.resume() }
        }
    }

    /// Waits until everything is written.
    ///
    /// - Parameter timeout: The longest time without progress before the rest is discarded; `nil` is unlimited.
    func drain(untilStalledFor timeout: DispatchTimeInterval?) async {
        while pending > 0 {
            let before = pending
            if let timeout {
                DispatchQueue.main.asyncAfter(deadline: .now() + timeout) {
                    MainActor.assumeIsolated { self.stalled(at: before) }
                }
            }
            await withCheckedContinuation { drainer = $0 }
            if pending == before { return }
        }
    }

    private func stalled(at pending: Int) {
        if self.pending == pending { wakeDrainer() }
    }

    private func wakeDrainer() {
        drainer?.resume()
        drainer = nil
    }
}
