package import BluejayDBus
internal import BluejayGLib

/// The pending calls of a link, so that its end can end them, and its subscriptions.
struct LinkOperations {
    struct Pending {
        let object: ObjectPath
        let call: CallID?
        let fail: (BlueZFailure) -> Void
    }

    /// A subscription to the values of one characteristic.
    final class Subscription {
        let handler: ([UInt8]) -> Void
        /// Values are kept here until `StartNotify` has answered, and while a read is pending.
        var held: [[UInt8]] = []
        var isStarted = false
        var readsPending = 0

        init(_ handler: @escaping ([UInt8]) -> Void) { self.handler = handler }

        var isHolding: Bool { !isStarted || readsPending > 0 }
    }

    private(set) var pending: [(id: Int, operation: Pending)] = []
    private var nextID = 0
    var subscriptions: [ObjectPath: Subscription] = [:]

    mutating func add(_ operation: Pending) -> Int {
        nextID += 1
        pending.append((nextID, operation))
        return nextID
    }

    /// Forgets an operation; false when it has been ended before.
    mutating func remove(_ id: Int) -> Bool {
        guard let index = pending.firstIndex(where: { $0.id == id }) else { return false }
        pending.remove(at: index)
        return true
    }

    /// Forgets the operations on an object, or all; the caller fails them then.
    ///
    /// What they call back may begin others, so that nothing of this is being changed meanwhile.
    mutating func takeAll(on object: ObjectPath? = nil) -> [Pending] {
        let taken = pending.map(\.operation).filter { object == nil || $0.object == object }
        pending.removeAll { object == nil || $0.operation.object == object }
        return taken
    }

    /// Runs `work` in the next turn.
    func later(_ clock: any EventClock, _ work: @escaping () -> Void) {
        let holder = TimerHolder()
        holder.timer = clock.schedule(after: .zero) {
            holder.timer = nil
            work()
        }
    }
}

private final class TimerHolder {
    var timer: ScheduledTimer?
}

extension Link {
    /// The ATT transaction limit is 30 s, after which bluetoothd answers by itself.
    static let operationTime = Duration.seconds(40)
    /// Waits between two tries while something else is under way on the same characteristic.
    static let backOff: [Duration] = [10, 20, 50, 100, 200, 500].map { .milliseconds($0) }

    /// Reads the whole value of a characteristic.
    package func read(
        _ characteristic: ObjectPath,
        completion: @escaping (Result<[UInt8], BlueZFailure>) -> Void
    ) {
        operations.subscriptions[characteristic]?.readsPending += 1
        let subscription = operations.subscriptions[characteristic]
        perform(characteristic, "ReadValue", [.properties([])]) { [weak self] result in
            let bytes = result.map { $0.first?.bytes ?? [] }
            if let subscription { self?.releaseHeld(subscription, echo: try? bytes.get()) }
            completion(bytes)
        }
    }

    /// Writes a value; without response it is done when bluetoothd has taken it.
    package func write(
        _ characteristic: ObjectPath,
        _ value: [UInt8],
        withResponse: Bool,
        completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) {
        let options: BusProperties = [("type", .string(withResponse ? "request" : "command"))]
        perform(characteristic, "WriteValue", [.bytes(value), .properties(options)]) {
            completion($0.map { _ in })
        }
    }

    /// Subscribes to the values of a characteristic; one handler to a characteristic.
    ///
    /// Values that come before the subscription is confirmed are delivered right after it.
    package func startNotify(
        _ characteristic: ObjectPath,
        handler: @escaping ([UInt8]) -> Void,
        completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) {
        let subscription = LinkOperations.Subscription(handler)
        operations.subscriptions[characteristic] = subscription
        client.routeValues(of: characteristic) { value in
            guard let bytes = value.bytes else { return }
            if subscription.isHolding {
                subscription.held.append(bytes)
            } else {
                subscription.handler(bytes)
            }
        }
        perform(characteristic, "StartNotify") { [weak self] result in
            guard let self else { return }
            if case .failure = result { removeSubscription(characteristic) }
            subscription.isStarted = true
            completion(result.map { _ in })
            if case .success = result { deliverHeld(subscription) }
        }
    }

