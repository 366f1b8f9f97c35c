internal import BluejayCore

/// The time limits of calls with ``Timeout/standard``, the default of every call.
///
/// ```swift
/// bluejay.defaultTimeouts = DefaultTimeouts(
///     connect: .seconds(30),
///     characteristics: .seconds(10)
/// )
/// ```
///
/// Initially both are unlimited, as on iOS. Reconnection uses ``ReconnectOptions/attemptTimeout``, a scan its
/// `duration`, and a flush or an assembly its own time limit.
public struct DefaultTimeouts: Hashable, Swift.Sendable {
    /// The limit of `connect`, counted from its turn in the queue.
    public var connect: Timeout

    /// The limit of each read and write, and of the set-up and end of a listen, counted from its turn in the
    /// queue.
    public var characteristics: Timeout

    /// Creates a set of limits.
    public init(connect: Timeout = .none, characteristics: Timeout = .none) {
        self.connect = connect
        self.characteristics = characteristics
    }

    func duration(_ timeout: Timeout, for call: @autoclosure () -> BluejayError.Call) -> Duration? {
        guard timeout == .standard else { return timeout.duration }
        guard connect != characteristics else { return connect.duration }
        return (call() == .connect ? connect : characteristics).duration
    }
}
