package import BluejayCore
internal import BluejayGLib
package import FoundationEssentials

/// Why a link is down.
package enum LinkEnd: Equatable, Swift.Sendable {
    /// Asked for by the last user in this process.
    case requested
    /// The peer left, the signal was lost, or another program cut it; with bluetoothd's reason, when it
    /// gives one (BlueZ 5.83 and later).
    case lost(reason: String?)
    /// The adapter went off or away, or bluetoothd did.
    case unavailable
}

/// Why a link did not come up.
package enum LinkFailure: Error, Equatable {
    case timedOut
    case cancelled
    case unavailable
    /// Pairing failed, or the keys of one side have gone.
    case pairing(String)
    /// bluetoothd could not be asked: it is gone, does not respond, or may not be called.
    case bluez(BlueZFailure)
    case failed(String)
}

/// Names a read, a write or a subscription of one link; never used twice.
package struct LinkRequest: Hashable {
    let number: AttributeMachine.Request
}

/// The handlers of a lease.
package struct LinkHandlers {
    /// Called with each step of the connection attempt, and last with `resolved`, before the completion of
    /// `connect`.
    ///
    /// A user who joins later receives the current step first, and on a link that is up only `resolved`.
    package var onProgress: ((LinkProgress) -> Void)?
    /// Called once when the link, having been up, is down.
    package var onEnd: ((LinkEnd) -> Void)?
    /// Called when services of the device were added or removed, with the removed ones.
    package var onServicesChanged: (([ServiceIdentifier]) -> Void)?
    /// Called when the ATT MTU has changed.
    package var onMTUChanged: ((Int) -> Void)?
    /// Called when a property of the device itself has changed, as far as `Device1` has it in `described`.
    package var onDeviceChanged: (() -> Void)?
    /// Called when pairing has replaced a private address of the device by its own.
    package var onAddressChanged: ((DeviceAddress) -> Void)?
}

