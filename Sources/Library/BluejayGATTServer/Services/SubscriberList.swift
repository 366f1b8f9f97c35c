internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

/// The subscribers of a published characteristic with `subscriptions: .perCentral`.
final class SubscriberList {
    typealias Completion = (Result<Void, any Error>) -> Void

    var onSubscriberChange: ((SubscriberChange<PeripheralIdentifier>) -> Void)?
    let sockets: NotifySockets
    private let centrals: CentralTracker
    private let requests: CentralRequestLimiter
    /// The subscribers with their last identifiers, which bluetoothd may forget with the link.
    private var identifiers: [BlueZPath: PeripheralIdentifier] = [:]

    init(_ context: ServiceContext) {
        sockets = NotifySockets(on: context.client.context, clock: context.client.clock)
        centrals = context.centrals
        requests = context.requests
        sockets.onSubscriberChange = { [weak self] in self?.subscriberChanged($0) }
    }

    private func subscriberChanged(_ change: SubscriberChange<BlueZPath>) {
        guard let path = change.central else {
            return onSubscriberChange?(.unsubscribed(nil)) ?? ()
        }
        if case .subscribed = change { centrals.attributeAccessed(by: path) }
        let known = identifiers.removeValue(forKey: path)
        guard let central = centrals.identifier(of: path) ?? known else { return }
        switch change {
        case .subscribed:
            identifiers[path] = central
            onSubscriberChange?(.subscribed(central))
        case .unsubscribed: onSubscriberChange?(.unsubscribed(central))
        case .disconnected: onSubscriberChange?(.disconnected(central))
        case .lostSocket:
            identifiers[path] = central
            onSubscriberChange?(.lostSocket(central))
        }
    }

    /// In the order of the subscriptions.
    var subscribers: [Subscriber] {
        sockets.subscribers.compactMap { subscriber in
            centrals.identifier(of: subscriber.central).map {
                Subscriber(
                    central: $0,
                    mtu: mtu(of: subscriber),
                    waitingValueCount: subscriber.pendingCount,
                    droppedValueCount: subscriber.droppedCount,
                    sharesValues: subscriber.sharesValues
                )
            }
        }
    }

    private func mtu(of subscriber: NotifySockets.Machine.Subscriber) -> Int? {
        let known = [subscriber.mtu, requests.mtu(of: subscriber.central)]
        return known.compactMap { $0 }.max()
    }

    /// Whether no MTU that is known cuts a value.
    func fits(_ value: Data) -> Bool {
        sockets.subscribers.allSatisfy { subscriber in
            mtu(of: subscriber).map { value.count <= ATTLimits.payload(mtu: $0) } ?? true
        }
    }

    /// Sends a value to all subscribers.
    ///
    /// - Parameters:
    ///   - value: At least one byte.
    ///   - completion: Called once unless this throws, when the value has left all queues.
    /// - Throws: An error if the queues of all subscribers are full.
    func send(_ value: Data, completion: Completion?) throws {
        let end: ((NotifySockets.Machine.Outcome) -> Void)? = completion.map { completion in
            { _ in completion(.success(())) }
        }
        guard let refusal = sockets.send(value, completion: end) else { return }
        if refusal == .full { throw Self.queueFullError }
        completion?(.success(()))
    }

    /// Sends a value to one subscriber.
    ///
    /// - Parameters:
    ///   - value: At least one byte.
    ///   - path: The object path of the central; nil if it does not exist.
    ///   - central: The identifier for errors.
    ///   - completion: Called once unless this throws.
    /// - Throws: The reason that the value is refused.
    func send(
        _ value: Data,
        to path: BlueZPath?,
        _ central: PeripheralIdentifier,
        completion: Completion?
    ) throws {
        guard let path else { throw BluejayError.notSubscribed(central) }
        if let subscriber = sockets.subscribers.first(where: { $0.central == path }),
            let mtu = mtu(of: subscriber)
        {
            let limit = ATTLimits.payload(mtu: mtu)
            guard value.count <= limit else {
                throw BluejayError.valueTooLong(length: value.count, limit: limit)
            }
        }
        let reach = sockets.reach
        let refusal = sockets.send(value, to: path) { outcome in
            switch outcome {
            case .sent: completion?(.success(()))
            case .failed(let refusal):
                completion?(.failure(Self.error(refusal, central, reach)))
            }
        }
        if let refusal { throw Self.error(refusal, central, reach) }
    }

    private static var queueFullError: BluejayError {
        .tooManyValues(limit: NotifySockets.Machine.maximumQueuedValueCount)
    }

    private static func error(
        _ refusal: NotifySockets.Machine.SendFailure,
        _ central: PeripheralIdentifier,
        _ reach: NotifySockets.Machine.Reach
    ) -> BluejayError {
        switch refusal {
        case .notSubscribed: .notSubscribed(central)
        case .notAddressable where reach == .oneSubscriber:
            .notAddressable(central).withCause(
                "bluetoothd closed the notifications of central \(central) by mistake and would send "
                    + "the value to others, too; notify all subscribers, or wait until it "
                    + "subscribes again or is the only central"
            )
        case .notAddressable: .notAddressable(central)
        case .full: queueFullError
        }
    }
}
