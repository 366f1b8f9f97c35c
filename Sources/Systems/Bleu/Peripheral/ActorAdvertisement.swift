internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import BluejayGLib
internal import FoundationEssentials

/// The advertisement of one actor, which restarts if bluetoothd rejects it after a restart.
///
/// Confined to the loop of the host.
final class ActorAdvertisement {
    private static let retryDelay = Duration.seconds(10)

    private let context: PeripheralContext
    private let description: PeripheralDescription
    private var content: LocalAdvertisement
    private var advertising: ActiveAdvertisement?
    private var retryTimer: ScheduledTimer?
    private var isStopped = false

    init(_ description: PeripheralDescription, _ context: PeripheralContext) {
        self.description = description
        self.context = context
        content = Self.content(AdvertisementData(), description)
    }

    func start(_ completion: @escaping GATTServer.Completion) {
        let advertising = context.server.advertise(content) { [weak self] result in
            if case .failure = result { self?.advertising = nil }
            completion(result)
        }
        advertising.onEnd = { [weak self, weak advertising] error in
            guard let self, let advertising, self.advertising === advertising else { return }
            let reason = error.map { "\($0)" } ?? "ended"
            context.log.warning("advertisement refused", ["error": reason])
            self.advertising = nil
            retry()
        }
        self.advertising = advertising
    }

    /// Changes the content if the new one fits.
    func update(_ data: AdvertisementData, _ completion: @escaping GATTServer.Completion) {
        let new = Self.content(data, description)
        if let advertising {
            return advertising.update(to: new) { [weak self] result in
                if case .success = result { self?.content = new }
                completion(result)
            }
        }
        do {
            content = try new.validated()
            restart(completion)
        } catch {
            completion(.failure(error))
        }
    }

    func stop(_ completion: @escaping () -> Void) {
        isStopped = true
        retryTimer = nil
        guard let advertising else { return context.clock.onNextIteration(completion) }
        self.advertising = nil
        advertising.stop(completion: completion)
    }

    private func retry() {
        guard !isStopped else { return }
        retryTimer = context.clock.schedule(after: Self.retryDelay) { [weak self] in
            self?.restart { _ in }
        }
    }

    private func restart(_ completion: @escaping GATTServer.Completion) {
        retryTimer = nil
        start { [weak self] result in
            if case .failure = result { self?.retry() }
            completion(result)
        }
    }

    private static func content(
        _ data: AdvertisementData,
        _ description: PeripheralDescription
    ) -> LocalAdvertisement {
        let name = AdvertisedName.truncate((data.localName ?? "").filter { $0 != "\0" })
        let own = BluetoothUUID(description.service)
        let others = data.serviceUUIDs.map { BluetoothUUID($0) }.filter { $0 != own }
        let serviceData = data.serviceData.map { (BluetoothUUID($0), $1) }
        return LocalAdvertisement(
            serviceUUIDs: [own] + others,
            localName: name.isEmpty ? AdvertisedName.truncate(description.typeName) : name,
            manufacturerData: data.manufacturerData,
            serviceData: Dictionary(serviceData) { first, _ in first },
            includesTxPower: data.includesTxPower
        )
    }
}
