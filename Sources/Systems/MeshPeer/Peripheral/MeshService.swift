internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import BluejayGLib
internal import FoundationEssentials

/// The mesh service of a node: TX, RX, ID and PSM.
///
/// Confined to the loop of the host.
final class MeshService {
    /// Receives each value that a central writes to TX.
    var onValue: ((Data, UUID) -> Void)?
    /// Called when a central has subscribed (`true`) or unsubscribed (`false`).
    var onSubscription: ((UUID, Bool) -> Void)?

    /// Receives the reason why bluetoothd refused the service.
    var onFailure: ((String) -> Void)?

    /// Called when the service has been added (`true`) or refused (`false`).
    var onAdded: ((Bool) -> Void)?

    private enum Stage {
        case absent, adding, added, removing
    }

    private let server: GATTServer
    private let log: Log
    private let maximumQueuedNotifications: Int
    private let channels: PublishedChannels
    private let rx: LocalCharacteristic
    private let id: LocalCharacteristic
    private lazy var service = makeService()
    private var stage = Stage.absent
    private var isRequested = false
    private(set) var subscribers: [UUID] = []

    init(
        _ server: GATTServer,
        _ channels: PublishedChannels,
        maximumQueued: Int,
        _ log: Log
    ) {
        self.server = server
        self.channels = channels
        self.log = log
        maximumQueuedNotifications = maximumQueued
        rx = LocalCharacteristic(
            uuid: MeshBLEConstants.rxCharUUID,
            properties: .notify,
            subscriptions: .perCentral
        )
        id = LocalCharacteristic(
            uuid: MeshBLEConstants.idCharUUID,
            properties: .read,
            value: Data()
        )
        rx.onSubscriberChange = { [weak self] in self?.subscriberChanged($0) }
    }

    var identity: Data { id.value }

    /// Sets the identity.
    ///
    /// - Parameter identity: At most 24 bytes.
    func setIdentity(_ identity: Data) {
        do {
            try id.setValue(identity)
        } catch {
            log.warning("identity not set", ["error": "\(error)"])
        }
    }

    /// Adds the service to the server; `onAdded` reports the end.
    func add() {
        isRequested = true
        proceed()
    }

    /// Removes the service, which ends all subscriptions.
    func remove() {
        isRequested = false
        proceed()
    }

    /// Handles the rejection of a service that bluetoothd had before.
    func ended() {
        if stage == .added { stage = .absent }
    }

    // One call at a time: a service that is being removed cannot be added.
    private func proceed() {
        switch (stage, isRequested) {
        case (.absent, true):
            stage = .adding
            server.add(service) { [weak self] in self?.added($0) }
        case (.added, true): onAdded?(true)
        case (.added, false):
            stage = .removing
            server.remove(service) { [weak self] _ in
                self?.stage = .absent
                self?.proceed()
            }
        case (.absent, false), (.adding, _), (.removing, _): break
        }
    }

    private func added(_ result: Result<Void, any Error>) {
        guard case .failure(let error) = result else {
            stage = .added
            return proceed()
        }
        stage = .absent
        log.warning("mesh service not added", ["error": "\(error)"])
        guard isRequested else { return }
        onFailure?("\(error)")
        onAdded?(false)
    }

    func send(_ data: Data, to central: UUID) -> MeshSendResult {
        if let subscriber = rx.subscribers.first(where: { $0.central.uuid == central }) {
            guard data.count <= subscriber.maximumValueLength else {
                return .tooLong(limit: subscriber.maximumValueLength)
            }
            guard subscriber.waitingValueCount < maximumQueuedNotifications else {
                return .queueFull
            }
        }
        do {
            try server.notify(data, on: rx, to: PeripheralIdentifier(uuid: central, name: nil))
            return .queued
        } catch {
            return Self.result(error, data.count)
        }
    }

    private static func result(_ error: any Error, _ length: Int) -> MeshSendResult {
        switch (error as? BluejayError)?.code {
        case .notAddressable, .notSupported: .notAddressable
        case .tooManyValues: .queueFull
        case .valueTooLong: .tooLong(limit: ATTLimits.maximumValueLength)
        default: .unknownPeer
        }
    }

    private func makeService() -> LocalService {
        let tx = LocalCharacteristic(
            uuid: MeshBLEConstants.txCharUUID,
            properties: [.write, .writeWithoutResponse],
            onWrite: { [weak self] in self?.written($0) }
        )
        let psm = LocalCharacteristic(
            uuid: MeshBLEConstants.psmCharUUID,
            properties: .read,
            onRead: { [channels] in $0.respond(with: channels.value) }
        )
        return LocalService(
            uuid: MeshBLEConstants.serviceUUID,
            characteristics: [tx, rx, id, psm]
        )
    }

    private func written(_ request: WriteRequest) {
        request.accept()
        guard let central = request.central else {
            return log.warning("write dropped: bluetoothd did not name the central")
        }
        onValue?(request.value, central.uuid)
    }

    private func subscriberChanged(_ change: SubscriberChange<PeripheralIdentifier>) {
        switch change {
        case .subscribed(let central): addSubscriber(central.uuid)
        case .unsubscribed(let central?), .disconnected(let central):
            removeSubscriber(central.uuid)
        case .unsubscribed(nil): becameUnavailable()
        case .lostSocket: break
        }
    }

    /// Follows a central whose address pairing has replaced.
    func identified(_ old: UUID, as new: UUID) {
        guard subscribers.contains(old) else { return }
        removeSubscriber(old)
        addSubscriber(new)
    }

    func becameUnavailable() {
        for central in subscribers { removeSubscriber(central) }
    }

    private func addSubscriber(_ central: UUID) {
        guard !subscribers.contains(central) else { return }
        subscribers.append(central)
        onSubscription?(central, true)
    }

    private func removeSubscriber(_ central: UUID) {
        guard subscribers.contains(central) else { return }
        subscribers.removeAll { $0 == central }
        onSubscription?(central, false)
    }
}
