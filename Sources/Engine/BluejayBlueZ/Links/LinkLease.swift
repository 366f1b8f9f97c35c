package import BluejayCore
internal import BluejayGLib
package import FoundationEssentials

/// The progress of a connection attempt.
package enum LinkProgress: Equatable, Swift.Sendable {
    /// bluetoothd does not know the device and searches for it.
    case discovering
    /// `Connect` is pending, or the delay before the next one; attempts count from 1.
    case connecting(attempt: Int)
    /// The link is up and resolves its services; it may break and be connected again.
    case connected
    /// The services are known: the link is ready for use.
    case servicesResolved
}

package enum LinkDownReason: Equatable, Swift.Sendable {
    /// The last user in this process ended the link.
    case requested
    /// The peer disconnected, the signal was lost, or another program disconnected the device.
    ///
    /// `reason` is bluetoothd's, if it reports one (BlueZ 5.83 and later).
    case lost(reason: String?)
    /// The adapter or bluetoothd became unavailable.
    case unavailable
}

package enum LinkFailure: Error, Equatable {
    case timedOut
    case cancelled
    case unavailable
    /// Pairing failed, or one side lost its keys.
    case pairing(String)
    /// bluetoothd could not be called: it is not running, does not respond, or refuses this user.
    case bluez(BlueZFailure)
    case failed(String)

    /// The link was up for the 30 s of ATT, and the peripheral did not answer the discovery of its services.
    package static let unansweredDiscovery = LinkFailure.failed(
        ConnectStateMachine.unansweredDiscovery
    )
}

/// The treatment of a link when its last lease ends.
package enum DisconnectPolicy: Equatable {
    /// The link is disconnected.
    case always
    /// The link is disconnected if this program initiated it, or if a lease that ended earlier had `always`.
    ///
    /// A link that the peer or another program opened stays. If both ends connect at once, BlueZ does
    /// not report whose attempt succeeded: the link counts as initiated by this program.
    case ifLocal
    /// The link stays up in bluetoothd until another program disconnects it, or a `connect` takes it over.
    case never

    func disconnects(isLocal: Bool) -> Bool {
        switch self {
        case .always: true
        case .ifLocal: isLocal
        case .never: false
        }
    }
}

/// Identifies a read, a write or a subscription of one link; never reused.
package struct LinkRequestID: Hashable {
    let id: AttributeStateMachine.RequestID
}

package struct LinkHandlers {
    /// Called with each step of the connection attempt, and last with `servicesResolved`, before the
    /// completion of `connect`.
    ///
    /// A user who joins later receives the current step first; on a link that is up, only `servicesResolved`.
    package var onProgress: ((LinkProgress) -> Void)?
    /// Called once, when an established link goes down.
    package var onEnd: ((LinkDownReason) -> Void)?
    /// Called when services of the device were added or removed, with the removed ones.
    package var onServicesChanged: (([ServiceIdentifier]) -> Void)?
    package var onMTUChanged: ((Int) -> Void)?
    /// Called when a property of the device itself changes, if `Device1.described` includes the property.
    package var onDeviceChanged: (() -> Void)?
    /// Called when pairing has replaced the device's private address by its identity address.
    package var onAddressChanged: ((DeviceAddress) -> Void)?
}

