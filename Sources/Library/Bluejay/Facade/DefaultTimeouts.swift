internal import BluejayCore

/// The limits of calls that do not name one: those with ``Timeout/standard``, which is what every call has
/// when nothing else is written.
///
/// ```swift
/// bluejay.defaultTimeouts = DefaultTimeouts(connect: .seconds(30), characteristics: .seconds(10))
/// ```
///
/// Both are without limit at first, as on iOS. Connecting again has ``ReconnectOptions/attemptTimeout``, a
/// scan its `duration`, a flush and an assembly the time that they are called with.
public struct DefaultTimeouts: Hashable, Swift.Sendable {
    /// Of `connect`, from its turn in the queue.
    public var connect: Timeout

    /// Of each read, write, set-up and end of a listen, from its turn in the queue.
    public var characteristics: Timeout

    /// Makes a set of limits.
    public init(connect: Timeout = .none, characteristics: Timeout = .none) {
        self.connect = connect
        self.characteristics = characteristics
    }

    /// The limit that is meant for a call.
    func duration(_ timeout: Timeout, for call: @autoclosure () -> BluejayError.Call) -> Duration? {
        guard timeout == .standard else { return timeout.duration }
        guard connect != characteristics else { return connect.duration }
        return (call() == .connect ? connect : characteristics).duration
    }
}
