internal import BluejayCore

/// How often and how soon a connection that was lost unexpectedly is made again.
///
/// The first attempt comes at once, the second ``firstDelay`` after the first has failed, and each later
/// one after twice the delay before it, up to ``longestDelay``: with the defaults at once, then after 1,
/// 2, 4, 8, 16, 32, 60, 60 … seconds. An attempt fails after ``attemptTimeout``, whatever time limit the
/// connection itself was made with; the observers and the ``DisconnectHandler`` hear of each. Attempts in a
/// row that fail count against ``limit``. A link that was made again and drops within 5 seconds counts as a failed
/// attempt; once it has lasted for 5 seconds, pauses and ``limit`` start anew. While Bluetooth is off nothing is
/// tried and nothing counts.
///
/// Whatever is called meanwhile goes before: a `scan` or a background task does not wait for an attempt,
/// which is taken back without being counted and made when nothing else is to be done. A `connect` or a
/// `disconnect` ends the attempts.
public struct ReconnectOptions: Hashable, Swift.Sendable {
    /// The number of attempts in a row; nil is without limit, 0 is no attempt at all.
    public var limit: Int?

    /// The pause before the second attempt.
    public var firstDelay: Duration

    /// The longest pause between two attempts.
    public var longestDelay: Duration

    /// How long one attempt may take.
    public var attemptTimeout: Duration

    /// Makes a set of options.
    public init(
        limit: Int? = nil,
        firstDelay: Duration = .seconds(1),
        longestDelay: Duration = .seconds(60),
        attemptTimeout: Duration = .seconds(20)
    ) {
        self.limit = limit
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
        self.attemptTimeout = attemptTimeout
    }

    /// The pause after a number of failed attempts in a row.
    func delay(after failures: Int) -> Duration {
        BackOff(first: firstDelay, longest: longestDelay).pause(after: failures)
    }
}
