internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

/// The subscriptions of one session, one for each characteristic that has been called.
///
/// Confined to the loop of the host.
final class SessionSubscriptions {
    private enum Entry {
        case pending([(BlueZFailure?) -> Void])
        case active
    }

    private let lease: LinkLease
    private let timeout: Duration
    private let receive: (Data, RemoteCharacteristic) -> Void
    private let ended: (RemoteCharacteristic) -> Void
    private var entries: [ObjectIdentifier: Entry] = [:]

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - lease: The link.
    ///   - timeout: The longest time of a subscription's set-up.
    ///   - receive: Receives each notification.
    ///   - ended: Called when a characteristic is removed.
    init(
        _ lease: LinkLease,
        timeout: Duration,
        receive: @escaping (Data, RemoteCharacteristic) -> Void,
        ended: @escaping (RemoteCharacteristic) -> Void
    ) {
        self.lease = lease
        self.timeout = timeout
        self.receive = receive
        self.ended = ended
    }

    /// Subscribes to a characteristic, if it is not subscribed yet.
    ///
    /// `completion` is called once: at once if the subscription is active.
    func require(
        _ characteristic: RemoteCharacteristic,
        _ completion: @escaping (BlueZFailure?) -> Void
    ) {
        let key = ObjectIdentifier(characteristic)
        switch entries[key] {
        case .active: completion(nil)
        case .pending(let others): entries[key] = .pending(others + [completion])
        case nil:
            entries[key] = .pending([completion])
            subscribe(characteristic, key)
        }
    }

    private func subscribe(_ characteristic: RemoteCharacteristic, _ key: ObjectIdentifier) {
        _ = lease.subscribe(
            characteristic,
            within: timeout,
            onValue: { [weak self] in self?.receive($0, characteristic) },
            onEnd: { [weak self] _ in
                self?.entries[key] = nil
                self?.ended(characteristic)
            },
            completion: { [weak self] in self?.finished($0, key) }
        )
    }

    private func finished(_ result: Result<Void, BlueZFailure>, _ key: ObjectIdentifier) {
        guard case .pending(let completions) = entries[key] else { return }
        switch result {
        case .success:
            entries[key] = .active
            for completion in completions { completion(nil) }
        case .failure(let failure):
            entries[key] = nil
            for completion in completions { completion(failure) }
        }
    }
}
