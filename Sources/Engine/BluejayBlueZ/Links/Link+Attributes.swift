internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import BluejayTables
internal import FoundationEssentials

/// What the users of a link wait for, and what is on its way to bluetoothd.
struct LinkRequests {
    enum Request {
        case read((Result<Data, BlueZFailure>) -> Void)
        case write(Data, withResponse: Bool, (Result<Void, BlueZFailure>) -> Void)
        /// A subscription that is being set up, or its end.
        case session((Result<Void, BlueZFailure>) -> Void)
    }

    struct Call {
        var sent: BusCall?
        var timer: ScheduledTimer?
        /// The way of the values that are held for the answer of a read.
        var heldRoute: ValueRoute?
        var isRead = false
    }

    /// By `AttributeMachine.Request`.
    var waiting = NumberTable<Request>()
    var subscriptions: [AttributeMachine.Request: LinkSubscription] = [:]
    /// By `AttributeMachine.Call`.
    var calls = NumberTable<Call>()
    /// The value of the answer that is being performed.
    var answer = Data()
    /// Reads of a battery that bluetoothd has not read yet.
    var batteryReads: [AttributeMachine.Call: ScheduledTimer] = [:]
    private var lastNumber = 0

    mutating func makeNumber() -> AttributeMachine.Request {
        lastNumber += 1
        return lastNumber
    }
}

extension Link {
    /// How long it may take until bluetoothd has read a battery that it keeps to itself.
    static let batteryTime = Duration.seconds(5)

    // MARK: Requests

    func request(
        _ request: LinkRequests.Request,
        _ characteristic: RemoteCharacteristic,
        _ user: LinkMachine.User,
        within limit: Duration
    ) -> LinkRequest {
        let number = requests.makeNumber()
        requests.waiting[number] = request
        guard isUsable(characteristic, user) else { return refuse(number) }
        let now = client.clock.now
        let attribute = characteristic.number
        perform(machine.ask { $0.request(number, user, attribute, within: limit, now: now) })
        return LinkRequest(number: number)
    }

    func subscribe(
        _ characteristic: RemoteCharacteristic,
        _ user: LinkMachine.User,
        _ subscription: LinkSubscription,
        within limit: Duration,
        _ completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) -> LinkRequest {
        let number = requests.makeNumber()
        requests.waiting[number] = .session(completion)
        guard isUsable(characteristic, user) else { return refuse(number) }
        requests.subscriptions[number] = subscription
        if limit < AttributeMachine.operationTime {
            requests.subscriptions[number]?.timer = client.clock.schedule(after: limit) {
                [weak self] in self?.expired(number)
            }
        }
        let now = client.clock.now
        perform(machine.ask { $0.subscribe(number, user, characteristic.number, now: now) })
        return LinkRequest(number: number)
    }

    private func expired(_ subscription: AttributeMachine.Request) {
        let now = client.clock.now
        perform(machine.ask { $0.expired(subscription, now: now) })
    }

    func unsubscribe(
        _ subscription: LinkRequest,
        _ completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) {
        let number = requests.makeNumber()
        requests.waiting[number] = .session(completion)
        let now = client.clock.now
        perform(machine.ask { $0.unsubscribe(subscription.number, number, now: now) })
    }

    func lostValueCount(of subscription: LinkRequest) -> Int {
        machine.attributes.attribute(of: subscription.number)
            .flatMap { table.characteristic($0)?.route.lostCount(of: subscription.number) } ?? 0
    }

    func withdraw(_ request: LinkRequest) {
        perform(machine.ask { $0.withdraw(request.number) })
    }

    /// The ATT MTU, 23 to 517; nil when BlueZ does not tell it, or no characteristic has an object.
    package var toldMTU: Int? {
        let path = services.lazy.compactMap { $0.characteristics.first?.path }.first
        return path.flatMap { client.objects.mtu(of: $0) }
    }

    /// The ATT MTU; 23 is the least that ATT allows.
    package var mtu: Int { toldMTU ?? 23 }

    /// The ATT MTU for one characteristic: a smaller one that another has told is on its way to this.
    package func mtu(of characteristic: RemoteCharacteristic) -> Int {
        guard let path = characteristic.path else { return mtu }
        let own = client.objects.mtu(of: path) ?? 23
        return min(own, lastMTU ?? own)
    }

    private func isUsable(
        _ characteristic: RemoteCharacteristic,
        _ user: LinkMachine.User
    ) -> Bool {
        machine.isMember(user) && table.characteristic(characteristic.number) === characteristic
    }

    func refuse(_ number: AttributeMachine.Request) -> LinkRequest {
        let failure: BlueZFailure = isUp ? .gone : .linkLost
        client.clock.later { [weak self] in self?.complete(number, .failed(failure)) }
        return LinkRequest(number: number)
    }