/// One user's share in a link; several may share one, and only the last one's leaving cuts it.
///
/// What a user asks for is the lease's: it ends with the lease, and with nobody else's. Every completion
/// comes once, on the context. A time limit counts from the call's turn on: what the user asked of the same
/// characteristic before goes first. A call that takes longer fails with `timedOut`.
package final class LinkLease {
    /// The owner's handlers.
    package var handlers = LinkHandlers()

    /// What a call may take that names no limit: longer than bluetoothd's own of 30 s.
    package static let standardLimit = AttributeMachine.operationTime

    /// What happens to the link when the lease ends without `release`: by its time limit, by
    /// `Link.cancel`, or because its owner lets it go.
    package var cutting = LinkCut.always

    /// The link itself.
    package let link: Link
    let user: LinkMachine.User
    /// The completion of `connect`, until the connection attempt ends.
    private var connectCompletion: ((Result<Void, LinkFailure>) -> Void)?
    /// The time limit of `connect`.
    private var connectTimer: ScheduledTimer?

    init(_ link: Link, _ user: LinkMachine.User) {
        self.link = link
        self.user = user
    }

    deinit {
        link.forget(user, cutting)
    }

    func beginConnect(
        _ timer: ScheduledTimer?,
        _ completion: @escaping (Result<Void, LinkFailure>) -> Void
    ) {
        connectTimer = timer
        connectCompletion = completion
    }

    func takeConnectCompletion() -> ((Result<Void, LinkFailure>) -> Void)? {
        defer { connectCompletion = nil }
        return connectCompletion
    }

    func endConnect(_ result: Result<Void, LinkFailure>) {
        guard let completion = takeConnectCompletion() else { return }
        connectTimer = nil
        completion(result)
    }

    /// Ends the lease.
    ///
    /// A lease that still waits for the link takes its attempt back, whatever `cut` is.
    ///
    /// - Parameters:
    ///   - cut: What happens to a link that no other lease uses.
    ///   - completion: Called once, in a later turn of the loop, when the link is down or is left to
    ///     others.
    package func release(cutting cut: LinkCut, _ completion: @escaping () -> Void = {}) {
        link.release(self, cut, completion)
    }

    /// Reads the whole value.
    @discardableResult
    package func read(
        _ characteristic: RemoteCharacteristic,
        within limit: Duration = standardLimit,
        completion: @escaping (Result<Data, BlueZFailure>) -> Void
    ) -> LinkRequest {
        link.requests.request(.read(completion), characteristic, user, within: limit)
    }

    /// Writes a value; without response it is done when bluetoothd has taken it.
    @discardableResult
    package func write(
        _ characteristic: RemoteCharacteristic,
        _ value: Data,
        withResponse: Bool,
        within limit: Duration = standardLimit,
        completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) -> LinkRequest {
        link.requests.request(
            .write(value, withResponse: withResponse, completion),
            characteristic,
            user,
            within: limit
        )
    }

    /// Whether values without response may go through a socket, which keeps other programs from writing to
    /// the characteristic for as long as they come; true at first.
    package var usesSockets = true {
        didSet { link.sockets.setWilling(usesSockets, user) }
    }

    /// Sends a value without response at once, if there is a socket for it and nothing is before it.
    ///
    /// It costs no message on the bus. A socket comes with the second `write` without response in a row.
    ///
    /// - Parameters:
    ///   - value: 1 byte up to what the MTU allows, at most 512; another one is not sent.
    ///   - characteristic: One of the link's.
    /// - Returns: Whether it is on its way; if not, nothing has happened, and `write` is to be used.
    package func send(_ value: Data, to characteristic: RemoteCharacteristic) -> Bool {
        link.sockets.sendAtOnce(value, to: characteristic, user)
    }

    /// Reads the whole value of a descriptor.
    @discardableResult
    package func read(
        _ descriptor: RemoteDescriptor,
        within limit: Duration = standardLimit,
        completion: @escaping (Result<Data, BlueZFailure>) -> Void
    ) -> LinkRequest {
        link.requests.request(.read(completion), descriptor, user, within: limit)
    }

    /// Writes the value of a descriptor.
    @discardableResult
    package func write(
        _ descriptor: RemoteDescriptor,
        _ value: Data,
        within limit: Duration = standardLimit,
        completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) -> LinkRequest {
        link.requests.request(
            .write(value, withResponse: true, completion),
            descriptor,
            user,
            within: limit
        )
    }

    /// Subscribes to the values that the peer sends by itself.
    ///
    /// - Parameters:
    ///   - characteristic: One of the link's.
    ///   - throughSocket: Whether they come through a socket, where bluetoothd gives one: cheaper, but
    ///     other programs cannot listen, and what comes before it is there, or is not taken in time, is
    ///     lost.
    ///   - limit: How long the set-up may take, from this call on.
    ///   - value: Called for each value, in order; the first one after the completion.
    ///   - ended: Called at most once, when the characteristic vanishes, or bluetoothd has closed the
    ///     socket and sends no signals either; the end of the link is told by `onEnd`.
    ///   - completion: Called once, when values come or cannot.
    /// - Returns: What `unsubscribe` takes.
    package func subscribe(
        _ characteristic: RemoteCharacteristic,
        throughSocket: Bool = false,
        within limit: Duration = standardLimit,
        value: @escaping (Data) -> Void,
        ended: @escaping (BlueZFailure) -> Void,
        completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) -> LinkRequest {
        link.requests.subscribe(
            characteristic,
            user,
            LinkSubscription(value: value, ended: ended, throughSocket: throughSocket),
            within: limit,
            completion
        )
    }

    /// How many values of a subscription were lost, the oldest first, because more than 4,096 came while a
    /// read was under way or the set-up was.
    package func lostValueCount(of subscription: LinkRequest) -> Int {
        link.requests.lostValueCount(of: subscription)
    }

    /// Ends a subscription: no value is told from this call on.
    ///
    /// A set-up that has not completed fails with `cancelled`. The completion comes when bluetoothd sends
    /// no more, or at once when others still subscribe; it succeeds when there is nothing to end.
    package func unsubscribe(
        _ subscription: LinkRequest,
        completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) {
        link.requests.unsubscribe(subscription, completion)
    }

    /// Takes back a read or a write that waits for others on its characteristic, and fails it.
    ///
    /// The failure is `cancelled`. One that is on its way ends with its answer, behind which the peer is
    /// free again.
    package func withdraw(_ request: LinkRequest) {
        link.requests.cancel(request)
    }
}
