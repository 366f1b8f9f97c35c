/// Pauses between failing attempts: each is twice the previous one, up to a maximum.
public struct BackOff: Hashable, Swift.Sendable {
    /// The pause after the first failure.
    public var first: Duration

    /// The longest pause.
    public var longest: Duration

    /// Creates a series of pauses.
    public init(first: Duration = .seconds(1), longest: Duration = .seconds(60)) {
        self.first = first
        self.longest = longest
    }

    /// Returns the pause after a number of consecutive failures; zero without a failure.
    public func pause(after failures: Int) -> Duration {
        guard failures > 0, first > .zero else { return .zero }
        var pause = first
        // Doubling stops at the longest pause, so a million failures take no more steps than twenty.
        for _ in 1..<failures {
            guard pause < longest else { break }
            pause *= 2
        }
        return min(pause, longest)
    }
}
