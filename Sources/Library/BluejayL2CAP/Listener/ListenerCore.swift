internal import BluejayBlueZ
internal import BluejayGLib
internal import DequeModule

/// What a listener has on its loop.
// It is used on the loop only, but for `shown`: the invariant behind `@unchecked`.
final class ListenerCore: @unchecked Swift.Sendable {
    typealias Completion = (Result<UInt16, any Error>) -> Void

    /// The number that it has, for any thread.
    let shown: Snapshot<UInt16>
    private let asked: UInt16
    private let security: L2CAPSecurity
    private let host: BluetoothHost
    private var tracker: AdapterTracker?
    private var listener: ChannelListener?
    private var isOver = false
    private var waiters: Deque<(id: Int, give: (L2CAPChannel?) -> Void)> = []
    private var isDelivering = false

    let onChannel = LoopProperty<((L2CAPChannel) -> Void)?>(nil)
    let onEnd = LoopProperty<((BluejayError?) -> Void)?>(nil)

    init(_ psm: UInt16, _ security: L2CAPSecurity, _ host: BluetoothHost) {
        asked = psm
        shown = Snapshot(psm)
        self.security = security
        self.host = host
    }

    private func named(_ failure: ChannelFailure) -> BluejayError {
        BluejayError(failure, psm: shown.value, state: tracker?.state ?? .unknown)
            .during(.listenForChannels)
    }

    func start(within limit: Duration?, _ completion: @escaping Completion) {
        guard listener == nil else {
            let work = Confined { completion(.failure(BluejayError.inUse("the listener"))) }
            return host.mainLoop.post { work.value() }
        }
        let tracker = AdapterTracker(host)
        let listener = ChannelListener(
            psm: asked,
            security: security.rawValue,
            tracker: tracker
        )
        self.tracker = tracker
        self.listener = listener
        listener.onChannel = { [weak self] in self?.deliver() }
        listener.onEnd = { [weak self] in self?.ended($0) }
        listener.open(within: limit) { [weak self] result in
            guard let self else { return completion(.failure(BluejayError.cancelled)) }
            switch result {
            case .success(let psm):
                shown.value = psm
                completion(.success(psm))
            case .failure(let failure):
                endWaiting()
                completion(.failure(named(failure)))
            }
        }
    }

    func close() {
        listener?.close()
    }

    private func ended(_ failure: ChannelFailure?) {
        endWaiting()
        let onEnd = onEnd.replace(with: nil)
        onEnd?(failure.map { named($0) })
    }

    private func endWaiting() {
        isOver = true
        while let waiter = waiters.popFirst() { waiter.give(nil) }
    }

    /// The user has let it go.
    func shutDown() {
        onChannel.replace(with: nil)
        onEnd.replace(with: nil)
        close()
    }

    // MARK: Channels

    /// Gives the next channel: now, when one comes, or nil at the end.
    func next(_ id: Int, _ give: @escaping (L2CAPChannel?) -> Void) {
        guard !isOver else { return give(nil) }
        waiters.append((id, give))
        deliver()
    }

    func stopWaiting(_ id: Int) {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
        waiters.remove(at: index).give(nil)
    }

    func deliverLater() {
        host.mainLoop.post { [weak self] in self?.deliver() }
    }

    private func deliver() {
        guard !isDelivering, let listener, let tracker else { return }
        isDelivering = true
        defer { isDelivering = false }
        while onChannel.applied != nil || !waiters.isEmpty, let taken = listener.take() {
            let peer = tracker.identifier(of: taken)
            let channel = L2CAPChannel(ChannelCore(taken, peer, tracker, host), host)
            if let onChannel = onChannel.applied {
                onChannel(channel)
            } else {
                waiters.popFirst()?.give(channel)
            }
        }
    }
}

extension AdapterTracker {
    fileprivate func identifier(of channel: Channel) -> PeripheralIdentifier {
        PeripheralIdentifier(address: channel.peer, name: channel.peerName)
    }
}
