/// Pauses between failing attempts: each is twice the previous one, up to a maximum.
public struct Backoff: Hashable, Swift.Sendable {
    /// The pause after the first failure.
    public var initialDelay: Duration

    /// The longest pause.
    public var maximumDelay: Duration

    /// Creates a series of pauses.
    public init(initialDelay: Duration = .seconds(1), maximumDelay: Duration = .seconds(60)) {
        self.initialDelay = initialDelay
        self.maximumDelay = maximumDelay
    }

    /// Returns the pause after a number of consecutive failures; zero without a failure.
    public func delay(afterFailures failures: Int) -> Duration {
        guard failures > 0, initialDelay > .zero else { return .zero }
        var pause = initialDelay
        // Doubling stops at the longest pause, so a million failures take no more steps than twenty.
        for _ in 1..<failures {
            guard pause < maximumDelay else { break }
            pause *= 2
        }
        return min(pause, maximumDelay)
    }
}
