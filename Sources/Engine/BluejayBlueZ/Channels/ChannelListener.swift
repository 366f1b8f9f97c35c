internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import DequeModule

/// Accepts the channels that peers open, performing the actions of its state machine.
///
/// All members belong to the context's thread. Every completion runs on a later iteration of the main loop.
package final class ChannelListener {
    package var onChannel: (() -> Void)?
    /// Called once, when the listener stops accepting; nil if `close` ended it.
    package var onEnd: ((ChannelFailure?) -> Void)?

    private let requestedPSM: UInt16
    private let security: Int
    private let tracker: AdapterTracker
    private var machine: ListenerStateMachine<ObjectPath>
    private let actions = ActionQueue<ListenerStateMachine<ObjectPath>.Action>()
    private var attempt: PendingChannelCall?
    private var serverSocket: (any ChannelServerSocket)?
    private var openTimer: ScheduledTimer?
    private var openCompletion: ((Result<UInt16, ChannelFailure>) -> Void)?
    private var pendingChannels: Deque<Channel> = []

    private var client: BlueZClient { tracker.engine.client }

    /// - Parameters:
    ///   - psm: The PSM; 0 lets the kernel choose one.
    ///   - security: The security level, 1 to 4.
    ///   - tracker: A tracker that the caller uses for nothing else.
    package init(psm: UInt16, security: Int, tracker: AdapterTracker) {
        requestedPSM = psm
        self.security = security
        self.tracker = tracker
        machine = ListenerStateMachine(psm: psm)
    }

    /// Starts listening; `completion` is called once, with the PSM.
    package func open(
        within timeout: Duration?,
        completion: @escaping (Result<UInt16, ChannelFailure>) -> Void
    ) {
        func fail(_ failure: ChannelFailure) {
            client.clock.onNextIteration { completion(.failure(failure)) }
        }
        guard requestedPSM == 0 || ChannelLimits.isValid(requestedPSM) else {
            return fail(.invalidPSM)
        }
        guard machine.isIdle else { return fail(.inUse) }
        openCompletion = completion
        self.openTimer = timeout.map { timeout in
            client.clock.schedule(after: timeout) { [weak self] in
                guard let self, openCompletion != nil else { return }
                perform(machine.close(.timedOut))
            }
        }
        tracker.onChange = { [weak self] _ in self?.adapterChanged() }
        perform(machine.open(tracker.adapter, isAvailabilityKnown: tracker.isAvailabilityKnown))
    }

    /// Stops accepting; channels that the user has accepted stay open.
    package func close() {
        perform(machine.close(.cancelled))
    }

    package func accept() -> Channel? {
        let channel = pendingChannels.popFirst()
        serverSocket?.isAccepting = pendingChannels.count < ChannelLimits.maximumPendingChannelCount
        return channel
    }

    private func adapterChanged() {
        perform(machine.changed(tracker.adapter, isAvailabilityKnown: tracker.isAvailabilityKnown))
    }

    // MARK: Performing

    private func perform(_ new: [ListenerStateMachine<ObjectPath>.Action]) {
        actions.perform(new) { self.perform($0) }
    }

    private func perform(_ action: ListenerStateMachine<ObjectPath>.Action) {
        switch action {
        case .listen(let adapter, let psm): listen(at: adapter, psm)
        case .stop: stop()
        case .opened(let psm): finishOpening(.success(psm))
        case .openFailed(let failure):
            tracker.onChange = nil
            finishOpening(.failure(failure))
        case .ended(let failure): ended(failure)
        }
    }

    private func listen(at adapter: ObjectPath, _ psm: UInt16) {
        tracker.pin(true)
        guard let localAddress = client.socketAddress(of: adapter) else {
            return perform(machine.failed(.unavailable))
        }
        attempt = client.makeChannelProvider().listen(
            ChannelParameters(localAddress: localAddress, psm: psm, security: security)
        ) { [weak self] result in
            guard let self else { return }
            attempt = nil
            switch result {
            case .success(let serverSocket): startAccepting(serverSocket, at: adapter)
            case .failure(let failure): perform(machine.failed(failure))
            }
        }
    }

    private func startAccepting(_ serverSocket: any ChannelServerSocket, at adapter: ObjectPath) {
        self.serverSocket = serverSocket
        serverSocket.onIncoming = { [weak self] socket, peer in
            self?.received(socket, from: peer, at: adapter)
        }
        perform(machine.listened(on: serverSocket.psm))
    }

    private func received(
        _ socket: ConnectedSocket,
        from peer: DeviceAddress,
        at adapter: ObjectPath
    ) {
        guard let serverSocket else { return }
        let channel = Channel(
            accepted: socket,
            from: peer,
            psm: serverSocket.psm,
            over: adapter,
            of: tracker
        )
        // A channel that ends before the user accepts it is discarded.
        channel.onEnd = { [weak self, weak channel] _ in
            guard let self else { return }
            pendingChannels.removeAll { $0 === channel }
            self.serverSocket?.isAccepting =
                pendingChannels.count < ChannelLimits.maximumPendingChannelCount
        }
        pendingChannels.append(channel)
        serverSocket.isAccepting = pendingChannels.count < ChannelLimits.maximumPendingChannelCount
        onChannel?()
    }

    private func stop() {
        attempt = nil
        serverSocket?.close()
        serverSocket = nil
    }

    private func finishOpening(_ result: Result<UInt16, ChannelFailure>) {
        openTimer = nil
        let completion = openCompletion
        openCompletion = nil
        client.clock.onNextIteration { completion?(result) }
    }

    private func ended(_ failure: ChannelFailure?) {
        tracker.onChange = nil
        tracker.pin(false)
        for channel in pendingChannels { channel.close(within: .zero) }
        pendingChannels = []
        let onEnd = onEnd
        self.onEnd = nil
        client.clock.onNextIteration { onEnd?(failure) }
    }
}
