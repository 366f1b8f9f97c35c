public import FoundationEssentials

/// The time limit of an operation.
///
/// An integer literal works, too: `15` is `.seconds(15)`. 0 means no limit in either form.
public enum Timeout: Hashable, Swift.Sendable {
    /// A limit in seconds, including fractions.
    ///
    /// 0 and infinity mean no limit. A negative number other than ``standard``, or NaN, times out
    /// immediately.
    case seconds(TimeInterval)
    /// No limit.
    case none

    /// The limit configured for all such calls, or no limit if none is configured.
    ///
    /// It is not a separate case, so that a `switch` over the two cases of the iOS library is
    /// exhaustive. Its value is the lowest finite number of seconds.
    public static var standard: Timeout { .seconds(-.greatestFiniteMagnitude) }

    /// The maximum limit, about thirty years, which fits every clock and timer.
    private static let maximumInterval: TimeInterval = 1_000_000_000

    /// The limit as a duration, or `nil` for no limit.
    package var duration: Duration? {
        guard case .seconds(let seconds) = self, seconds != 0, seconds != .infinity,
            self != .standard
        else {
            return nil
        }
        // A comparison with NaN is false, so NaN becomes 0.
        return .seconds(seconds > 0 ? min(seconds, Self.maximumInterval) : 0)
    }
}

extension Timeout: ExpressibleByIntegerLiteral {
    /// Creates a limit of whole seconds, or no limit for `0`.
    public init(integerLiteral value: Int) {
        self = value == 0 ? .none : .seconds(TimeInterval(value))
    }
}
