/// A link of a scripted central, as the central uses it.
final class CentralLink {
    let scriptedClient: ScriptedCentralClient
    /// One bearer, as on most phones: a request waits for the answer to the previous one.
    let client: ATTClient

    init(
        _ link: SimulatedLink,
        of central: SimulatedCentral,
        to adapter: any RadioPeer,
        in world: SimulatedWorld
    ) {
        scriptedClient = ScriptedCentralClient(link, of: central, to: adapter, in: world)
        client = ATTClient(
            scriptedClient,
            server: adapter,
            bearerCount: 1,
            clock: world.clock
        )
        link.add(client)
    }

    func close(_ reason: SimulatedDisconnectReason) {
        scriptedClient.link?.close(reason: reason)
    }
}

/// The attribute client of a central, at the other end of an adapter's link.
final class ScriptedCentralClient: AttributeClient {
    let link: SimulatedLink?
    unowned let world: SimulatedWorld
    private let adapter: any RadioPeer
    private weak var central: SimulatedCentral?
    private var heldValues = BoundedHistory<(handle: UInt16, value: [UInt8])>()

    init(
        _ link: SimulatedLink,
        of central: SimulatedCentral,
        to adapter: any RadioPeer,
        in world: SimulatedWorld
    ) {
        self.link = link
        self.central = central
        self.adapter = adapter
        self.world = world
    }

    /// The adapter's object for this central, or `nil` if bluetoothd could not create one.
    private var device: DeviceObject? { link?.devices.first }

    var isPaired: Bool { device?.isPaired ?? false }
    var isAuthenticated: Bool { device?.isAuthenticated ?? false }
    var ownMTU: Int { central?.mtu ?? 23 }

    func received(_ handle: UInt16, _ value: [UInt8]) {
        guard let central else { return }
        guard central.takesValues else { return heldValues.append((handle, value)) }
        guard let uuid = characteristic(at: handle)?.uuid else { return }
        central.received(uuid, value)
    }

    /// Delivers the waiting values after the central has started accepting values again.
    func deliverHeldValues() {
        let all = heldValues.last
        heldValues = BoundedHistory()
        for (handle, value) in all { received(handle, value) }
    }

    func encrypt(completion: @escaping (Bool) -> Void) {
        guard let device, world.userAgreesToPairing != nil || world.agents.agent != nil else {
            return world.schedule(RecordedDelays.pairingWithoutAgent) { completion(false) }
        }
        device.onLinkEvent(.encryptionRequested(completion: completion))
    }

    var isRemovedWithLink: Bool { false }

    func encryptForRequest(completion: @escaping (Bool) -> Void) { encrypt(completion: completion) }

    func attributeTimedOut() {
        link?.close(reason: .byRemoteHost)
    }

    // MARK: Characteristics

    /// Returns the first characteristic with a UUID, or the first one in a service: `180F/2A19`.
    func characteristic(_ name: String) -> AttributeDatabase.Characteristic? {
        let parts = name.split(separator: "/", maxSplits: 1).map { UUIDText.long(String($0)) }
        guard let uuid = parts.last ?? nil else { return nil }
        let services = adapter.database.services.filter { service in
            parts.count == 1 || service.uuid == parts[0]
        }
        return services.lazy.flatMap(\.characteristics).first { $0.uuid == uuid }
    }

    private func characteristic(at handle: UInt16) -> AttributeDatabase.Characteristic? {
        adapter.database.services.lazy.flatMap(\.characteristics).first {
            $0.valueHandle == handle
        }
    }
}
