/// A timer in a clock's heap, until it fires or, if cancelled, reaches the top.
///
/// Timers fire by instant; those of one instant in the order of their creation.
final class PendingTimer<Instant: Comparable>: Comparable {
    let instant: Instant
    let number: Int
    private var action: (() -> Void)?

    init(_ instant: Instant, _ number: Int, _ action: @escaping () -> Void) {
        self.instant = instant
        self.number = number
        self.action = action
    }

    var isConsumed: Bool { action == nil }

    /// Returns the action at the first call, then nil.
    func consume() -> (() -> Void)? {
        let consumed = action
        action = nil
        return consumed
    }

    static func < (first: PendingTimer, second: PendingTimer) -> Bool {
        (first.instant, first.number) < (second.instant, second.number)
    }

    static func == (first: PendingTimer, second: PendingTimer) -> Bool {
        first === second
    }
}