    /// Ends a subscription; its handler is not called any more.
    package func stopNotify(
        _ characteristic: ObjectPath,
        completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) {
        removeSubscription(characteristic)
        perform(characteristic, "StopNotify") { completion($0.map { _ in }) }
    }

    /// The ATT MTU, 23 to 517.
    package func mtu(of characteristic: ObjectPath) -> Int {
        client.objects.mtu(of: characteristic)
    }

    /// The last signal strength in dBm, while a discovery knows one.
    package var rssi: Int? {
        // BlueZ has no call for the signal strength of a link; 127 is "not known".
        guard let path, let rssi = client.objects.value(path, BlueZ.device, "RSSI")?.integer,
            rssi != 127
        else { return nil }
        return rssi
    }

    /// Fails the operations on an object, or all, in their order.
    func failPending(on object: ObjectPath? = nil, _ failure: BlueZFailure) {
        for operation in operations.takeAll(on: object) { operation.fail(failure) }
    }

    func stopNotifying() {
        // Sessions belong to the connection to the bus and would outlive the link.
        for characteristic in operations.subscriptions.keys.sorted() {
            removeSubscription(characteristic)
            client.call(
                characteristic,
                BlueZ.gattCharacteristic,
                "StopNotify",
                timeout: Self.operationTime
            ) { _ in }
        }
    }

    func endValues() {
        for characteristic in operations.subscriptions.keys { removeSubscription(characteristic) }
    }

    private func removeSubscription(_ characteristic: ObjectPath) {
        operations.subscriptions[characteristic]?.held = []
        operations.subscriptions[characteristic] = nil
        client.routeValues(of: characteristic, to: nil)
    }

    // bluetoothd signals the value it has read just before its reply; of the values that came meanwhile
    // the last equal one is that echo, the others are notifications.
    private func releaseHeld(_ subscription: LinkOperations.Subscription, echo: [UInt8]?) {
        subscription.readsPending -= 1
        if let echo, let index = subscription.held.lastIndex(of: echo) {
            subscription.held.remove(at: index)
        }
        if !subscription.isHolding { deliverHeld(subscription) }
    }

    private func deliverHeld(_ subscription: LinkOperations.Subscription) {
        while !subscription.isHolding, !subscription.held.isEmpty {
            subscription.handler(subscription.held.removeFirst())
        }
    }

    private func perform(
        _ characteristic: ObjectPath,
        _ member: String,
        _ arguments: [BusValue] = [],
        attempt: Int = 0,
        completion: @escaping (Result<[BusValue], BlueZFailure>) -> Void
    ) {
        var id = 0
        let call = client.call(
            characteristic,
            BlueZ.gattCharacteristic,
            member,
            arguments,
            timeout: Self.operationTime
        ) { [weak self] result in
            guard let self, operations.remove(id) else { return }
            switch result {
            case .success(let values): completion(.success(values))
            case .failure(let error):
                let failure = BlueZFailure(error)
                guard failure == .inProgress, attempt < Self.backOff.count else {
                    return completion(.failure(failure))
                }
                retry(characteristic, member, arguments, attempt: attempt, completion)
            }
        }
        guard let call else { return completion(.failure(.daemonGone)) }
        id = operations.add(
            LinkOperations.Pending(object: characteristic, call: call) { [weak self] failure in
                self?.client.connection?.cancel(call)
                completion(.failure(failure))
            }
        )
    }

    private func retry(
        _ characteristic: ObjectPath,
        _ member: String,
        _ arguments: [BusValue],
        attempt: Int,
        _ completion: @escaping (Result<[BusValue], BlueZFailure>) -> Void
    ) {
        var id = 0
        let timer = client.clock.schedule(after: Self.backOff[attempt]) { [weak self] in
            guard let self, operations.remove(id) else { return }
            perform(
                characteristic,
                member,
                arguments,
                attempt: attempt + 1,
                completion: completion
            )
        }
        id = operations.add(
            LinkOperations.Pending(object: characteristic, call: nil) { failure in
                timer.cancel()
                completion(.failure(failure))
            }
        )
    }
}
