/// Calls back once when everything that it waits for is done.
final class CompletionGroup {
    private var remaining = 1
    private let onZero: () -> Void

    init(_ onZero: @escaping () -> Void) {
        self.onZero = onZero
    }

    func await(_ begin: (@escaping () -> Void) -> Void) {
        remaining += 1
        begin { self.step() }
    }

    /// Ends the preparation.
    func start() {
        step()
    }

    private func step() {
        remaining -= 1
        if remaining == 0 { onZero() }
    }
}
