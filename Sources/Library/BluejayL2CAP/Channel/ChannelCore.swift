internal import BluejayBlueZ
internal import BluejayGLib
internal import DequeModule
internal import FoundationEssentials

/// What of a channel any thread may read.
struct ChannelState: Swift.Sendable {
    var maximumSDU = 0
    var isOpen = false
    var end: L2CAPChannelEnd?
}

/// What a channel has on its loop.
// It is used on the loop only, but for `shown` and `waiters`' numbers: the invariant behind `@unchecked`.
final class ChannelCore: @unchecked Swift.Sendable {
    typealias Completion = (Result<Void, any Error>) -> Void

    let shown = Snapshot(ChannelState())
    let peer: PeripheralIdentifier
    let psm: UInt16
    private let security: L2CAPSecurity
    private let host: BluetoothHost
    private var tracker: AdapterTracker?
    private var channel: Channel?
    /// Who asks for the next packet while there is none.
    private var waiters: Deque<(id: Int, give: (Data?) -> Void)> = []
    private var isDelivering = false
    /// It could not be opened.
    private var isRefused = false

    let onReceive = LoopProperty<((Data) -> Void)?>(nil)
    let onEnd = LoopProperty<((L2CAPChannelEnd) -> Void)?>(nil)

    init(
        _ peer: PeripheralIdentifier,
        _ psm: UInt16,
        _ security: L2CAPSecurity,
        _ host: BluetoothHost
    ) {
        self.peer = peer
        self.psm = psm
        self.security = security
        self.host = host
    }

    /// One that a peer has opened.
    init(
        _ channel: Channel,
        _ peer: PeripheralIdentifier,
        _ tracker: AdapterTracker,
        _ host: BluetoothHost
    ) {
        self.peer = peer
        psm = channel.psm
        security = .low
        self.host = host
        self.tracker = tracker
        take(channel)
        opened(channel)
    }

    private var state: BluetoothState { tracker?.state ?? .unknown }

    // MARK: Opening and closing

    func open(within limit: Duration?, _ completion: @escaping Completion) {
        guard let address = peer.deviceAddress else {
            return later { [peer] in
                completion(.failure(BluejayError.unexpectedPeripheral(peer).during(.openChannel)))
            }
        }
        guard channel == nil else {
            return later { completion(.failure(BluejayError.inUse("the channel"))) }
        }
        let tracker = AdapterTracker(host)
        let channel = Channel(to: address, psm: psm, security: security.rawValue, tracker: tracker)
        self.tracker = tracker
        take(channel)
        channel.open(within: limit) { [weak self, weak channel, peer, psm] result in
            guard let self, let channel else {
                return completion(.failure(BluejayError.cancelled))
            }
            switch result {
            case .success:
                opened(channel)
                completion(.success(()))
            case .failure(let failure):
                isRefused = true
                endWaiting()
                let error = BluejayError(failure, psm: psm, state: state)
                completion(.failure(error.during(.openChannel, peripheral: peer)))
            }
        }
    }

    private func take(_ channel: Channel) {
        self.channel = channel
        channel.onReceived = { [weak self] in self?.deliver() }
        channel.onEnd = { [weak self] in self?.ended($0) }
    }

    private func opened(_ channel: Channel) {
        guard channel.isOpen else { return }
        shown.value.maximumSDU = channel.sendMTU
        shown.value.isOpen = true
    }

    func close(_ done: (() -> Void)? = nil) {
        guard let channel else {
            if let done { later(done) }
            return
        }
        channel.close(then: done)
    }

    private func ended(_ end: ChannelEnd) {
        let end = L2CAPChannelEnd(end)
        shown.value.isOpen = false
        shown.value.end = end
        deliver()
        endWaiting()
        let onEnd = onEnd.replace(with: nil)
        onEnd?(end)
    }

    private func endWaiting() {
        while let waiter = waiters.popFirst() { waiter.give(nil) }
    }

    /// The user has let it go.
    func shutDown() {
        onReceive.replace(with: nil)
        onEnd.replace(with: nil)
        channel?.close()
    }

    // MARK: Packets

    func send(_ data: Data, _ completion: @escaping Completion) {
        let peer = peer
        guard let channel else {
            let error = BluejayError.channelClosed.during(.sendOnChannel, peripheral: peer)
            return later { completion(.failure(error)) }
        }
        channel.send([UInt8](data)) { [weak self] result in
            completion(
                result.mapError { failure in
                    BluejayError(failure, length: data.count, state: self?.state ?? .unknown)
                        .during(.sendOnChannel, peripheral: peer)
                }
            )
        }
    }

    /// Gives the next packet: now, when one comes, or nil at the end.
    func next(_ id: Int, _ give: @escaping (Data?) -> Void) {
        waiters.append((id, give))
        deliver()
        if shown.value.end != nil || channel == nil || isRefused { stopWaiting(id) }
    }

    func stopWaiting(_ id: Int) {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
        waiters.remove(at: index).give(nil)
    }

    func deliverLater() {
        host.mainLoop.post { [weak self] in self?.deliver() }
    }

    // What is called here may come back in: it finds the packets behind this one.
    private func deliver() {
        guard !isDelivering, let channel else { return }
        isDelivering = true
        defer { isDelivering = false }
        while onReceive.applied != nil || !waiters.isEmpty, let packet = channel.take() {
            if let onReceive = onReceive.applied {
                onReceive(Data(packet))
            } else {
                waiters.popFirst()?.give(Data(packet))
            }
        }
    }

    private func later(_ work: @escaping () -> Void) {
        let work = Confined(work)
        host.mainLoop.post { work.value() }
    }
}
