/// Pauses between attempts that fail: each is twice the one before, up to a longest.
public struct BackOff: Hashable, Swift.Sendable {
    /// The pause after the first failure.
    public var first: Duration

    /// The longest pause.
    public var longest: Duration

    /// Makes a series of pauses.
    public init(first: Duration = .seconds(1), longest: Duration = .seconds(60)) {
        self.first = first
        self.longest = longest
    }

    /// The pause after a number of failures in a row; none without a failure.
    public func pause(after failures: Int) -> Duration {
        guard failures > 0, first > .zero else { return .zero }
        var pause = first
        // Doubling ends at the longest, so that a million failures take no longer than twenty.
        for _ in 1..<failures {
            guard pause < longest else { break }
            pause *= 2
        }
        return min(pause, longest)
    }
}
