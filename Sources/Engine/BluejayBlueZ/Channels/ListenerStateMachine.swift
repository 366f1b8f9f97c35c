/// Runs a listener: it listens while Bluetooth is usable, always on the first PSM that it received.
///
/// Invariant: exactly one `opened` or `openFailed` follows `open`, and one `ended` follows `opened`.
struct ListenerStateMachine<Adapter: Equatable>: Equatable {
    enum Action: Equatable {
        /// Listen, then report `listened` or `failed`.
        case listen(Adapter, psm: UInt16)
        /// Stop listening, or cancel the attempt.
        case stop
        case opened(psm: UInt16)
        case openFailed(ChannelFailure)
        /// Nil if the user closed the listener.
        case ended(ChannelFailure?)
    }

    private enum State: Equatable {
        /// Next: `waitingForAdapter`, `starting`, `closed`.
        case idle
        /// No adapter is usable. Next: `starting`, `closed`.
        case waitingForAdapter
        /// Next: `listening`, `waitingForAdapter`, `closed`.
        case starting(Adapter)
        /// Next: `waitingForAdapter`, `starting`, `closed`.
        case listening(Adapter)
        /// Next: none.
        case closed
    }

    private var state = State.idle
    private var psm: UInt16
    private var isOpened = false

    init(psm: UInt16) {
        self.psm = psm
    }

    var isIdle: Bool { state == .idle }
    var isClosed: Bool { state == .closed }

    mutating func open(_ adapter: Adapter?, isAvailabilityKnown: Bool) -> [Action] {
        guard state == .idle else { return [] }
        state = .waitingForAdapter
        return changed(adapter, isAvailabilityKnown: isAvailabilityKnown)
    }

    /// The usable adapter has changed; `isAvailabilityKnown` is false while the state of Bluetooth is
    /// unknown.
    mutating func changed(_ adapter: Adapter?, isAvailabilityKnown: Bool) -> [Action] {
        switch state {
        case .idle, .closed: return []
        case .starting(adapter), .listening(adapter): return []
        case .starting, .listening:
            state = .waitingForAdapter
            return [.stop] + changed(adapter, isAvailabilityKnown: isAvailabilityKnown)
        case .waitingForAdapter:
            if let adapter {
                state = .starting(adapter)
                return [.listen(adapter, psm: psm)]
            }
            return isAvailabilityKnown && !isOpened ? end(.unavailable) : []
        }
    }

    mutating func listened(on psm: UInt16) -> [Action] {
        guard case .starting(let adapter) = state else { return [.stop] }
        state = .listening(adapter)
        self.psm = psm
        guard !isOpened else { return [] }
        isOpened = true
        return [.opened(psm: psm)]
    }

    mutating func failed(_ failure: ChannelFailure) -> [Action] {
        guard case .starting = state else { return [] }
        if case .link = failure, isOpened {
            // Bluetooth has just become unavailable; `changed` reports its return.
            state = .waitingForAdapter
            return []
        }
        return end(failure)
    }

    /// The user closes the listener, or the time limit has passed.
    mutating func close(_ failure: ChannelFailure) -> [Action] {
        switch state {
        case .closed: return []
        case .idle:
            state = .closed
            return []
        case .waitingForAdapter, .starting, .listening:
            state = .closed
            return [.stop, isOpened ? .ended(nil) : .openFailed(failure)]
        }
    }

    private mutating func end(_ failure: ChannelFailure) -> [Action] {
        state = .closed
        return [.stop, isOpened ? .ended(failure) : .openFailed(failure)]
    }
}
