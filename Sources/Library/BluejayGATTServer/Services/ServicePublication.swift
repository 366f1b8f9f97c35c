internal import BluejayBlueZ
internal import FoundationEssentials

/// A service of the user, published: its characteristics and descriptors answer bluetoothd.
final class ServicePublication {
    let service: LocalService
    /// Registers and withdraws it.
    let publication: Publication
    private let application: ServedApplication
    private let characteristics: [PublishedCharacteristic]
    private let descriptors: [PublishedAttribute]

    init(
        _ service: LocalService,
        client: BlueZClient,
        hub: ExportHub,
        centrals: Centrals,
        requests: CentralRequests,
        log: Log
    ) {
        self.service = service
        var descriptors: [PublishedAttribute] = []
        characteristics = service.characteristics.map { characteristic in
            PublishedCharacteristic(
                characteristic,
                client: client,
                centrals: centrals,
                requests: requests,
                log: log
            )
        }
        let served = characteristics.map { published in
            let own = published.characteristic.descriptors.map { descriptor in
                let attribute = PublishedAttribute(
                    PublishedAttribute.Source(descriptor),
                    client: client,
                    centrals: centrals,
                    requests: requests,
                    log: log
                )
                descriptors.append(attribute)
                return ServedDescriptor(
                    uuid: descriptor.uuid.canonicalText,
                    flags: descriptor.properties.flags,
                    handler: attribute
                )
            }
            return published.served(descriptors: own)
        }
        self.descriptors = descriptors
        application = ServedApplication(
            ServedService(
                uuid: service.uuid.canonicalText,
                isPrimary: service.isPrimary,
                characteristics: served
            ),
            at: hub.freshPath("application")
        )
        publication = Publication(application, client: client)
        for (characteristic, published) in zip(service.characteristics, characteristics) {
            characteristic.attach(published)
        }
        for (index, characteristic) in characteristics.enumerated() {
            characteristic.subscribers?.sockets.onSignal = { [weak self] value in
                guard let self, let objects = publication.exportedOn else { return }
                application.emit(value, ofCharacteristic: index, on: objects)
            }
        }
    }

    /// Sends a value to the subscribers of one characteristic; nil when it is not of this service.
    ///
    /// - Returns: Whether it was sent; `completion` is called once then.
    /// - Throws: What keeps all subscribers from taking it, when they have sockets.
    func send(
        _ value: Data,
        of published: PublishedCharacteristic,
        completion: PublishedSubscribers.Completion? = nil
    ) throws -> Bool? {
        guard let index = characteristics.firstIndex(where: { $0 === published }) else {
            return nil
        }
        published.characteristic.store(value)
        guard published.characteristic.isSubscribed, let objects = publication.exportedOn else {
            return false
        }
        // An empty packet would be the end of the socket for bluetoothd.
        if let subscribers = published.subscribers, subscribers.sockets.isSubscribed, !value.isEmpty
        {
            try subscribers.send(value, completion: completion)
            return true
        }
        application.emit(value, ofCharacteristic: index, on: objects)
        completion?(.success(()))
        return true
    }

    /// Whether a characteristic is of this service.
    func has(_ published: PublishedCharacteristic) -> Bool {
        characteristics.contains { $0 === published }
    }

    func connectionsChanged(
        _ now: Set<BlueZPath>,
        audience: Set<BlueZPath>,
        reach: NotifySockets.Machine.Reach,
        closesFirst: Bool
    ) {
        for characteristic in characteristics {
            let sockets = characteristic.subscribers?.sockets
            sockets?.connectionsChanged(
                now,
                audience: audience,
                reach: reach,
                closesFirst: closesFirst
            )
        }
    }

    /// Lets the characteristics be published again.
    func detach() {
        for characteristic in service.characteristics { characteristic.attach(nil) }
    }

    func forget() {
        for characteristic in characteristics { characteristic.forget() }
    }

    func centralsChanged(areAny: Bool) {
        for characteristic in characteristics { characteristic.centralsChanged(areAny: areAny) }
    }

    func centralLeft(_ device: BlueZPath) {
        for characteristic in characteristics { characteristic.centralLeft(device) }
        for descriptor in descriptors { descriptor.forget(device) }
    }
}
