internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import BluejayGLib
internal import FoundationEssentials

/// The service of one actor, with a characteristic for each method.
///
/// Confined to the loop of the host.
final class ActorService {
    private static let retryDelay = Duration.seconds(10)

    let id = UUID()
    var actor: LocalActor
    private(set) lazy var characteristics = makeCharacteristics()
    private(set) lazy var service = LocalService(
        uuid: BluetoothUUID(actor.description.service),
        characteristics: characteristics
    )
    private let context: PeripheralContext
    private let centrals: ConnectedCentrals
    private var retryTimer: ScheduledTimer?

    init(_ actor: LocalActor, _ context: PeripheralContext, _ centrals: ConnectedCentrals) {
        self.actor = actor
        self.context = context
        self.centrals = centrals
    }

    private func makeCharacteristics() -> [LocalCharacteristic] {
        actor.description.methods.enumerated().map { index, method in
            let characteristic = LocalCharacteristic(
                uuid: BluetoothUUID(method.characteristic),
                properties: Self.properties(method, context.configuration),
                subscriptions: .perCentral,
                onRead: { [weak self] in
                    if let self { centrals.read($0, index, of: self) }
                },
                onWrite: { [weak self] in
                    if let self { centrals.write($0, index, of: self) }
                }
            )
            characteristic.onSubscriberChange = { [weak self] change in
                guard let self else { return }
                switch change {
                case .subscribed(let central): centrals.subscribed(central, index, of: self)
                case .unsubscribed(let central):
                    centrals.unsubscribed(central?.uuid, index, of: self)
                // `ConnectedCentrals` follows the links.
                case .disconnected, .lostSocket: break
                }
            }
            return characteristic
        }
    }

    /// Returns a call of a method.
    ///
    /// - Parameters:
    ///   - method: The number of its characteristic.
    ///   - namedTarget: The target that the central names, for a method of a registered type.
    ///   - arguments: The JSON array of the arguments.
    /// - Returns: `nil` if the target is unknown.
    func call(_ method: Int, namedTarget: String?, _ arguments: Data) -> CentralCalls.Call? {
        let known = actor.description.methods[method].target
        guard let target = known ?? namedTarget, namedTarget ?? target == target else { return nil }
        return CentralCalls.Call(method, target, arguments, of: actor)
    }

    /// Schedules another attempt after bluetoothd has rejected a service that it had before.
    func retry() {
        retryTimer = context.clock.schedule(after: Self.retryDelay) { [weak self] in
            guard let self, !service.isAdded else { return }
            context.server.add(service) { [weak self] in
                if case .failure = $0 { self?.retry() }
            }
        }
    }

    func remove() {
        retryTimer = nil
        context.server.remove(service)
    }

    private static func properties(
        _ method: DistributedMethod,
        _ configuration: BleuConfiguration
    ) -> AttributeProperties {
        var properties: AttributeProperties = [.write, .notify]
        let isReadable = method.isReadable && configuration.encryption != .aesGCM
        // Where commands are allowed, bluetoothd confirms each write itself, whatever its bytes. Arguments
        // may take many frames, which would be slow without commands; after a read, messages are short.
        properties.insert(isReadable ? .read : .writeWithoutResponse)
        guard configuration.encryption == .link else { return properties }
        // Without the authentication, an encrypted link to any central would be enough.
        if configuration.passkeyProvider == nil {
            properties.formUnion([.encryptWrite, .encryptNotify])
            if isReadable { properties.insert(.encryptRead) }
        } else {
            properties.formUnion([.encryptAuthenticatedWrite, .encryptAuthenticatedNotify])
            if isReadable { properties.insert(.encryptAuthenticatedRead) }
        }
        return properties
    }
}
