internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import BluejayGLib
internal import FoundationEssentials

/// The advertisement of one actor, which starts again if bluetoothd refuses it after a restart.
///
/// Confined to the loop of the host.
final class ServedAdvertisement {
    private static let retryDelay = Duration.seconds(10)

    private let context: PeripheralContext
    private let description: PeripheralDescription
    private var content: LocalAdvertisement
    private var advertising: Advertising?
    private var retryTimer: ScheduledTimer?

    init(_ description: PeripheralDescription, _ context: PeripheralContext) {
        self.description = description
        self.context = context
        content = Self.content(AdvertisementData(), description)
    }

    func start(_ completion: @escaping GATTServer.Completion) {
        let advertising = context.server.advertise(content, completion: completion)
        advertising.onEnd = { [weak self, weak advertising] error in
            guard let self, let advertising, self.advertising === advertising else { return }
            context.log.warning(
                "advertisement refused",
                ["error": error.map { "\($0)" } ?? "ended"]
            )
            self.advertising = nil
            retry()
        }
        self.advertising = advertising
    }

    /// Changes the content.
    ///
    /// - Throws: `BluejayError` if the content does not fit.
    func update(_ data: AdvertisementData, _ completion: @escaping GATTServer.Completion) throws {
        let new = try Self.content(data, description).validated()
        let update: GATTServer.Completion = { [weak self] result in
            if case .success = result { self?.content = new }
            completion(result)
        }
        if let advertising { return advertising.update(to: new, completion: update) }
        content = new
        retryTimer = nil
        start(completion)
    }

    func stop(_ completion: @escaping () -> Void) {
        retryTimer = nil
        guard let advertising else { return context.clock.later(completion) }
        self.advertising = nil
        advertising.stop(completion: completion)
    }

    private func retry() {
        retryTimer = context.clock.schedule(after: Self.retryDelay) { [weak self] in
            self?.start { [weak self] result in
                guard let self, case .failure = result, advertising != nil else { return }
                advertising = nil
                retry()
            }
        }
    }

    private static func content(
        _ data: AdvertisementData,
        _ description: PeripheralDescription
    ) -> LocalAdvertisement {
        let name = AdvertisedName.cut((data.localName ?? "").filter { $0 != "\0" })
        let own = BluetoothUUID(description.service)
        let others = data.serviceUUIDs.map { BluetoothUUID($0) }.filter { $0 != own }
        let serviceData = data.serviceData.map { (BluetoothUUID($0), $1) }
        return LocalAdvertisement(
            serviceUUIDs: [own] + others,
            localName: name.isEmpty ? AdvertisedName.cut(description.typeName) : name,
            manufacturerData: data.manufacturerData,
            serviceData: Dictionary(serviceData) { first, _ in first },
            includesTxPower: data.includesTxPower
        )
    }
}
