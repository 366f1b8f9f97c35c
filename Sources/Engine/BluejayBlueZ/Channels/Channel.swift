package import BluejayCore
internal import BluejayDBus
internal import BluejayGLib

/// An L2CAP channel, which performs the actions of its state machine.
///
/// All members belong to the context's thread. Every completion runs on a later iteration of the main loop.
package final class Channel {
    package enum SendFailure: Error, Equatable {
        case notOpen
        case tooLong(maximumLength: Int)
        /// The queue of unsent packets is full.
        case queueFull(capacity: Int)
        case ended(ChannelCloseReason)
    }

    package enum FlushFailure: Error, Equatable {
        case notOpen
        case timedOut
        case ended(ChannelCloseReason)
    }

    package typealias FlushID = Int
    package typealias SendCompletion = (Result<Void, SendFailure>) -> Void
    package typealias FlushCompletion = (Result<Void, FlushFailure>) -> Void
    /// Receives the number of bytes that were not sent.
    package typealias CloseCompletion = (Int) -> Void

    /// Called when `receive()` has a packet.
    package var onReceived: (() -> Void)?
    /// Called once, when an open channel ends.
    package var onEnd: ((ChannelCloseReason) -> Void)?
    /// Called when `unsentByteCount` has changed.
    package var onUnsentChange: (() -> Void)?

    package var peer: DeviceAddress { addresses[0] }
    /// The address of the peer, followed by others that it may have; the one that bluetoothd knows counts.
    private var addresses: [DeviceAddress]
    package let psm: UInt16

    private let tracker: AdapterTracker
    private let security: Int
    private var machine = ChannelStateMachine(
        ChannelStateMachine.Limits(unread: ChannelLimits.unread, unsent: ChannelLimits.unsent)
    )
    private let actions = ActionQueue<ChannelStateMachine.Action>()
    private var link: ChannelLink?
    private var adapter: ObjectPath?
    private var connecting = Connecting()
    private let socket = ChannelSocket()
    private var pendingOpen: PendingOpen?
    private var linkCheck: BusCall?
    private var closeReason: ChannelCloseReason?
    private var shutdownHook: ShutdownHook?
    private let drain = ChannelDrain()
    /// Whether both ends had keys before the channel connected.
    private var wasPaired = false

    private struct Connecting {
        var call: PendingChannelCall?
        var retryTimer: ScheduledTimer?
    }

    private struct PendingOpen {
        let timer: ScheduledTimer?
        let completion: (Result<Void, ChannelFailure>) -> Void
    }

    private var client: BlueZClient { tracker.engine.client }

    /// Creates a channel to a peer; `open` connects it.
    package init(
        to peer: DeviceAddress,
        or others: [DeviceAddress] = [],
        psm: UInt16,
        security: Int,
        tracker: AdapterTracker
    ) {
        addresses = [peer] + others
        self.psm = psm
        self.security = security
        self.tracker = tracker
    }

    /// Creates a channel that a peer has opened.
    init(
        accepted: ConnectedSocket,
        from peer: DeviceAddress,
        psm: UInt16,
        over adapter: ObjectPath,
        of tracker: AdapterTracker
    ) {
        addresses = [peer]
        self.psm = psm
        self.tracker = tracker
        security = 1
        attach(accepted)
        self.adapter = adapter
        let link = ChannelLink(to: peer, over: adapter, tracker.engine.links)
        self.link = link
        link.onEnd = { [weak self] in self?.linkEnded($0) }
        link.retain()
        installShutdownHook()
        perform(machine.accepted())
    }

    package var isOpen: Bool { machine.isOpen }
    /// Whether the end of the loop has closed the channel.
    package private(set) var isEndedByLoop = false
    /// The longest packet that the peer accepts; 0 before the channel is open.
    package var sendMTU: Int { socket.sendMTU }
    /// The bytes of accepted packets that the kernel has not sent; after the end, the bytes that are lost.
    package var unsentByteCount: Int { machine.unsentByteCount }
    /// The peer's name, if known.
    package var peerName: String? { link?.name }

    // MARK: Opening

    /// Opens the channel; `completion` is called once.
    package func open(
        within timeout: Duration?,
        completion: @escaping (Result<Void, ChannelFailure>) -> Void
    ) {
        guard ChannelLimits.isValid(psm) else {
            return client.clock.onNextIteration { completion(.failure(.invalidPSM)) }
        }
        guard machine.isIdle else {
            return client.clock.onNextIteration { completion(.failure(.inUse)) }
        }
        let timer = timeout.map { timeout in
            client.clock.schedule(after: timeout) { [weak self] in
                guard let self, !machine.isOpen else { return }
                perform(machine.close(.closed, adjustedForSecurity(.timedOut)))
            }
        }
        pendingOpen = PendingOpen(timer: timer, completion: completion)
        installShutdownHook()
        perform(machine.open())
    }

    private func installShutdownHook() {
        shutdownHook = client.context.addShutdownHook { [weak self] completion in
            guard let self else { return completion() }
            isEndedByLoop = true
            close(within: ChannelLimits.shutdownTimeout) { _ in completion() }
        } ended: { [weak self, drain] in
            // The link may never be released.
            drain.released(unsentByteCount: self?.unsentByteCount ?? 0)
        }
    }

    private func acquireLink() {
        guard let adapter = tracker.adapter else {
            guard tracker.isAvailabilityKnown else {
                tracker.onChange = { [weak self] _ in self?.adapterChanged() }
                return
            }
            return client.clock.onNextIteration { [weak self] in
                self?.linkUp(.failure(.unavailable))
            }
        }
        let known = addresses.first { client.objects.device($0, of: adapter) != nil }
        addresses = [known ?? peer]
        self.adapter = adapter
        let link = ChannelLink(to: peer, over: adapter, tracker.engine.links)
        self.link = link
        link.onEnd = { [weak self] in self?.linkEnded($0) }
        link.connect { [weak self] in self?.linkUp($0) }
    }

    private func adapterChanged() {
        guard tracker.isAvailabilityKnown else { return }
        tracker.onChange = nil
        if link == nil, !machine.isClosed { acquireLink() }
    }

    private func linkUp(_ result: Result<Void, LinkFailure>) {
        switch result {
        case .success: perform(machine.linkUp(isNew: link?.isNew == true))
        case .failure(.unavailable): perform(machine.linkFailed(.unavailable))
        case .failure(let failure): perform(machine.linkFailed(.link(failure)))
        }
    }

    private func connect() {
        guard let adapter, let localAddress = client.socketAddress(of: adapter), let link else {
            return perform(machine.connectFailed(.unavailable))
        }
        wasPaired = link.isPaired
        connecting.call = client.makeChannelProvider().connect(
            ChannelParameters(localAddress: localAddress, psm: psm, security: security),
            to: link.address.socketAddress
        ) { [weak self] result in
            guard let self else { return }
            connecting.call = nil
            switch result {
            case .success(let socket):
                attach(socket)
                perform(machine.connected())
            case .failure(let failure): perform(machine.connectFailed(adjustedForSecurity(failure)))
            }
        }
    }

    // The requested security determines how a failure is interpreted.
    private func adjustedForSecurity(_ failure: ChannelFailure) -> ChannelFailure {
        guard security > 1, machine.isConnecting, !wasPaired, link?.isPaired != true else {
            return failure
        }
        return failure.ofUnpairedLink
    }

    private func attach(_ connected: ConnectedSocket) {
        socket.attach(connected, on: client.context) { [weak self] in self?.ready($0) }
    }

    // MARK: Ending

    /// Closes the channel when the kernel has sent its packets, or cancels its opening.
    ///
    /// Keeps the channel until then. `completion` is called when the link is down or left to its other users.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for the packets; zero discards them at once, nil is no limit.
    ///   - completion: Called with the number of bytes that were not sent.
    package func close(within timeout: Duration?, then completion: CloseCompletion? = nil) {
        measure()
        if timeout == .zero {
            perform(machine.close(.closed, .cancelled))
        } else {
            perform(machine.closeAfterSending(.cancelled))
        }
        if machine.isClosing {
            let timer = timeout.map { timeout in
                client.clock.schedule(after: timeout) { [weak self] in self?.close(within: .zero) }
            }
            drain.keep(self, until: timer)
        }
        guard let completion else { return }
        guard drain.isReleasing || link != nil else {
            let count = unsentByteCount
            return client.clock.onNextIteration { completion(count) }
        }
        drain.whenReleased(completion)
    }

    /// Drops the stored packets and all later ones, so that they do not hold the peer back.
    package func discardReceived() {
        socket.discardPackets()
        while receive() != nil {}
    }

    private func linkEnded(_ reason: LinkDownReason) {
        measure()
        // Packets that arrived before the end stay readable; the kernel's buffer limits them.
        read(atMost: .max, beyondLimit: true)
        let failure: ChannelFailure =
            reason == .unavailable ? .unavailable : .link(.failed("the link broke"))
        perform(machine.linkEnded(.link(reason), adjustedForSecurity(failure)))
    }

    private func releaseLink() {
        guard let link else { return drain.released(unsentByteCount: unsentByteCount) }
        self.link = nil
        drain.isReleasing = true
        // The loop waits for the release even if the user drops the channel.
        let shutdownHook = shutdownHook
        let count = unsentByteCount
        link.release { [drain] in
            withExtendedLifetime((link, shutdownHook)) {}
            drain.released(unsentByteCount: count)
        }
    }

    private func checkLink() {
        linkCheck = link?.checkLink { [weak self] reason in
            guard let self else { return }
            linkCheck = nil
            perform(machine.linkChecked(reason))
        }
        if linkCheck == nil { perform(machine.linkChecked(.closedByPeer)) }
    }

    // MARK: Packets

    /// Sends a packet after the queued ones; `completion` is called once the kernel has accepted it.
    package func send(_ packet: [UInt8], completion: @escaping SendCompletion) {
        func fail(_ failure: SendFailure) {
            client.clock.onNextIteration { completion(.failure(failure)) }
        }
        if let closeReason { return fail(.ended(closeReason)) }
        guard !machine.isClosing else { return fail(.ended(.closed)) }
        guard sendMTU > 0 else { return fail(.notOpen) }
        guard packet.count <= sendMTU else { return fail(.tooLong(maximumLength: sendMTU)) }
        guard machine.canEnqueue(packet.count) else {
            return fail(.queueFull(capacity: ChannelLimits.unsent))
        }
        let clock = client.clock
        let id = socket.add(packet) { result in clock.onNextIteration { completion(result) } }
        perform(machine.send(id, length: packet.count))
    }

    /// Calls `completion` once, when the kernel has sent the packets of all earlier sends.
    package func flush(within timeout: Duration?, completion: @escaping FlushCompletion) -> FlushID
    {
        let clock = client.clock
        let id = drain.nextFlush()
        let complete: FlushCompletion = { result in clock.onNextIteration { completion(result) } }
        guard !machine.isClosed || sendMTU == 0 else {
            let failure = FlushFailure.ended(closeReason ?? .closed)
            complete(unsentByteCount == 0 ? .success(()) : .failure(failure))
            return id
        }
        guard sendMTU > 0 else {
            complete(.failure(.notOpen))
            return id
        }
        let timer = timeout.map { timeout in
            clock.schedule(after: timeout) { [weak self] in
                self?.measure()
                self?.endFlush(id, .failure(.timedOut))
            }
        }
        drain.add(id, timer, complete)
        measure()
        perform(machine.flush(id))
        return id
    }

    /// Removes a flush; its completion is not called.
    package func cancelFlush(_ id: FlushID) {
        machine.cancelFlush(id)
        _ = drain.remove(id)
    }

    private func endFlush(_ id: FlushID, _ result: Result<Void, FlushFailure>) {
        machine.cancelFlush(id)
        drain.remove(id)?(result)
    }

    /// Removes and returns the oldest received packet.
    package func receive() -> [UInt8]? {
        guard let packet = socket.popPacket() else { return nil }
        perform(machine.consumed(Self.weight(packet.count)))
        return packet
    }

    // Empty packets count as well: a peer must not fill the queue with them.
    private static func weight(_ length: Int) -> Int { max(1, length) }

    private func ready(_ condition: IOCondition) {
        // A Bluetooth socket whose peer has closed without granting credits is never writable: writing fails.
        if !condition.isDisjoint(with: [.writable, .hangUp]) { perform(machine.writable()) }
        // Reading the remaining packets reveals a hang-up.
        if machine.mayRead { read(atMost: 16) }
    }

    private func read(atMost count: Int, beyondLimit: Bool = false) {
        var remaining = count
        while remaining > 0, machine.mayRead || beyondLimit, let reading = socket.read() {
            remaining -= 1
            switch reading {
            case .nothing: return
            case .discarded: continue
            case .closed: return perform(machine.endOfPackets())
            case .packet(let length):
                perform(machine.received(Self.weight(length)))
                onReceived?()
            case .failed(let reason): return perform(machine.failed(reason))
            }
        }
    }

    private func write(_ id: ChannelStateMachine.SendID) {
        guard let (written, memory) = socket.write(id) else { return }
        perform(machine.wrote(id, written, memory: memory))
        // The peer has closed, or the link is lost: reading finds out, after the peer's last packets.
        if written == .closed { read(atMost: .max) }
    }

    private func measure() {
        guard let memory = socket.unsentMemory else { return }
        perform(machine.measured(memory))
    }

    private func startPollTimer(_ delay: Duration) {
        drain.pollTimer = client.clock.schedule(after: delay) { [weak self] in
            guard let self else { return }
            perform(machine.pollTimerFired(socket.unsentMemory))
        }
    }

    // MARK: Performing

    private func perform(_ new: [ChannelStateMachine.Action]) {
        onUnsentChange?()
        actions.perform(new) { self.perform($0) }
    }

    private func perform(_ action: ChannelStateMachine.Action) {
        switch action {
        case .acquireLink: acquireLink()
        case .releaseLink: releaseLink()
        case .connect: connect()
        case .startRetryTimer:
            connecting.retryTimer = client.clock.schedule(after: ChannelStateMachine.retryDelay) {
                [weak self] in
                guard let self else { return }
                perform(machine.retryTimerFired())
            }
        case .cancelConnect:
            connecting = Connecting()
        case .opened: finishOpening(.success(()))
        case .openFailed(let failure): finishOpening(.failure(failure))
        case .watch(let reading, let writing): socket.watch(reading: reading, writing: writing)
        case .write(let id): write(id)
        case .sent(let id): socket.endSend(id)?(.success(()))
        case .notSent(let id, let reason):
            socket.endSend(id)?(.failure(.ended(reason)))
        case .flushed(let id): endFlush(id, .success(()))
        case .notFlushed(let id, let reason): endFlush(id, .failure(.ended(reason)))
        case .startPollTimer(let delay): startPollTimer(delay)
        case .checkLink: checkLink()
        case .closeSocket:
            drain.socketClosed()
            socket.close()
        case .ended(let reason): ended(reason)
        }
    }

    private func finishOpening(_ result: Result<Void, ChannelFailure>) {
        let completion = pendingOpen?.completion
        pendingOpen = nil
        tracker.onChange = nil
        if case .failure = result { shutdownHook = nil }
        // A cancelled opening completes after the call that cancelled it.
        client.clock.onNextIteration { completion?(result) }
    }

    private func ended(_ reason: ChannelCloseReason) {
        self.closeReason = reason
        shutdownHook = nil
        linkCheck.map(client.cancel)
        linkCheck = nil
        let onEnd = onEnd
        self.onEnd = nil
        // Never inside `close`.
        client.clock.onNextIteration { onEnd?(reason) }
    }
}
