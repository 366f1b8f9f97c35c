/// The behaviour of a scripted characteristic when read, written or subscribed to.
public enum ScriptedBehavior: Swift.Sendable {
    /// Stores a value: reads return it, writes replace it.
    case value([UInt8])
    /// Stores a value, and sends each written value to the subscribers.
    case echoes([UInt8])
    /// Refuses with an error code of the Attribute Protocol (Core Specification, Vol 3, Part F, 3.4.1.1).
    /// 0x05 and 0x0F stand for the error after a refused pairing.
    case refuses(UInt8)
    /// Accepts writes of one of these values and refuses others with a code; reads are refused.
    case accepts([[UInt8]], otherwise: UInt8)
    /// Never answers; after 30 s the link breaks.
    case neverReplies
    /// Disconnects instead of answering.
    case disconnects
    /// Returns the value after this delay in seconds.
    case repliesLate([UInt8], afterSeconds: Double)
    /// Sends these values in a cycle while subscribed, one every `everySeconds`.
    case sends([[UInt8]], everySeconds: Double)
    /// Stores a value: reads return it, writes replace it. The timed values are sent once to the subscribers,
    /// and again from the start after all have unsubscribed and one subscribes again. Without a value, reads
    /// are refused with 0x02, and writes are accepted.
    case replays([TimedValue], holding: [UInt8]?)
    /// Reads return the result of the closure, which runs on the simulator's thread.
    case computes(@Sendable () -> [UInt8])
    /// Writes call the closure on the simulator's thread: `nil` accepts the value, a code refuses it.
    case decides(@Sendable ([UInt8]) -> UInt8?)
}

/// A value with the time when it is sent.
public struct TimedValue: Hashable, Swift.Sendable {
    /// The simulated time since the first subscription.
    public var time: Duration
    /// The value to send.
    public var value: [UInt8]

    /// Creates a timed value; a value whose time has passed is sent immediately.
    public init(at time: Duration, _ value: [UInt8]) {
        self.time = time
        self.value = value
    }
}
