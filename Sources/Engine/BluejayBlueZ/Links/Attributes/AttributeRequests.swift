internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// The reads, writes and subscriptions of a link's users: performs `AttributeStateMachine`.
final class AttributeRequests {
    enum Request {
        case read((Result<Data, BlueZFailure>) -> Void)
        case write(Data, withResponse: Bool, (Result<Void, BlueZFailure>) -> Void)
        case session((Result<Void, BlueZFailure>) -> Void)
    }

    /// Receives a characteristic whose notifications bluetoothd would resume; set once by the link.
    var onOrphanedNotify: ((ObjectPath) -> Void)?
    private var pendingRequests = NumberTable<Request>()
    private var subscriptions = NumberTable<SubscriptionHandlers>()
    private var lastRequestID = 0
    private let services: LinkServices
    private let battery: HiddenBatteryService
    private let sockets: LinkSockets
    private let calls: AttributeCalls
    private let executor: LinkExecutor
    private let leases: LinkLeases
    private let client: BlueZClient
    private let log: Log

    init(
        _ context: LinkContext,
        leases: LinkLeases,
        services: LinkServices,
        battery: HiddenBatteryService,
        sockets: LinkSockets,
        calls: AttributeCalls
    ) {
        self.leases = leases
        self.services = services
        self.battery = battery
        self.sockets = sockets
        self.calls = calls
        executor = context.executor
        client = context.client
        log = context.log
    }

    // MARK: Requests

    func request(
        _ request: Request,
        _ characteristic: RemoteCharacteristic,
        _ leaseID: LinkStateMachine.LeaseID,
        within timeout: Duration
    ) -> LinkRequestID {
        let id = add(request)
        guard isUsable(characteristic, leaseID) else { return failLater(id) }
        let attribute = characteristic.id
        executor.handleAttributes { $0.request(id, leaseID, attribute, within: timeout, now: $1) }
        return LinkRequestID(id: id)
    }

    func request(
        _ request: Request,
        _ descriptor: RemoteDescriptor,
        _ leaseID: LinkStateMachine.LeaseID,
        within timeout: Duration
    ) -> LinkRequestID {
        let id = add(request)
        let attribute = descriptor.id
        guard executor.isActive(leaseID), services.descriptor(attribute) === descriptor else {
            return failLater(id)
        }
        executor.handleAttributes { $0.request(id, leaseID, attribute, within: timeout, now: $1) }
        return LinkRequestID(id: id)
    }

    func subscribe(
        _ characteristic: RemoteCharacteristic,
        _ leaseID: LinkStateMachine.LeaseID,
        _ subscription: SubscriptionHandlers,
        within timeout: Duration,
        _ completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) -> LinkRequestID {
        let id = add(.session(completion))
        guard isUsable(characteristic, leaseID) else { return failLater(id) }
        subscriptions[id] = subscription
        if timeout < AttributeStateMachine.operationTimeout {
            subscriptions[id]?.timer = client.clock.schedule(after: timeout) { [weak self] in
                self?.executor.handleAttributes { $0.expired(id, now: $1) }
            }
        }
        executor.handleAttributes { $0.subscribe(id, leaseID, characteristic.id, now: $1) }
        return LinkRequestID(id: id)
    }

    func unsubscribe(
        _ subscription: LinkRequestID,
        _ completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) {
        let id = add(.session(completion))
        executor.handleAttributes { $0.unsubscribe(subscription.id, id, now: $1) }
    }

    func cancel(_ request: LinkRequestID) {
        calls.abandonRead(request.id)
        executor.handleAttributes { machine, _ in machine.cancel(request.id) }
    }

    func droppedValueCount(of subscription: LinkRequestID) -> Int {
        executor.attribute(of: subscription.id)
            .flatMap { services.characteristic($0)?.dispatcher.droppedCount(of: subscription.id) }
            ?? 0
    }

