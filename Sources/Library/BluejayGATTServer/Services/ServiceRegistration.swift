internal import BluejayBlueZ
internal import FoundationEssentials

/// A published service: its characteristics and descriptors answer bluetoothd.
final class ServiceRegistration {
    let service: LocalService
    let objectRegistration: ObjectRegistration
    private let application: GATTApplication
    private let characteristics: [CharacteristicRequestHandler]
    private let descriptors: [AttributeRequestHandler]

    init(_ service: LocalService, exporter: ObjectExporter, _ context: ServiceContext) {
        self.service = service
        let client = context.client
        var descriptors: [AttributeRequestHandler] = []
        characteristics = service.characteristics.map {
            CharacteristicRequestHandler($0, context)
        }
        let exported = characteristics.map { handler in
            let own = handler.characteristic.descriptors.map { descriptor in
                let attribute = AttributeRequestHandler(
                    AttributeRequestHandler.Source(descriptor, on: client.context),
                    context
                )
                descriptors.append(attribute)
                return ExportedDescriptor(
                    uuid: descriptor.uuid.canonicalText,
                    flags: descriptor.properties.flags,
                    handler: attribute
                )
            }
            return handler.exported(descriptors: own)
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
        objectRegistration = ObjectRegistration(application, client: client)
        for (characteristic, handler) in zip(service.characteristics, characteristics) {
            characteristic.attach(handler)
        }
        for (index, characteristic) in characteristics.enumerated() {
            characteristic.subscribers?.sockets.onSignal = { [weak self] value in
                guard let self, let objects = objectRegistration.objectServer else { return }
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
        of handler: CharacteristicRequestHandler,
        completion: SubscriberList.Completion? = nil
    ) throws -> Bool? {
        guard let index = characteristics.firstIndex(where: { $0 === handler }) else {
            return nil
        }
        handler.characteristic.store(value)
        guard handler.characteristic.isSubscribed, let objects = objectRegistration.objectServer
        else {
            return false
        }
        // An empty packet would end the socket for bluetoothd.
        if let subscribers = handler.subscribers, subscribers.sockets.isSubscribed, !value.isEmpty {
            try subscribers.send(value, completion: completion)
            return true
        }
        application.emit(value, ofCharacteristic: index, on: objects)
        completion?(.success(()))
        return true
    }

    func has(_ handler: CharacteristicRequestHandler) -> Bool {
        characteristics.contains { $0 === handler }
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
