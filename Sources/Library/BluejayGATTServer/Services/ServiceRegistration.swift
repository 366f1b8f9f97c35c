internal import BluejayBlueZ
internal import FoundationEssentials

/// A published service of the user: its characteristics and descriptors answer bluetoothd.
final class ServiceRegistration {
    let service: LocalService
    let registration: ObjectRegistration
    private let application: GATTApplication
    private let characteristics: [CharacteristicRequestHandler]
    private let descriptors: [AttributeRequestHandler]

    init(
        _ service: LocalService,
        client: BlueZClient,
        exporter: ObjectExporter,
        centrals: CentralTracker,
        requests: CentralRequestLimiter,
        log: Log
    ) {
        self.service = service
        var descriptors: [AttributeRequestHandler] = []
        characteristics = service.characteristics.map { characteristic in
            CharacteristicRequestHandler(
                characteristic,
                client: client,
                centrals: centrals,
                requests: requests,
                log: log
            )
        }
        let exported = characteristics.map { published in
            let own = published.characteristic.descriptors.map { descriptor in
                let attribute = AttributeRequestHandler(
                    AttributeRequestHandler.Source(descriptor, on: client.context),
                    client: client,
                    centrals: centrals,
                    requests: requests,
                    log: log
                )
                descriptors.append(attribute)
                return ExportedDescriptor(
                    uuid: descriptor.uuid.canonicalText,
                    flags: descriptor.properties.flags,
                    handler: attribute
                )
            }
            return published.exported(descriptors: own)
        }
        self.descriptors = descriptors
        application = GATTApplication(
            ExportedService(
                uuid: service.uuid.canonicalText,
                isPrimary: service.isPrimary,
                characteristics: exported
            ),
            at: exporter.makePath("application")
        )
        registration = ObjectRegistration(application, client: client)
        for (characteristic, published) in zip(service.characteristics, characteristics) {
            characteristic.attach(published)
        }
        for (index, characteristic) in characteristics.enumerated() {
            characteristic.subscribers?.sockets.onSignal = { [weak self] value in
                guard let self, let objects = registration.objectServer else { return }
                application.emit(value, ofCharacteristic: index, on: objects)
            }
        }
    }

    /// Sends a value to the subscribers of one characteristic.
    ///
    /// - Returns: Whether the value was sent and `completion` will be called; nil for a characteristic of
    ///   another service.
    /// - Throws: The reason that no subscriber with a socket can accept the value.
    func send(
        _ value: Data,
        of published: CharacteristicRequestHandler,
        completion: SubscriberList.Completion? = nil
    ) throws -> Bool? {
        guard let index = characteristics.firstIndex(where: { $0 === published }) else {
            return nil
        }
        published.characteristic.store(value)
        guard published.characteristic.isSubscribed, let objects = registration.objectServer else {
            return false
        }
        // An empty packet would end the socket for bluetoothd.
        if let subscribers = published.subscribers, subscribers.sockets.isSubscribed, !value.isEmpty
        {
            try subscribers.send(value, completion: completion)
            return true
        }
        application.emit(value, ofCharacteristic: index, on: objects)
        completion?(.success(()))
        return true
    }

    func has(_ published: CharacteristicRequestHandler) -> Bool {
        characteristics.contains { $0 === published }
    }

    func connectionsChanged(
        _ now: Set<BlueZPath>,
        eligibleCentrals: Set<BlueZPath>,
        reach: NotifySockets.Machine.Reach,
        reportsEachSubscriber: Bool
    ) {
        for characteristic in characteristics {
            let sockets = characteristic.subscribers?.sockets
            sockets?.connectionsChanged(
                now,
                eligibleCentrals: eligibleCentrals,
                reach: reach,
                reportsEachSubscriber: reportsEachSubscriber
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

    func centralsChanged(hasCentrals: Bool) {
        for characteristic in characteristics {
            characteristic.centralsChanged(hasCentrals: hasCentrals)
        }
    }

    func centralDisconnected(_ device: BlueZPath) {
        for characteristic in characteristics { characteristic.centralDisconnected(device) }
        for descriptor in descriptors { descriptor.forget(device) }
    }
}