    private func add(_ request: Request) -> AttributeStateMachine.RequestID {
        lastRequestID += 1
        pendingRequests[lastRequestID] = request
        return lastRequestID
    }

    private func isUsable(
        _ characteristic: RemoteCharacteristic,
        _ leaseID: LinkStateMachine.LeaseID
    )
        -> Bool
    {
        executor.isActive(leaseID)
            && services.characteristic(characteristic.id) === characteristic
    }

    private func failLater(_ id: AttributeStateMachine.RequestID) -> LinkRequestID {
        let wasUp = executor.isUp
        let fail = { [weak self] in
            guard let self else { return }
            complete(id, .failed(wasUp && executor.isUp ? .objectRemoved : .linkLost))
        }
        // The attribute may be gone because the link is ending.
        if wasUp, services.isChanging {
            services.afterSignals(fail)
        } else {
            client.clock.onNextIteration(fail)
        }
        return LinkRequestID(id: id)
    }

    // MARK: Performing

    func perform(_ action: AttributeStateMachine.Action) {
        switch action {
        case .send(let call, let attribute, let kind): send(call, attribute, kind)
        case .ignoreReply(let call):
            battery.cancel(call)
            calls.cancel(call)
        case .backOff(let call, let delay):
            calls.wait(call, for: delay) { [weak self] in
                self?.executor.handleAttributes { $0.backOffEnded(call, now: $1) }
            }
        case .complete(let request, let outcome): complete(request, outcome)
        case .startDelivery(let request, let attribute): startSubscription(request, attribute)
        case .endDelivery(let request, let attribute, let failure):
            endSubscription(request, attribute)
            let subscription = subscriptions.removeValue(forKey: request)
            if let failure { subscription?.onEnd(failure) }
        case .stopOrphanedNotify(let attribute):
            guard let path = services.characteristic(attribute)?.path else { return }
            // The notifications end with their socket.
            if !sockets.closeNotifySocket(attribute) { onOrphanedNotify?(path) }
        }
    }

    private func complete(
        _ id: AttributeStateMachine.RequestID,
        _ outcome: AttributeStateMachine.Outcome
    ) {
        guard !leases.defersCompletions else {
            return client.clock.onNextIteration { [self] in complete(id, outcome) }
        }
        guard let request = pendingRequests.removeValue(forKey: id) else { return }
        switch (request, outcome) {
        case (.read(let completion), .failed(let failure)):
            calls.abandonRead(id)
            completion(.failure(failure))
        case (.read(let completion), .replied), (.read(let completion), .succeeded):
            completion(.success(calls.replyValue))
        case (.write(_, _, let completion), .failed(let failure)): completion(.failure(failure))
        case (.write(_, _, let completion), .replied), (.write(_, _, let completion), .succeeded):
            completion(.success(()))
        case (.session(let completion), .failed(let failure)): completion(.failure(failure))
        case (.session(let completion), .replied), (.session(let completion), .succeeded):
            completion(.success(()))
            startDelivery(id)
        }
    }

    // MARK: Subscriptions

    private func startSubscription(
        _ request: AttributeStateMachine.RequestID,
        _ attribute: AttributeStateMachine.AttributeID
    ) {
        guard let characteristic = services.characteristic(attribute),
            let subscription = subscriptions[request]
        else { return }
        let dispatcher = characteristic.dispatcher
        dispatcher.add(request, subscription.onValue)
        if subscription.throughSocket { sockets.add(request, attribute) }
        if let path = characteristic.path, !sockets.hasNotifySocket(attribute) {
            client.setDispatcher(of: path, to: dispatcher)
        }
    }

    private func endSubscription(
        _ request: AttributeStateMachine.RequestID,
        _ attribute: AttributeStateMachine.AttributeID
    ) {
        sockets.remove(request, attribute)
        guard let characteristic = services.characteristic(attribute) else { return }
        characteristic.dispatcher.remove(request)
        if characteristic.dispatcher.isEmpty, let path = characteristic.path {
            client.setDispatcher(of: path, to: nil)
        }
    }

