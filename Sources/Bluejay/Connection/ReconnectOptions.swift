internal import BluejayCore

/// How often and how soon a connection that was lost unexpectedly is made again.
///
/// The first attempt comes at once, the second after ``firstDelay``, and each later one after twice the
/// delay before it, up to ``longestDelay``. Attempts in a row that fail count against ``limit``; a
/// connection starts anew. While Bluetooth is off nothing is tried and nothing counts.
public struct ReconnectOptions: Hashable, Swift.Sendable {
    /// The number of attempts in a row; nil is without limit, 0 is no attempt at all.
    public var limit: Int?

    /// The pause before the second attempt.
    public var firstDelay: Duration

    /// The longest pause between two attempts.
    public var longestDelay: Duration

    /// Makes a set of options.
    public init(
        limit: Int? = nil,
        firstDelay: Duration = .seconds(1),
        longestDelay: Duration = .seconds(60)
    ) {
        self.limit = limit
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
    }

    /// The pause after a number of failed attempts in a row.
    func delay(after failures: Int) -> Duration {
        BackOff(first: firstDelay, longest: longestDelay).pause(after: failures)
    }
}
