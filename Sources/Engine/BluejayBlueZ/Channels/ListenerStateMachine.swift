/// The life of a listener: it listens while there is Bluetooth, on the number that it got first.
///
/// Invariant: `open` is followed by exactly one of `opened` and `refused`, `opened` by one `ended`.
struct ListenerStateMachine<Adapter: Equatable>: Equatable {
    /// What to do.
    enum Action: Equatable {
        /// Listen, then report `listened` or `failed`.
        case listen(Adapter, psm: UInt16)
        /// Listen no more, or not yet.
        case stop
        case opened(psm: UInt16)
        case refused(ChannelFailure)
        /// Nil when it was closed here.
        case ended(ChannelFailure?)
    }

    private enum State: Equatable {
        /// Next: `waiting`, `asking`, `over`.
        case idle
        /// There is no adapter to be used. Next: `asking`, `over`.
        case waiting
        /// Next: `listening`, `waiting`, `over`.
        case asking(Adapter)
        /// Next: `waiting`, `asking`, `over`.
        case listening(Adapter)
        /// Nothing more comes.
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

    /// Begins, at the adapter that can be used; nil when there is none.
    mutating func open(_ adapter: Adapter?, isKnown: Bool) -> [Action] {
        guard state == .idle else { return [] }
        state = .waiting
        return changed(adapter, isKnown: isKnown)
    }

    /// Another adapter can be used, or none; it may not be known yet.
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
            // Bluetooth has just gone; its return is told.
            state = .waiting
            return []
        }
        return end(failure)
    }

    /// Its user closes it, or has waited for long enough.
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