    private func startDelivery(_ id: AttributeStateMachine.RequestID) {
        subscriptions[id]?.timer = nil
        guard let attribute = executor.attribute(of: id) else { return }
        guard let characteristic = services.characteristic(attribute) else { return }
        characteristic.dispatcher.start(id)
        characteristic.dispatcher.logDroppedValues(to: log)
    }

    // MARK: Calls

    private func send(
        _ call: AttributeStateMachine.CallNumber,
        _ attribute: AttributeStateMachine.AttributeID,
        _ kind: AttributeStateMachine.CallKind
    ) {
        let characteristic = services.characteristic(attribute)
        if kind == .request, let characteristic, characteristic.path != nil,
            case .write(let value, let withResponse, _) = pendingRequests[call]
        {
            return write(call, value, withResponse: withResponse, to: characteristic)
        }
        guard !sockets.isEmpty else { return sendAtOnce(call, attribute, kind, characteristic) }
        sockets.whenDrained(call, for: executor.lease(of: call)) { [weak self] in
            self?.sendAtOnce(call, attribute, kind, characteristic)
        }
    }

    /// Sends any call except the write of a characteristic; bluetoothd has read the earlier values.
    private func sendAtOnce(
        _ call: AttributeStateMachine.CallNumber,
        _ attribute: AttributeStateMachine.AttributeID,
        _ kind: AttributeStateMachine.CallKind,
        _ characteristic: RemoteCharacteristic?
    ) {
        guard let timeLeft = executor.timeLeft(of: call) else { return }
        guard let characteristic else {
            return sendDescriptorCall(call, attribute, within: timeLeft)
        }
        guard characteristic.path != nil else {
            return battery.perform(call, kind, within: timeLeft)
        }
        switch kind {
        case .request: read(call, characteristic, within: timeLeft)
        case .startNotify: sockets.startNotifications(call, characteristic, within: timeLeft)
        case .stopNotify: sockets.stopNotifications(call, characteristic, within: timeLeft)
        }
    }

    private func write(
        _ call: AttributeStateMachine.CallNumber,
        _ value: Data,
        withResponse: Bool,
        to characteristic: RemoteCharacteristic
    ) {
        guard withResponse, sockets.isUnused else {
            return sockets.write(value, withResponse: withResponse, to: characteristic, call)
        }
        guard let timeLeft = executor.timeLeft(of: call) else { return }
        calls.send(call, characteristic.writeCall(withResponse: true), value, within: timeLeft)
    }

    private func read(
        _ call: AttributeStateMachine.CallNumber,
        _ characteristic: RemoteCharacteristic,
        within timeout: Duration
    ) {
        // Values from a socket contain no echo of a read.
        let hasEcho = !sockets.hasNotifySocket(characteristic.id)
        let dispatcher = hasEcho ? characteristic.dispatcher : nil
        dispatcher?.readStarted()
        calls.send(
            call,
            characteristic.readCall,
            within: timeout,
            buffering: dispatcher,
            isRead: true
        )
    }

    private func sendDescriptorCall(
        _ call: AttributeStateMachine.CallNumber,
        _ attribute: AttributeStateMachine.AttributeID,
        within timeout: Duration
    ) {
        let path = services.descriptor(attribute)?.path
        let prepared: CallTemplate? =
            switch pendingRequests[call] {
            case .read: path.flatMap { GattDescriptor1.readValue($0) }
            case .write(let value, _, _): path.flatMap { GattDescriptor1.writeValue($0, value) }
            case .session, nil: nil
            }
        calls.send(call, prepared, within: timeout, isRead: true)
    }
}

struct SubscriptionHandlers {
    let onValue: (Data) -> Void
    let onEnd: (BlueZFailure) -> Void
    var throughSocket = false
    /// The timer of the set-up.
    var timer: ScheduledTimer?
}
