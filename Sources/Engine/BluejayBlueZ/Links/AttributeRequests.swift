internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import BluejayTables
internal import FoundationEssentials

/// The reads, writes and subscriptions of a link's users: performs `AttributeStateMachine`.
final class AttributeRequests {
    enum Request {
        case read((Result<Data, BlueZFailure>) -> Void)
        case write(Data, withResponse: Bool, (Result<Void, BlueZFailure>) -> Void)
        case session((Result<Void, BlueZFailure>) -> Void)
    }

    /// Receives a characteristic whose notifications bluetoothd would resume; set once by the link.
    var onLeftOver: ((ObjectPath) -> Void)?
    /// By `AttributeStateMachine.Request`.
    private var waiting = NumberTable<Request>()
    private var subscriptions: [AttributeStateMachine.Request: SubscriptionHandlers] = [:]
    private var lastNumber = 0
    private let services: LinkServices
    private let battery: KeptBattery
    private let sockets: LinkSockets
    private let calls: PendingCalls
    private let executor: LinkExecutor
    private let users: LinkUsers
    private let client: BlueZClient
    private let log: Log

    init(
        _ services: LinkServices,
        _ battery: KeptBattery,
        _ sockets: LinkSockets,
        _ calls: PendingCalls,
        _ executor: LinkExecutor,
        _ users: LinkUsers,
        _ client: BlueZClient,
        _ log: Log
    ) {
        self.services = services
        self.battery = battery
        self.sockets = sockets
        self.calls = calls
        self.executor = executor
        self.users = users
        self.client = client
        self.log = log
    }

    // MARK: Requests

    func request(
        _ request: Request,
        _ characteristic: RemoteCharacteristic,
        _ user: LinkStateMachine.User,
        within limit: Duration
    ) -> LinkRequestID {
        let number = add(request)
        guard isUsable(characteristic, user) else { return refuse(number) }
        let attribute = characteristic.number
        executor.handleAttributes { $0.request(number, user, attribute, within: limit, now: $1) }
        return LinkRequestID(number: number)
    }

    func request(
        _ request: Request,
        _ descriptor: RemoteDescriptor,
        _ user: LinkStateMachine.User,
        within limit: Duration
    ) -> LinkRequestID {
        let number = add(request)
        let attribute = descriptor.number
        guard executor.isMember(user), services.descriptor(attribute) === descriptor else {
            return refuse(number)
        }
        executor.handleAttributes { $0.request(number, user, attribute, within: limit, now: $1) }
        return LinkRequestID(number: number)
    }

    func subscribe(
        _ characteristic: RemoteCharacteristic,
        _ user: LinkStateMachine.User,
        _ subscription: SubscriptionHandlers,
        within limit: Duration,
        _ completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) -> LinkRequestID {
        let number = add(.session(completion))
        guard isUsable(characteristic, user) else { return refuse(number) }
        subscriptions[number] = subscription
        if limit < AttributeStateMachine.operationTime {
            subscriptions[number]?.timer = client.clock.schedule(after: limit) { [weak self] in
                self?.executor.handleAttributes { $0.expired(number, now: $1) }
            }
        }
        executor.handleAttributes { $0.subscribe(number, user, characteristic.number, now: $1) }
        return LinkRequestID(number: number)
    }

    func unsubscribe(
        _ subscription: LinkRequestID,
        _ completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) {
        let number = add(.session(completion))
        executor.handleAttributes { $0.unsubscribe(subscription.number, number, now: $1) }
    }

    func cancel(_ request: LinkRequestID) {
        executor.handleAttributes { machine, _ in machine.withdraw(request.number) }
    }

    func lostValueCount(of subscription: LinkRequestID) -> Int {
        executor.attribute(of: subscription.number)
            .flatMap { services.characteristic($0)?.route.lostCount(of: subscription.number) } ?? 0
    }

    private func add(_ request: Request) -> AttributeStateMachine.Request {
        lastNumber += 1
        waiting[lastNumber] = request
        return lastNumber
    }

    private func isUsable(_ characteristic: RemoteCharacteristic, _ user: LinkStateMachine.User)
        -> Bool
    {
        executor.isMember(user)
            && services.characteristic(characteristic.number) === characteristic
    }

    private func refuse(_ number: AttributeStateMachine.Request) -> LinkRequestID {
        let failure: BlueZFailure = executor.isUp ? .gone : .linkLost
        client.clock.later { [weak self] in self?.complete(number, .failed(failure)) }
        return LinkRequestID(number: number)
    }

    // MARK: Performing

    func perform(_ action: AttributeStateMachine.Action) {
        switch action {
        case .send(let call, let attribute, let message): send(call, attribute, message)
        case .forget(let call):
            battery.cancel(call)
            calls.cancel(call)
        case .backOff(let call, let delay):
            calls.wait(call, for: delay) { [weak self] in
                self?.executor.handleAttributes { $0.backOffEnded(call, now: $1) }
            }
        case .complete(let request, let outcome): complete(request, outcome)
        case .begin(let request, let attribute): beginSubscription(request, attribute)
        case .end(let request, let attribute, let failure):
            endSubscription(request, attribute)
            let subscription = subscriptions.removeValue(forKey: request)
            if let failure { subscription?.ended(failure) }
        case .stopLeftOver(let attribute):
            guard let path = services.characteristic(attribute)?.path else { return }
            // The notifications end with their socket.
            if !sockets.closeListening(attribute) { onLeftOver?(path) }
        }
    }

