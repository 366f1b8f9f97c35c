internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

// Who is told of a value.

extension ServerRunner {
    /// From where on a value on a socket reaches the one that it is for.
    private static let firstThatAddresses = BlueZVersion(5, 76)
    /// From where on each central that subscribes gets a socket.
    private static let firstThatTellsEach = BlueZVersion(5, 70)

    /// Sends a value to everybody who is subscribed.
    ///
    /// - Parameters:
    ///   - value: What is sent.
    ///   - characteristic: Of which it is.
    ///   - completion: Called once when true is returned.
    /// - Returns: Whether there is somebody.
    /// - Throws: Why it cannot be sent.
    func notify(
        _ value: Data,
        on characteristic: LocalCharacteristic,
        completion: Completion? = nil
    ) throws -> Bool {
        let value = try checked(value, characteristic)
        if let published = characteristic.published {
            for service in services {
                let isSent = try service.send(value, of: published, completion: completion)
                if let isSent { return isSent }
            }
        }
        throw BluejayError.notAdded(characteristic.uuid)
    }

    /// Sends a value to one central; `completion` is called once when nothing is thrown.
    func notify(
        _ value: Data,
        on characteristic: LocalCharacteristic,
        to central: PeripheralIdentifier,
        completion: Completion?
    ) throws {
        let value = try checked(value, characteristic)
        guard let published = characteristic.published,
            services.contains(where: { $0.has(published) })
        else { throw BluejayError.notAdded(characteristic.uuid) }
        guard let subscribers = published.subscribers else {
            throw BluejayError.invalidProperties(
                characteristic.uuid,
                "its subscribers are told together; make it with subscriptions: .perCentral"
            )
        }
        // bluetoothd takes an empty packet for the end of the socket.
        guard !value.isEmpty else {
            throw BluejayError.notSupported("an empty value for one central")
        }
        try subscribers.send(
            value,
            to: centrals?.path(of: central),
            central,
            completion: completion
        )
    }

    private func checked(_ value: Data, _ characteristic: LocalCharacteristic) throws -> Data {
        let value = try AttributeValue.checked(value)
        guard !characteristic.properties.isDisjoint(with: .subscribing) else {
            throw BluejayError.notSubscribable(characteristic.uuid)
        }
        return value
    }

    /// Tells the characteristics whose subscribers are told apart who is connected.
    func tellAudience() {
        let reach = reach
        shown.value.addressing = reach == .one ? .each : .all
        let now = centrals?.connectedPaths ?? []
        // BlueZ before 5.70 reports the first subscriber only: any connected device may be subscribed,
        // including a peripheral of this program. Later versions report each one.
        let audience = tellsEachSubscriber ? centrals?.centralPaths ?? [] : now
        for service in services {
            service.connectionsChanged(
                now,
                audience: audience,
                reach: reach,
                closesFirst: tellsEachSubscriber
            )
        }
    }

    private var reach: NotifySockets.Machine.Reach {
        guard let version else { return .everybody }
        return version >= Self.firstThatAddresses ? .one : .everybody
    }

    /// Whether each central that subscribes is told of, and not the first one only.
    var tellsEachSubscriber: Bool { version.map { $0 >= Self.firstThatTellsEach } ?? false }

    private var version: BlueZVersion? {
        guard let client, let adapter = tracker?.chosenAdapter else { return nil }
        return client.objects.bluezVersion(ofAdapter: adapter)
    }
}
