/// Permission to run on a private bus; its release passes it to the longest waiter.
///
/// All tests of the package start at once. Without a limit, each of several hundred would start a
/// `dbus-daemon` in the same second, and operations that take milliseconds would take ten seconds.
package final class BusSlot: Swift.Sendable {
    /// Waits until fewer than eight others hold a slot.
    package static func acquire() async -> BusSlot {
        await BusSlotPool.shared.acquire()
        return BusSlot()
    }

    private init() {}

    deinit {
        Task { await BusSlotPool.shared.release() }
    }
}

private actor BusSlotPool {
    static let shared = BusSlotPool()

    private var free = 8
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func acquire() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiters.append($0) }
    }

    func release() {
        if waiters.isEmpty {
            free += 1
        } else {
            waiters.removeFirst().resume()
        }
    }
}
