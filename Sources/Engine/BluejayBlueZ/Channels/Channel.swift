package import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import DequeModule

/// One channel: performs what its machine decides.
///
/// All of it is the context's, and every completion comes in a later turn than its call.
package final class Channel {
    /// Why a packet was not sent.
    package enum SendFailure: Error, Equatable {
        case notOpen
        case tooLong(limit: Int)
        /// Too much waits already.
        case full(limit: Int)
        case ended(ChannelEnd)
    }

    package typealias SendCompletion = (Result<Void, SendFailure>) -> Void

    /// Called when there is something to `take`.
    package var onReceived: (() -> Void)?
    /// Called once, when a channel that was open has ended.
    package var onEnd: ((ChannelEnd) -> Void)?

    package let peer: DeviceAddress
    package let psm: UInt16
    /// The longest packet that the peer takes; 0 before the channel is open.
    package private(set) var sendMTU = 0

    private let tracker: AdapterTracker
    private let security: Int
    private var machine = ChannelMachine(
        ChannelMachine.Limits(unread: ChannelLimits.unread, unsent: ChannelLimits.unsent)
    )
    private let actions = ActionQueue<ChannelMachine.Action>()
    private var share: LinkShare?
    private var adapter: ObjectPath?
    private var attempt: ChannelAttempt?
    private var socket: BluetoothSocket?
    private var source: DescriptorSource?
    private var limit: ScheduledTimer?
    private var pause: ScheduledTimer?
    private var question: BusCall?
    private var whenOpened: ((Result<Void, ChannelFailure>) -> Void)?
    private var packets: Deque<[UInt8]> = []
    private var sends: [ChannelMachine.Send: (packet: [UInt8], completion: SendCompletion)] = [:]
    private var lastSend = 0
    private var end: ChannelEnd?
    private var closer: LoopCloser?
    private var whenClosed: (() -> Void)?
    private var isLeaving = false
    /// Whether both ends had keys when the channel was asked for.
    private var wasPaired = false

    private var client: BlueZClient { tracker.engine.client }

    /// A channel to be opened to a peer.
    package init(to peer: DeviceAddress, psm: UInt16, security: Int, tracker: AdapterTracker) {
        self.peer = peer
        self.psm = psm
        self.security = security
        self.tracker = tracker
    }

    /// A channel that a peer has opened over an adapter.
    init(
        accepted: ConnectedSocket,
        from peer: DeviceAddress,
        psm: UInt16,
        over adapter: ObjectPath,
        of tracker: AdapterTracker
    ) {
        self.peer = peer
        self.psm = psm
        self.tracker = tracker
        security = 1
        take(accepted)
        self.adapter = adapter
        let share = LinkShare(to: peer, over: adapter, tracker.engine)
        self.share = share
        share.onEnd = { [weak self] in self?.linkEnded($0) }
        share.keep()
        keepLoop()
        perform(machine.accepted())
    }

    package var isOpen: Bool { machine.isOpen }
    /// The name of the peer, as far as bluetoothd knows it.
    package var peerName: String? { share?.name }

    // MARK: Opening

    /// Opens it; `completion` comes once.
    package func open(
        within limit: Duration?,
        completion: @escaping (Result<Void, ChannelFailure>) -> Void
    ) {
        guard ChannelLimits.isValid(psm) else {
            return client.clock.later { completion(.failure(.invalidPSM)) }
        }
        guard machine.isIdle else {
            return client.clock.later { completion(.failure(.inUse)) }
        }
        whenOpened = completion
        self.limit = limit.map { limit in
            client.clock.schedule(after: limit) { [weak self] in
                guard let self, !machine.isOpen else { return }
                perform(machine.close(.closed, judged(.timedOut)))
            }
        }
        keepLoop()
        perform(machine.open())
    }

    private func keepLoop() {
        closer = client.context.onEnd { [weak self] done in
            guard let self else { return done() }
            close(then: done)
        }
    }

    private func joinLink() {
        guard let adapter = tracker.adapter else {
            guard tracker.isKnown else {
                tracker.onChange = { [weak self] _ in self?.adapterChanged() }
                return
            }
            return client.clock.later { [weak self] in self?.linkUp(.failure(.unavailable)) }
        }
        self.adapter = adapter
        let share = LinkShare(to: peer, over: adapter, tracker.engine)
        self.share = share
        share.onEnd = { [weak self] in self?.linkEnded($0) }
        share.join { [weak self] in self?.linkUp($0) }
    }

    private func adapterChanged() {
        guard tracker.isKnown else { return }
        tracker.onChange = nil
        if share == nil, !machine.isOver { joinLink() }
    }

    private func linkUp(_ result: Result<Void, LinkFailure>) {
        switch result {
        case .success: perform(machine.linkUp(isNew: share?.isNew == true))
        case .failure(.unavailable): perform(machine.linkFailed(.unavailable))
        case .failure(let failure): perform(machine.linkFailed(.link(failure)))
        }
    }

    private func connect() {
        guard let adapter, let own = client.socketAddress(of: adapter), let share else {
            return perform(machine.connectFailed(.unavailable))
        }
        wasPaired = share.isPaired
        attempt = client.channelKernel().connect(
            ChannelWish(own: own, psm: psm, security: security),
            to: share.address.socketAddress
        ) { [weak self] result in
            guard let self else { return }
            attempt = nil
            switch result {
            case .success(let socket):
                take(socket)
                perform(machine.connected())
            case .failure(let failure): perform(machine.connectFailed(judged(failure)))
            }
        }
    }

    // The security that was asked for is part of the judgement.
    private func judged(_ failure: ChannelFailure) -> ChannelFailure {
        guard security > 1, machine.isConnecting, !wasPaired, share?.isPaired != true else {
            return failure
        }
        return failure.ofUnpairedLink
    }

    private func take(_ connected: ConnectedSocket) {
        socket = connected.socket
        sendMTU = connected.sendMTU
        source = connected.socket.watch([], on: client.context) { [weak self] in self?.ready($0) }
    }

    // MARK: The end

    /// Closes it, or takes back its opening; `done` comes when its link is down or others use it.
    package func close(then done: (() -> Void)? = nil) {
        packets = []
        perform(machine.close(.closed, .cancelled))
        guard let done else { return }
        guard isLeaving else { return client.clock.later(done) }
        let before = whenClosed
        whenClosed = {
            before?()
            done()
        }
    }

    private func linkEnded(_ end: LinkEnd) {
        // What has come before is there to be read.
        read(atMost: .max)
        let failure: ChannelFailure =
            end == .unavailable ? .unavailable : .link(.failed("the link broke"))
        perform(machine.linkEnded(.link(end), judged(failure)))
    }

    private func leaveLink() {
        guard let share else { return }
        self.share = nil
        isLeaving = true
        // The loop waits for it, whoever lets the channel go.
        let closer = closer
        share.leave { [weak self] in
            withExtendedLifetime((share, closer)) {}
            guard let self else { return }
            isLeaving = false
            let done = whenClosed
            whenClosed = nil
            done?()
        }
    }

    private func askForLink() {
        question = share?.ask { [weak self] end in
            guard let self else { return }
            question = nil
            perform(machine.linkAnswered(end))
        }
        if question == nil { perform(machine.linkAnswered(.closedByPeer)) }
    }

    // MARK: Packets

    /// Sends a packet behind those before; `completion` comes once, when the kernel has taken it.
    package func send(_ packet: [UInt8], completion: @escaping SendCompletion) {
        func refuse(_ failure: SendFailure) {
            client.clock.later { completion(.failure(failure)) }
        }
        if let end { return refuse(.ended(end)) }
        guard sendMTU > 0 else { return refuse(.notOpen) }
        guard packet.count <= sendMTU else { return refuse(.tooLong(limit: sendMTU)) }
        guard machine.takes(packet.count) else { return refuse(.full(limit: ChannelLimits.unsent)) }
        lastSend += 1
        let clock = client.clock
        sends[lastSend] = (packet, { result in clock.later { completion(result) } })
        perform(machine.send(lastSend, length: packet.count))
    }

    /// The oldest packet that came and nobody has taken.
    package func take() -> [UInt8]? {
        guard let packet = packets.popFirst() else { return nil }
        perform(machine.taken(Self.weight(packet)))
        return packet
    }

    // Empty packets count as well: a peer must not fill the queue with them.
    private static func weight(_ packet: [UInt8]) -> Int { max(1, packet.count) }

    private func ready(_ condition: IOCondition) {
        if condition.contains(.writable) { perform(machine.writable()) }
        // A hang-up is seen by reading what is left.
        if machine.mayRead { read(atMost: 16) }
    }

    private func read(atMost count: Int) {
        var left = count
        while left > 0, machine.mayRead, let socket {
            left -= 1
            do throws(SocketError) {
                switch try socket.receive(atMost: Int(ChannelLimits.receiveMTU)) {
                case .nothing: return
                case .closed: return perform(machine.endOfPackets())
                case .packet(let packet):
                    packets.append(packet)
                    perform(machine.received(Self.weight(packet)))
                    onReceived?()
                }
            } catch {
                return perform(machine.failed(ChannelEnd(error)))
            }
        }
    }

    private func write(_ id: ChannelMachine.Send) {
        guard let socket, let packet = sends[id]?.packet else { return }
        do throws(SocketError) {
            // Linux makes nothing of an empty one.
            if !packet.isEmpty { try socket.send(packet) }
            perform(machine.wrote(id, .all))
        } catch .tryAgain {
            perform(machine.wrote(id, .nothing))
        } catch .noBuffers {
            perform(machine.wrote(id, .nothing))
        } catch .brokenPipe {
            // The peer has closed, or the link has gone: reading tells, behind what it had sent.
            perform(machine.wrote(id, .closed))
            read(atMost: .max)
        } catch {
            perform(machine.wrote(id, .failed(ChannelEnd(error))))
        }
    }

    // MARK: Performing

    private func perform(_ new: [ChannelMachine.Action]) {
        actions.perform(new) { self.perform($0) }
    }

    private func perform(_ action: ChannelMachine.Action) {
        switch action {
        case .joinLink: joinLink()
        case .leaveLink: leaveLink()
        case .connect: connect()
        case .pause:
            pause = client.clock.schedule(after: ChannelMachine.pause) { [weak self] in
                guard let self else { return }
                perform(machine.connectAgain())
            }
        case .cancelConnect:
            attempt = nil
            pause = nil
        case .opened: finishOpening(.success(()))
        case .refused(let failure): finishOpening(.failure(failure))
        case .watch(let reading, let writing):
            source?.watch(
                for: (reading ? IOCondition.readable : []).union(writing ? .writable : [])
            )
        case .write(let id): write(id)
        case .sent(let id): sends.removeValue(forKey: id)?.completion(.success(()))
        case .notSent(let id, let end):
            sends.removeValue(forKey: id)?.completion(.failure(.ended(end)))
        case .askForLink: askForLink()
        case .closeSocket: closeSocket()
        case .ended(let end): ended(end)
        }
    }

    private func finishOpening(_ result: Result<Void, ChannelFailure>) {
        limit = nil
        tracker.onChange = nil
        if case .failure = result { closer = nil }
        let completion = whenOpened
        whenOpened = nil
        // A wait that is taken back is told behind the call that did it.
        client.clock.later { completion?(result) }
    }

    private func closeSocket() {
        source?.cancel()
        source = nil
        socket?.close()
        socket = nil
    }

    private func ended(_ end: ChannelEnd) {
        self.end = end
        closer = nil
        question.map(client.cancel)
        question = nil
        let onEnd = onEnd
        self.onEnd = nil
        // Never inside `close`.
        client.clock.later { onEnd?(end) }
    }
}
