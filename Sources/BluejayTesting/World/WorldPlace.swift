/// The right to have a world; released, it goes to the test that waits longest.
///
/// Swift Testing begins all tests at once, and each of hundreds would start a bus in the same second.
final class WorldPlace: Swift.Sendable {
    /// Waits until fewer than eight others have one.
    static func take() async -> WorldPlace {
        await Places.shared.take()
        return WorldPlace()
    }

    private init() {}

    deinit {
        Task { await Places.shared.giveBack() }
    }
}

private actor Places {
    static let shared = Places()

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
        guard waiting.isEmpty else { return waiting.removeFirst().resume() }
        free += 1
    }
}
