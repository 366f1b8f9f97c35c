/// The right to play on a bus of one's own; released, it goes to who waits longest.
///
/// All tests of the package begin at once, and each of hundreds would start a `dbus-daemon` in the same
/// second: what is meant to take a moment takes ten seconds then.
package final class Turn: Swift.Sendable {
    /// Waits until fewer than eight others play.
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