    // MARK: Performing

    /// Performs what the characteristics need; it changes nothing of the link and its users.
    func perform(_ new: [AttributeMachine.Action]) {
        actions.perform(new, as: LinkMachine.Action.attributes) { perform($0) }
    }

    func perform(_ action: AttributeMachine.Action) {
        switch action {
        case .send(let call, let attribute, let message): send(call, attribute, message)
        case .forget(let call): giveUp(call)
        case .backOff(let call, let delay):
            var entry = requests.calls[call] ?? LinkRequests.Call()
            entry.timer = client.clock.schedule(after: delay) { [weak self] in
                guard let self else { return }
                let now = client.clock.now
                perform(machine.ask { $0.backOffEnded(call, now: now) })
            }
            requests.calls[call] = entry
        case .complete(let request, let outcome): complete(request, outcome)
        case .begin(let request, let attribute):
            guard let characteristic = table.characteristic(attribute),
                let subscription = requests.subscriptions[request]
            else { return }
            let route = characteristic.route
            route.add(request, subscription.value)
            wish(request, attribute, isOn: subscription.throughSocket)
            if let path = characteristic.path, sockets.listening[attribute] == nil {
                client.routeValues(of: path, to: route)
            }
        case .end(let request, let attribute, let failure):
            end(request, attribute)
            let subscription = requests.subscriptions.removeValue(forKey: request)
            if let failure { subscription?.ended(failure) }
        case .stopLeftOver(let attribute):
            guard let path = table.characteristic(attribute)?.path else { return }
            // With its socket the session goes.
            if let socket = sockets.listening.removeValue(forKey: attribute) {
                return socket.close()
            }
            guard client.objects.adapterState(adapter) == .on else { return engine.leaves(path) }
            stopLeftOver(path)
        }
    }

    /// Ends a session that nobody waits for.
    func stopLeftOver(_ path: ObjectPath) {
        guard let stop = GattCharacteristic1.stopNotify(path) else { return }
        _ = client.call(stop, timeout: AttributeMachine.operationTime) { _ in }
    }

    private func end(_ request: AttributeMachine.Request, _ attribute: AttributeMachine.Attribute) {
        wish(request, attribute, isOn: false)
        guard let characteristic = table.characteristic(attribute) else { return }
        characteristic.route.remove(request)
        if characteristic.route.isEmpty, let path = characteristic.path {
            client.routeValues(of: path, to: nil)
        }
    }

    private func complete(_ number: AttributeMachine.Request, _ outcome: AttributeMachine.Outcome) {
        guard !answersLater else {
            return client.clock.later { [self] in complete(number, outcome) }
        }
        guard let request = requests.waiting.removeValue(forKey: number) else { return }
        switch (request, outcome) {
        case (.read(let completion), .failed(let failure)): completion(.failure(failure))
        case (.read(let completion), .answered), (.read(let completion), .succeeded):
            completion(.success(requests.answer))
        case (.write(_, _, let completion), .failed(let failure)): completion(.failure(failure))
        case (.write(_, _, let completion), .answered), (.write(_, _, let completion), .succeeded):
            completion(.success(()))
        case (.session(let completion), .failed(let failure)): completion(.failure(failure))
        case (.session(let completion), .answered), (.session(let completion), .succeeded):
            completion(.success(()))
            beginValues(number)
        }
    }

    // The values follow the word that they come.
    private func beginValues(_ number: AttributeMachine.Request) {
        requests.subscriptions[number]?.timer = nil
        guard let attribute = machine.attributes.attribute(of: number) else { return }
        guard let characteristic = table.characteristic(attribute) else { return }
        characteristic.route.begin(number)
        noteLoss(characteristic.route)
    }

    // MARK: Calls

    private func send(
        _ call: AttributeMachine.Call,
        _ attribute: AttributeMachine.Attribute,
        _ message: AttributeMachine.Message
    ) {
        if case .request(let number) = message,
            case .write(let value, let withResponse, _) = requests.waiting[number],
            let characteristic = table.characteristic(attribute), characteristic.path != nil
        {
            guard withResponse, sockets.isUnused else {
                return write(value, withResponse: withResponse, to: characteristic, call)
            }
            guard let limit = timeLeft(of: call) else { return }
            return sendWrite(
                call,
                value,
                withResponse: true,
                to: characteristic,
                within: limit
            )
        }
        guard !sockets.isEmpty else { return sendBehind(call, attribute, message) }
        whenRead(call, by: machine.attributes.user(of: call)) { [weak self] in
            self?.sendBehind(call, attribute, message)
        }
    }

