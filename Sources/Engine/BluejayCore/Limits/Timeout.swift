public import FoundationEssentials

/// How long something may take.
///
/// An integer literal works too: `15` is `.seconds(15)`. 0 is no limit, written either way.
public enum Timeout: Hashable, Swift.Sendable {
    /// A limit in seconds; fractions count.
    ///
    /// 0 and infinity are no limit; a negative number or one that is not a number ends at once, but
    /// for ``standard``.
    case seconds(TimeInterval)
    /// No limit.
    case none

    /// The limit that is set for all such calls; none when nothing is set.
    ///
    /// It is no case of its own, so that a `switch` over the two of the iOS library is whole: it is the
    /// lowest finite number of seconds.
    public static var standard: Timeout { .seconds(-.greatestFiniteMagnitude) }

    /// The longest limit there is, about thirty years: it fits every clock and timer.
    private static let longest: TimeInterval = 1_000_000_000

    /// The limit as a duration, or `nil` for no limit.
    package var duration: Duration? {
        guard case .seconds(let seconds) = self, seconds != 0, seconds != .infinity,
            self != .standard
        else {
            return nil
        }
        // A comparison with NaN is false, which makes it 0.
        return .seconds(seconds > 0 ? min(seconds, Self.longest) : 0)
    }
}

extension Timeout: ExpressibleByIntegerLiteral {
    /// Makes a limit of whole seconds, or no limit from `0`.
    public init(integerLiteral value: Int) {
        self = value == 0 ? .none : .seconds(TimeInterval(value))
    }
}
