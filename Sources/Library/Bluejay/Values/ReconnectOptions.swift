internal import BluejayCore

/// The number and timing of reconnection attempts after an unexpected loss of the connection.
///
/// The first attempt starts at once, the second ``initialDelay`` after the first has failed. Each later delay
/// is twice the previous one, up to ``maximumDelay``: by default 1, 2, 4, 8, 16, 32, 60, 60 … seconds. An
/// attempt times out after ``attemptTimeout``, regardless of the limit of the original connection. Observers
/// and the ``DisconnectHandler`` are notified of each attempt.
///
/// Consecutive failed attempts count against ``maximumAttempts``. A reestablished link that drops within
/// 5 seconds counts as a failed attempt; after 5 seconds, delays and ``maximumAttempts`` start over. While
/// Bluetooth is off, attempts are neither made nor counted.
///
/// Other calls take precedence: a `scan` or a background task cancels a running attempt. The attempt is not
/// counted, and starts again when the queue is idle. A `connect` or a `disconnect` ends reconnection.
public struct ReconnectOptions: Hashable, Swift.Sendable {
    /// The number of consecutive attempts; `nil` means unlimited, 0 disables reconnection.
    public var maximumAttempts: Int?

    /// The delay before the second attempt, at least 5 ms.
    public var initialDelay: Duration

    /// The longest delay between two attempts, at least 5 ms.
    public var maximumDelay: Duration

    /// The time limit of one attempt, at least 100 ms.
    public var attemptTimeout: Duration

    /// Creates a set of options.
    public init(
        maximumAttempts: Int? = nil,
        initialDelay: Duration = .seconds(1),
        maximumDelay: Duration = .seconds(60),
        attemptTimeout: Duration = .seconds(20)
    ) {
        self.maximumAttempts = maximumAttempts
        self.initialDelay = initialDelay
        self.maximumDelay = maximumDelay
        self.attemptTimeout = attemptTimeout
    }

    /// Returns the delay after a number of consecutive failed attempts.
    func delay(after failures: Int) -> Duration {
        guard failures > 0 else { return .zero }
        let backoff = Backoff(initialDelay: initialDelay, maximumDelay: maximumDelay)
        // Attempts that fail at once must not occupy the processor.
        return max(backoff.delay(afterFailures: failures), .milliseconds(5))
    }

    /// The limit of an attempt, which a time of zero does not remove.
    var boundedAttemptTimeout: Timeout {
        .seconds(max(attemptTimeout, .milliseconds(100)) / .seconds(1))
    }
}
