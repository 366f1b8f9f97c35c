internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import FoundationEssentials

/// The centrals of a peripheral.
///
/// Confined to the loop of the host.
final class ConnectedCentrals {
    /// The number of centrals at which those without a link are removed.
    private static let maximumCount = 16

    private let context: PeripheralContext
    private let abandoned = AbandonedWork()
    /// By identifier; `nil` is the central that bluetoothd has not named.
    private var centrals: [UUID?: ConnectedCentral] = [:]
    private var frameCount = 0

    init(_ context: PeripheralContext) {
        self.context = context
        context.server.onConnectionChange = { [weak self] device, isConnected in
            if !isConnected { self?.removeCentral(device.uuid) }
        }
        context.server.onCentralChange = { [weak self] change in
            switch change {
            case .came: break
            case .left(let central): self?.removeCentral(central.uuid)
            case .identified(let old, let new): self?.moved(old, to: new)
            }
        }
        context.server.onStateChange = { [weak self] state in
            if state != .poweredOn { self?.endAll() }
        }
    }

    /// Whether a device has called an actor on its present link.
    func contains(_ device: UUID) -> Bool { centrals[device] != nil }

    func read(_ request: ReadRequest, _ method: Int, of service: ActorService) {
        central(request.central).read(request, method, of: service)
    }

    func write(_ request: WriteRequest, _ method: Int, of service: ActorService) {
        let frame = Frame(request.value)
        if frame?.isFromCentral == true { request.accept() } else { request.reject(.noFrame) }
        guard let identifier = request.central else {
            return context.log.debug("write dropped: bluetoothd did not name the central")
        }
        let central = central(identifier)
        guard let frame else { return }
        if frame.isFromCentral { central.noteFrame() }
        // Each reply would reach the central that has the session, too.
        guard context.server.addressing == .unicast || isFirst(central, with: frame.session)
        else {
            return context.log.debug("frame dropped: another central has its session")
        }
        frameCount += 1
        central.receive(request, frame.session, method, of: service, number: frameCount)
    }

    /// A central has subscribed to a method.
    func subscribed(_ identifier: PeripheralIdentifier, _ method: Int, of service: ActorService) {
        guard context.configuration.encryption != .aesGCM,
            service.actor.description.methods[method].isSubscribable
        else { return }
        let central = central(identifier)
        // Each element reaches all subscribers.
        guard context.server.addressing == .unicast || isOnlySubscriber(central, method, service)
        else {
            return context.log.debug("no stream for a subscription: another central has one")
        }
        central.subscribed(method, of: service)
    }

    /// Whether no other central has the stream of a subscription of a method.
    private func isOnlySubscriber(
        _ central: ConnectedCentral,
        _ method: Int,
        _ service: ActorService
    )
        -> Bool
    {
        !centrals.values.contains { $0 !== central && $0.hasSubscription(method, of: service) }
    }

    /// Whether no other central has had a session for longer.
    private func isFirst(_ central: ConnectedCentral, with session: UInt16) -> Bool {
        let own = central.firstFrame(of: session) ?? .max
        return !centrals.values.contains {
            $0 !== central && ($0.firstFrame(of: session) ?? .max) < own
        }
    }

    /// Answers of a method no longer reach a central, or all centrals if it is `nil`.
    func unsubscribed(_ central: UUID?, _ method: Int, of service: ActorService) {
        for (identifier, each) in centrals where identifier == central ?? identifier {
            each.unsubscribed(method, of: service)
        }
    }

    func endAll() {
        for central in centrals.keys { removeCentral(central) }
    }

    private func central(_ identifier: PeripheralIdentifier?) -> ConnectedCentral {
        if let central = centrals[identifier?.uuid] { return central }
        // A write may arrive after the end of its link.
        if centrals.count >= Self.maximumCount {
            let connected = Set(context.server.connectedDevices.map(\.uuid))
            for central in centrals.keys.compactMap(\.self) where !connected.contains(central) {
                removeCentral(central)
            }
        }
        let central = ConnectedCentral(identifier, context, abandoned) { [weak self] in
            self?.isFirst($0, with: $1) ?? false
        } isOnlySubscriber: { [weak self] in
            self?.isOnlySubscriber($0, $1, $2) ?? false
        }
        centrals[identifier?.uuid] = central
        return central
    }

    private func removeCentral(_ identifier: UUID?) {
        centrals.removeValue(forKey: identifier)?.end()
    }

    private func moved(_ old: PeripheralIdentifier, to new: PeripheralIdentifier) {
        abandoned.moved(old.uuid, to: new.uuid)
        guard old.uuid != new.uuid, let central = centrals.removeValue(forKey: old.uuid) else {
            return
        }
        removeCentral(new.uuid)
        central.moved(to: new)
        centrals[new.uuid] = central
    }
}

extension ATTError {
    /// The written bytes are no frame of this version of a central.
    fileprivate static let noFrame = ATTError(code: 0x82)
}
