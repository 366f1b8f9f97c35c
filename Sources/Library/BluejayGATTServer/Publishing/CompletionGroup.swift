/// Calls a closure once when every awaited completion has been called.
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

    /// Ends the set-up phase: no further completions are added.
    func start() {
        step()
    }

    private func step() {
        remaining -= 1
        if remaining == 0 { onZero() }
    }
}
