/// Runs a listener: it listens while Bluetooth is usable, always on the first PSM that it got.
///
/// Invariant: exactly one `opened` or `refused` follows `open`, and one `ended` follows `opened`.
struct ListenerStateMachine<Adapter: Equatable>: Equatable {
    enum Action: Equatable {
        /// Listen, then report `listened` or `failed`.
        case listen(Adapter, psm: UInt16)
        /// Stop listening, or cancel the attempt.
        case stop
        case opened(psm: UInt16)
        case refused(ChannelFailure)
        /// Nil if the user closed the listener.
        case ended(ChannelFailure?)
    }

    private enum State: Equatable {
        /// Next: `waiting`, `asking`, `over`.
        case idle
        /// No adapter is usable. Next: `asking`, `over`.
        case waiting
        /// Next: `listening`, `waiting`, `over`.
        case asking(Adapter)
        /// Next: `waiting`, `asking`, `over`.
        case listening(Adapter)
        /// Next: none.
        case over
    }

    private var state = State.idle
    private var psm: UInt16
    private var isOpened = false

    init(psm: UInt16) {
        self.psm = psm
    }

    var isIdle: Bool { state == .idle }
    var isOver: Bool { state == .over }

    mutating func open(_ adapter: Adapter?, isKnown: Bool) -> [Action] {
        guard state == .idle else { return [] }
        state = .waiting
        return changed(adapter, isKnown: isKnown)
    }

    /// The usable adapter has changed; `isKnown` is false while the state of Bluetooth is unknown.
    mutating func changed(_ adapter: Adapter?, isKnown: Bool) -> [Action] {
        switch state {
        case .idle, .over: return []
        case .asking(adapter), .listening(adapter): return []
        case .asking, .listening:
            state = .waiting
            return [.stop] + changed(adapter, isKnown: isKnown)
        case .waiting:
            if let adapter {
                state = .asking(adapter)
                return [.listen(adapter, psm: psm)]
            }
            return isKnown && !isOpened ? end(.unavailable) : []
        }
    }

    mutating func listened(on psm: UInt16) -> [Action] {
        guard case .asking(let adapter) = state else { return [.stop] }
        state = .listening(adapter)
        self.psm = psm
        guard !isOpened else { return [] }
        isOpened = true
        return [.opened(psm: psm)]
    }

    mutating func failed(_ failure: ChannelFailure) -> [Action] {
        guard case .asking = state else { return [] }
        if case .link = failure, isOpened {
            // Bluetooth has just become unavailable; `changed` reports its return.
            state = .waiting
            return []
        }
        return end(failure)
    }

    /// The user closes the listener, or the time limit has passed.
    mutating func close(_ failure: ChannelFailure) -> [Action] {
        switch state {
        case .over: return []
        case .idle:
            state = .over
            return []
        case .waiting, .asking, .listening:
            state = .over
            return [.stop, isOpened ? .ended(nil) : .refused(failure)]
        }
    }

    private mutating func end(_ failure: ChannelFailure) -> [Action] {
        state = .over
        return [.stop, isOpened ? .ended(failure) : .refused(failure)]
    }
}
