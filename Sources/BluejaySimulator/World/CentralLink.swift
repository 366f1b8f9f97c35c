/// A scripted central's end of a link to an adapter.
final class CentralLink: AttributeUser {
    let link: SimulatedLink?
    unowned let world: SimulatedBlueZ
    let adapter: Adapter
    private unowned let central: SimulatedCentral
    /// One bearer, as most phones have: a request waits for the answer of the one before.
    private(set) lazy var client = ATTClient(
        self,
        server: adapter,
        bearerCount: 1,
        clock: world.clock
    )

    init(_ link: SimulatedLink, of central: SimulatedCentral, to adapter: Adapter) {
        self.link = link
        self.central = central
        self.adapter = adapter
        world = adapter.world
    }

    /// The adapter's object for this central; nil when bluetoothd could not make one.
    private var device: Device? { link?.devices.first }

    var isPaired: Bool { device?.isPaired ?? false }
    var ownMTU: Int { central.mtu }

    func received(_ handle: UInt16, _ value: [UInt8]) {
        guard let uuid = characteristic(at: handle)?.uuid else { return }
        central.received(uuid, value)
    }

    func encrypt(completion: @escaping (Bool) -> Void) {
        guard let device, world.userAgreesToPairing != nil || world.agents.agent != nil else {
            return world.later(Waits.pairingWithoutAgent) { completion(false) }
        }
        device.encrypt(completion: completion)
    }

    func attributeTimedOut() {
        link?.close(reason: .byRemoteHost)
    }

    // MARK: Characteristics

    /// The first characteristic with a UUID, or the first in a service: `180F/2A19`.
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