    /// Sends what is no write of a characteristic, behind the values that were written before it.
    private func sendBehind(
        _ call: AttributeMachine.Call,
        _ attribute: AttributeMachine.Attribute,
        _ message: AttributeMachine.Message
    ) {
        let now = client.clock.now
        guard let limit = machine.attributes.timeLeft(of: call, now: now) else { return }
        guard let characteristic = table.characteristic(attribute) else {
            return sendToDescriptor(call, attribute, message, within: limit)
        }
        guard characteristic.path != nil else {
            return sendToBattery(call, message, within: limit)
        }
        switch message {
        case .request(let number): read(call, number, characteristic, within: limit)
        case .startNotify: startValues(call, characteristic, within: limit)
        case .stopNotify: stopValues(call, characteristic, within: limit)
        }
    }

    private func read(
        _ call: AttributeMachine.Call,
        _ number: AttributeMachine.Request,
        _ characteristic: RemoteCharacteristic,
        within limit: Duration
    ) {
        guard case .read = requests.waiting[number] else { return }
        // Where values come through a socket a read has no echo among them.
        let hasEcho = sockets.listening[characteristic.number] == nil
        let route = hasEcho ? characteristic.route : nil
        route?.readBegins()
        send(call, characteristic.readCall, within: limit, holding: route, isRead: true)
    }

    /// Sends a write by a message.
    func sendWrite(
        _ call: AttributeMachine.Call,
        _ value: Data,
        withResponse: Bool,
        to characteristic: RemoteCharacteristic,
        within limit: Duration
    ) {
        guard let write = characteristic.writeCall(withResponse: withResponse) else {
            return failLater(call)
        }
        let sent = client.call(write, value, timeout: limit) { [reference] in
            reference.link?.replied(call, $0)
        }
        requests.calls[call] = LinkRequests.Call(sent: sent)
    }

    func send(
        _ call: AttributeMachine.Call,
        _ prepared: PreparedCall?,
        within limit: Duration,
        holding route: ValueRoute? = nil,
        isRead: Bool = false
    ) {
        guard let prepared else { return failLater(call) }
        let sent = client.call(prepared, timeout: limit) { [reference] in
            reference.link?.replied(call, $0)
        }
        requests.calls[call] = LinkRequests.Call(
            sent: sent,
            heldRoute: route,
            isRead: isRead
        )
    }

    private func failLater(_ call: AttributeMachine.Call) {
        client.clock.later { [weak self] in self?.answered(call, .gone) }
    }

    func replied(_ call: AttributeMachine.Call, _ result: ReplyResult) {
        let entry = requests.calls.removeValue(forKey: call)
        var failure: BlueZFailure?
        switch result {
        case .failure(let error):
            failure = BlueZFailure(error)
            entry?.heldRoute?.readEnded(nil)
            if let route = entry?.heldRoute { noteLoss(route) }
        case .success(let message):
            guard let entry, entry.isRead else { break }
            requests.answer = message.reader.data() ?? Data()
            guard let route = entry.heldRoute else { break }
            route.readEnded(requests.answer)
            noteLoss(route)
        }
        answered(call, failure)
    }

    func answered(_ call: AttributeMachine.Call, _ failure: BlueZFailure?) {
        let now = client.clock.now
        perform(machine.ask { $0.answered(call, failure, now: now) })
    }

    private func giveUp(_ call: AttributeMachine.Call) {
        requests.batteryReads[call] = nil
        guard let entry = requests.calls.removeValue(forKey: call) else { return }
        if let sent = entry.sent { client.cancel(sent) }
        entry.heldRoute?.readEnded(nil)
    }

    // MARK: The battery that bluetoothd keeps to itself

    private var batteryLevel: UInt8? {
        path.flatMap { client.objects.properties($0, Battery1.interface) }
            .flatMap { Battery1($0).percentage }
    }

    // bluetoothd listens to it by itself; there is nothing to switch on.
    private func sendToBattery(
        _ call: AttributeMachine.Call,
        _ message: AttributeMachine.Message,
        within limit: Duration
    ) {
        guard case .request = message, batteryLevel == nil else {
            return client.clock.later { [weak self] in self?.answeredByBattery(call) }
        }
        requests.batteryReads[call] = client.clock.schedule(
            after: min(limit, Self.batteryTime)
        ) {
            [weak self] in
            guard let self else { return }
            requests.batteryReads[call] = nil
            answered(call, .timedOut)
        }
    }

    private func answeredByBattery(_ call: AttributeMachine.Call) {
        requests.answer = Data(batteryLevel.map { [$0] } ?? [])
        answered(call, nil)
    }

    /// `Battery1` came or changed.
    func tellBattery() {
        guard let level = batteryLevel else { return }
        for call in requests.batteryReads.keys.sorted() {
            requests.batteryReads[call] = nil
            answeredByBattery(call)
        }
        table.characteristic(.batteryLevel)?.route.receive(Data([level]))
    }
}