    private func complete(
        _ number: AttributeStateMachine.Request,
        _ outcome: AttributeStateMachine.Outcome
    ) {
        guard !users.defersCompletions else {
            return client.clock.later { [self] in complete(number, outcome) }
        }
        guard let request = waiting.removeValue(forKey: number) else { return }
        switch (request, outcome) {
        case (.read(let completion), .failed(let failure)): completion(.failure(failure))
        case (.read(let completion), .answered), (.read(let completion), .succeeded):
            completion(.success(calls.answer))
        case (.write(_, _, let completion), .failed(let failure)): completion(.failure(failure))
        case (.write(_, _, let completion), .answered), (.write(_, _, let completion), .succeeded):
            completion(.success(()))
        case (.session(let completion), .failed(let failure)): completion(.failure(failure))
        case (.session(let completion), .answered), (.session(let completion), .succeeded):
            completion(.success(()))
            beginValues(number)
        }
    }

    // MARK: Subscriptions

    private func beginSubscription(
        _ request: AttributeStateMachine.Request,
        _ attribute: AttributeStateMachine.Attribute
    ) {
        guard let characteristic = services.characteristic(attribute),
            let subscription = subscriptions[request]
        else { return }
        let route = characteristic.route
        route.add(request, subscription.value)
        if subscription.throughSocket { sockets.add(request, attribute) }
        if let path = characteristic.path, !sockets.isListening(attribute) {
            client.routeValues(of: path, to: route)
        }
    }

    private func endSubscription(
        _ request: AttributeStateMachine.Request,
        _ attribute: AttributeStateMachine.Attribute
    ) {
        sockets.remove(request, attribute)
        guard let characteristic = services.characteristic(attribute) else { return }
        characteristic.route.remove(request)
        if characteristic.route.isEmpty, let path = characteristic.path {
            client.routeValues(of: path, to: nil)
        }
    }

    private func beginValues(_ number: AttributeStateMachine.Request) {
        subscriptions[number]?.timer = nil
        guard let attribute = executor.attribute(of: number) else { return }
        guard let characteristic = services.characteristic(attribute) else { return }
        characteristic.route.begin(number)
        characteristic.route.logLoss(to: log)
    }

    // MARK: Calls

    private func send(
        _ call: AttributeStateMachine.Call,
        _ attribute: AttributeStateMachine.Attribute,
        _ message: AttributeStateMachine.Message
    ) {
        if case .request(let number) = message,
            case .write(let value, let withResponse, _) = waiting[number],
            let characteristic = services.characteristic(attribute), characteristic.path != nil
        {
            guard withResponse, sockets.isUnused else {
                return sockets.write(value, withResponse: withResponse, to: characteristic, call)
            }
            guard let limit = executor.timeLeft(of: call) else { return }
            let prepared = characteristic.writeCall(withResponse: true)
            return calls.send(call, prepared, value, within: limit)
        }
        guard !sockets.isEmpty else { return sendAfterDraining(call, attribute, message) }
        sockets.whenDrained(call, for: executor.user(of: call)) { [weak self] in
            self?.sendAfterDraining(call, attribute, message)
        }
    }

    /// Sends any call except the write of a characteristic, after the earlier values.
    private func sendAfterDraining(
        _ call: AttributeStateMachine.Call,
        _ attribute: AttributeStateMachine.Attribute,
        _ message: AttributeStateMachine.Message
    ) {
        guard let limit = executor.timeLeft(of: call) else { return }
        guard let characteristic = services.characteristic(attribute) else {
            let descriptor = services.descriptor(attribute)
            let prepared = descriptor.flatMap { descriptorCall(message, $0.path) }
            return calls.send(call, prepared, within: limit, isRead: true)
        }
        guard characteristic.path != nil else {
            return battery.perform(call, message, within: limit)
        }
        switch message {
        case .request(let number): read(call, number, characteristic, within: limit)
        case .startNotify: sockets.startNotifications(call, characteristic, within: limit)
        case .stopNotify: sockets.stopNotifications(call, characteristic, within: limit)
        }
    }

    private func read(
        _ call: AttributeStateMachine.Call,
        _ number: AttributeStateMachine.Request,
        _ characteristic: RemoteCharacteristic,
        within limit: Duration
    ) {
        guard case .read = waiting[number] else { return }
        // Values from a socket contain no echo of a read.
        let hasEcho = !sockets.isListening(characteristic.number)
        let route = hasEcho ? characteristic.route : nil
        route?.readBegins()
        calls.send(call, characteristic.readCall, within: limit, holding: route, isRead: true)
    }

    private func descriptorCall(
        _ message: AttributeStateMachine.Message,
        _ descriptor: ObjectPath
    ) -> CallTemplate? {
        guard case .request(let number) = message else { return nil }
        switch waiting[number] {
        case .read: return GattDescriptor1.readValue(descriptor)
        case .write(let value, _, _): return GattDescriptor1.writeValue(descriptor, value)
        case .session, nil: return nil
        }
    }
}

struct SubscriptionHandlers {
    let value: (Data) -> Void
    let ended: (BlueZFailure) -> Void
    var throughSocket = false
    /// The time limit of the set-up.
    var timer: ScheduledTimer?
}
