/// A timer in a clock's heap, until it fires or, cancelled, comes to the top.
///
/// They fire by instant, and those of one instant in the order in which they were made.
final class PendingTimer<Instant: Comparable>: Comparable {
    let instant: Instant
    let number: Int
    private var action: (() -> Void)?

    init(_ instant: Instant, _ number: Int, _ action: @escaping () -> Void) {
        self.instant = instant
        self.number = number
        self.action = action
    }

    /// Whether it has fired or was cancelled.
    var isTaken: Bool { action == nil }

    /// The action, once.
    func take() -> (() -> Void)? {
        let taken = action
        action = nil
        return taken
    }

    static func < (first: PendingTimer, second: PendingTimer) -> Bool {
        (first.instant, first.number) < (second.instant, second.number)
    }

    static func == (first: PendingTimer, second: PendingTimer) -> Bool {
        first === second
    }
}
