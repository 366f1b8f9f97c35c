/// The receiving end of a stream: limits the number of elements in flight.
///
/// A pure value. Both ends start with a credit of ``window`` elements. A credit is the total number of
/// elements that the peer may send, so a repeated credit has no effect. The numbers wrap around.
struct StreamReceiver: Equatable {
    enum Verdict: Equatable {
        case deliver
        /// The element was received before, or the stream has ended.
        case ignore
        /// An element is missing, or the peer exceeded its credit. The stream has ended.
        case fail
    }

    /// The largest number of elements between the producer and the consumer.
    static let window: UInt32 = 32

    private var next: UInt32
    private var consumed: UInt32
    private(set) var credit: UInt32
    private(set) var isEnded = false

    /// - Parameter first: The number of the first element.
    init(first: UInt32 = 0) {
        next = first
        consumed = first
        credit = first &+ Self.window
    }

    mutating func received(_ number: UInt32) -> Verdict {
        let distance = Int32(bitPattern: number &- next)
        guard !isEnded, distance >= 0 else { return .ignore }
        guard distance == 0, next != credit else {
            isEnded = true
            return .fail
        }
        next &+= 1
        return .deliver
    }

    /// The consumer has received an element.
    ///
    /// - Returns: The credit for the peer, after each half of the window.
    mutating func elementConsumed() -> UInt32? {
        guard consumed != next else { return nil }
        consumed &+= 1
        guard !isEnded, credit &- consumed <= Self.window / 2 else { return nil }
        credit = consumed &+ Self.window
        return credit
    }

    /// The peer has ended the stream, or the consumer has stopped.
    mutating func end() {
        isEnded = true
    }
}

/// The sending end of a stream: decides when to request an element from the producer.
///
/// A pure value.
struct StreamSender: Equatable {
    private enum State: Equatable {
        /// Followed by `pulling` or `ended`.
        case idle
        /// An element was requested from the producer. Followed by `idle` or `ended`.
        case pulling
        case ended
    }

    private var state = State.idle
    private var next: UInt32
    private var credit: UInt32

    /// - Parameter first: The number of the first element.
    init(first: UInt32 = 0) {
        next = first
        credit = first &+ StreamReceiver.window
    }

    var isEnded: Bool { state == .ended }

    /// Asks for an element if the credit allows it and none is under way.
    ///
    /// - Returns: Whether to request an element now.
    mutating func pull() -> Bool {
        guard state == .idle, next != credit else { return false }
        state = .pulling
        return true
    }

    /// The producer has returned an element.
    ///
    /// - Returns: The number of the element, or `nil` if the stream has ended in the meantime.
    mutating func pulled() -> UInt32? {
        guard state == .pulling else { return nil }
        state = .idle
        defer { next &+= 1 }
        return next
    }

    /// The peer has sent a credit.
    ///
    /// A credit beyond the window is reduced to it; a lower one than before has no effect.
    mutating func granted(_ total: UInt32) {
        let distance = min(total &- next, StreamReceiver.window)
        guard Int32(bitPattern: total &- credit) > 0 else { return }
        credit = next &+ distance
    }

    /// Grants a whole window.
    mutating func refill() {
        credit = next &+ StreamReceiver.window
    }

    /// The producer has ended, or the peer has cancelled the stream.
    ///
    /// - Returns: Whether the stream had not ended before.
    mutating func end() -> Bool {
        defer { state = .ended }
        return state != .ended
    }
}