/// One user's lease of a link; the last lease to end disconnects the link.
///
/// The requests of a user end with its lease. Every completion is called once, on the context. Requests for
/// one characteristic run one after the other. A time limit counts from the start of the request's own
/// call; a longer call fails with `timedOut`.
package final class LinkLease {
    package var handlers = LinkHandlers()

    /// The default time limit of a call, above bluetoothd's own 30 s.
    package static let defaultTimeout = AttributeStateMachine.operationTimeout

    /// The treatment of the link if the lease ends without `release`: by its time limit, `Link.cancel` or
    /// deallocation.
    package var disconnectPolicy = DisconnectPolicy.always

    package let link: Link
    let id: LinkStateMachine.LeaseID
    /// The completion of `connect`, until the connection attempt ends.
    private var connectCompletion: ((Result<Void, LinkFailure>) -> Void)?
    private var connectTimer: ScheduledTimer?

    init(_ link: Link, _ id: LinkStateMachine.LeaseID) {
        self.link = link
        self.id = id
    }

    deinit {
        link.leaseDeinitialized(id, disconnectPolicy)
    }

    func startConnect(
        _ timer: ScheduledTimer?,
        _ completion: @escaping (Result<Void, LinkFailure>) -> Void
    ) {
        connectTimer = timer
        connectCompletion = completion
    }

    func removeConnectCompletion() -> ((Result<Void, LinkFailure>) -> Void)? {
        defer { connectCompletion = nil }
        return connectCompletion
    }

    func completeConnect(_ result: Result<Void, LinkFailure>) {
        guard let completion = removeConnectCompletion() else { return }
        connectTimer = nil
        completion(result)
    }

    /// Ends the lease.
    ///
    /// If the lease still waits for the link, its attempt is cancelled, whatever `policy` is.
    ///
    /// - Parameters:
    ///   - policy: The treatment of a link that no other lease uses.
    ///   - completion: Called once, on a later iteration, when the link is down or in use by others.
    package func release(
        disconnecting policy: DisconnectPolicy,
        _ completion: @escaping () -> Void = {}
    ) {
        link.release(self, policy, completion)
    }

    /// Reads the whole value.
    @discardableResult
    package func read(
        _ characteristic: RemoteCharacteristic,
        within timeout: Duration = defaultTimeout,
        completion: @escaping (Result<Data, BlueZFailure>) -> Void
    ) -> LinkRequestID {
        link.requests.request(.read(completion), characteristic, id, within: timeout)
    }

    /// Writes a value; without response it completes when bluetoothd has accepted the value.
    @discardableResult
    package func write(
        _ characteristic: RemoteCharacteristic,
        _ value: Data,
        withResponse: Bool,
        within timeout: Duration = defaultTimeout,
        completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) -> LinkRequestID {
        link.requests.request(
            .write(value, withResponse: withResponse, completion),
            characteristic,
            id,
            within: timeout
        )
    }

    /// Whether values without response may use a socket; initially true.
    ///
    /// An open socket keeps other programs from writing to the characteristic.
    package var usesSockets = true {
        didSet { link.sockets.setAllowsSockets(usesSockets, id) }
    }

    /// Sends a value without response at once if its socket is open and no earlier value waits.
    ///
    /// It costs no message on the bus. The second `write` without response in a row acquires the socket.
    ///
    /// - Parameters:
    ///   - value: 1 byte up to the limit of the MTU, at most 512 bytes; any other value is not sent.
    ///   - characteristic: A characteristic of the link.
    /// - Returns: Whether the value was sent; if not, the caller uses `write`.
    package func send(_ value: Data, to characteristic: RemoteCharacteristic) -> Bool {
        link.sockets.sendAtOnce(value, to: characteristic, id)
    }

    @discardableResult
    package func read(
        _ descriptor: RemoteDescriptor,
        within timeout: Duration = defaultTimeout,
        completion: @escaping (Result<Data, BlueZFailure>) -> Void
    ) -> LinkRequestID {
        link.requests.request(.read(completion), descriptor, id, within: timeout)
    }

    @discardableResult
    package func write(
        _ descriptor: RemoteDescriptor,
        _ value: Data,
        within timeout: Duration = defaultTimeout,
        completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) -> LinkRequestID {
        link.requests.request(
            .write(value, withResponse: true, completion),
            descriptor,
            id,
            within: timeout
        )
    }

    /// Subscribes to the notifications of a characteristic.
    ///
    /// - Parameters:
    ///   - characteristic: A characteristic of the link.
    ///   - throughSocket: Whether to receive values through a socket, if bluetoothd offers one. A socket is
    ///     cheaper, but other programs cannot subscribe, and values that arrive before the socket is open
    ///     or exceed its buffer are lost.
    ///   - timeout: The time limit for the set-up, from this call on.
    ///   - onValue: Called for each value, in order, after the completion.
    ///   - onEnd: Called at most once, when the characteristic is removed, or bluetoothd has closed the
    ///     socket and sends no signals either; `LinkHandlers.onEnd` reports the end of the link.
    ///   - completion: Called once, when the set-up has succeeded or failed.
    /// - Returns: The subscription, for `unsubscribe`.
    package func subscribe(
        _ characteristic: RemoteCharacteristic,
        throughSocket: Bool = false,
        within timeout: Duration = defaultTimeout,
        onValue: @escaping (Data) -> Void,
        onEnd: @escaping (BlueZFailure) -> Void,
        completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) -> LinkRequestID {
        link.requests.subscribe(
            characteristic,
            id,
            SubscriptionHandlers(onValue: onValue, onEnd: onEnd, throughSocket: throughSocket),
            within: timeout,
            completion
        )
    }

    /// The number of values, the oldest first, that a subscription lost because more than 4,096 arrived
    /// during a read or the set-up.
    package func droppedValueCount(of subscription: LinkRequestID) -> Int {
        link.requests.droppedValueCount(of: subscription)
    }

    /// Ends a subscription: no value is reported from this call on.
    ///
    /// A set-up that has not completed fails with `cancelled`. The completion is called when bluetoothd has
    /// stopped sending values, or at once while other subscriptions remain; it succeeds if the subscription
    /// has ended.
    package func unsubscribe(
        _ subscription: LinkRequestID,
        completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) {
        link.requests.unsubscribe(subscription, completion)
    }

    /// Cancels a waiting read or write, which fails with `cancelled`.
    ///
    /// A request that was sent ends with its reply.
    package func cancel(_ request: LinkRequestID) {
        link.requests.cancel(request)
    }
}
