/// Permission to run on a private bus; its release passes it to the longest waiter.
///
/// All tests of the package start at once. Without a limit, each of several hundred would start a
/// `dbus-daemon` in the same second, and operations that take milliseconds would take ten seconds.
package final class Turn: Swift.Sendable {
    /// Waits until fewer than eight others hold a turn.
    package static func take() async -> Turn {
        await Turns.shared.take()
        return Turn()
    }

    private init() {}

    deinit {
        Task { await Turns.shared.giveBack() }
    }
}

private actor Turns {
    static let shared = Turns()

    private var free = 8
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
        guard free == 0 else {
            free -= 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func giveBack() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
