/// Calls a closure once when every awaited completion has been called.
final class CompletionGroup {
    private var remaining = 1
    private let onZero: () -> Void

    init(_ onZero: @escaping () -> Void) {
        self.onZero = onZero
    }

    func enter(_ work: (@escaping () -> Void) -> Void) {
        remaining += 1
        work { self.leave() }
    }

    /// Ends the set-up phase: no further completions are added.
    func start() {
        leave()
    }

    private func leave() {
        remaining -= 1
        if remaining == 0 { onZero() }
    }
}
