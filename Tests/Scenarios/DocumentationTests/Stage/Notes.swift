import Synchronization

/// A thread-safe record of the output and actions of the document's code.
final class Notes: Swift.Sendable {
    private struct Waiter: Swift.Sendable {
        let id: Int
        let beginning: String
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var lines: [String] = []
        var waiters: [Waiter] = []
        var nextID = 0
        var cancelled: Set<Int> = []

        func count(_ beginning: String) -> Int {
            lines.count { $0.hasPrefix(beginning) }
        }
    }

    private let state = Mutex(State())

    var lines: [String] { state.withLock { $0.lines } }

    /// Adds a line; replaces `debugPrint` in the blocks.
    func write(_ line: String) {
        let ready = state.withLock { state in
            state.lines.append(line)
            let ready = state.waiters.filter { state.count($0.beginning) >= $0.count }
            state.waiters.removeAll { waiter in ready.contains { $0.id == waiter.id } }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Waits for `count` lines that start with `beginning`.
    ///
    /// Also returns when the test is cancelled.
    func wait(for beginning: String, count: Int = 1) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.count(beginning) < count, !state.cancelled.contains(id) else {
                        return true
                    }
                    state.waiters.append(
                        Waiter(
                            id: id,
                            beginning: beginning,
                            count: count,
                            continuation: continuation
                        )
                    )
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                state.cancelled.insert(id)
                guard let place = state.waiters.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                return state.waiters.remove(at: place)
            }
            waiter?.continuation.resume()
        }
    }
}
