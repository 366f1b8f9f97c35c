package import BluejayCore
package import BluejayDBus
package import BluejayGLib

/// Everything that users on one context share for one bus: the client, the scans, the links.
package final class BlueZEngine {
    package let client: BlueZClient
    /// Who answers what bluetoothd asks while devices pair.
    package let pairing: PairingAgent
    private var arbiters: [ObjectPath: DiscoverySession] = [:]
    private var foreignDiscoveries: [ObjectPath: ExternalDiscoveryTracker] = [:]
    /// Adapters that are being switched on or off.
    var switches: [ObjectIdentifier: PowerSwitch] = [:]
    /// How often each device is being forgotten.
    var removals: [ObjectPath: Int] = [:]
    private var links: [LinkKey: WeakLink] = [:]
    /// Links that are up or under way: they live without their users until they are down.
    private var active: [ObjectIdentifier: Link] = [:]
    private var linkObservers: [Int: () -> Void] = [:]
    private var lastLinkObserver = 0
    /// Characteristics by device that bluetoothd would go on notifying of when the link is made again.
    private var leftOver: [ObjectPath: Set<ObjectPath>] = [:]
    private var leftOverGeneration = 0
    /// Has the loop wait for the links that are being cut.
    private var closer: ShutdownHook?
    private var whenCut: (() -> Void)?

    private struct LinkKey: Hashable {
        let adapter: ObjectPath
        let address: DeviceAddress
    }

    /// The engine that everything on `context` shares for one bus.
    package static func shared(on context: MainContext, address: BusAddress) -> BlueZEngine {
        context.attachment("BlueZEngine " + address.text) {
            BlueZEngine(BlueZClient.shared(on: context, address: address))
        }
    }

    package init(_ client: BlueZClient) {
        self.client = client
        pairing = PairingAgent.shared(by: client)
        pairing.isOwnLink = { [weak self] path in
            self?.active.values.contains { $0.path == path } ?? false
        }
    }

    /// The arbiter of one adapter's discovery.
    package func arbiter(_ adapter: ObjectPath) -> DiscoverySession {
        if let arbiter = arbiters[adapter] { return arbiter }
        let arbiter = DiscoverySession(client, adapter: adapter)
        arbiters[adapter] = arbiter
        return arbiter
    }

    /// Whether what an adapter discovers is for other programs; nil when it cannot be known.
    func isForeignDiscovery(_ adapter: ObjectPath, _ isDiscovering: Bool) -> Bool? {
        foreignDiscoveries[adapter, default: ExternalDiscoveryTracker()].observed(
            isDiscovering: isDiscovering,
            isOurs: arbiters[adapter]?.isDiscovering == true
        )
    }

    /// The one link to a device over an adapter.
    package func link(to address: DeviceAddress, over adapter: ObjectPath) -> Link {
        let key = LinkKey(adapter: adapter, address: address)
        if let link = existingLink(to: address, over: adapter) { return link }
        links = links.filter { $0.value.link != nil }
        let link = Link(address, adapter: adapter, engine: self)
        links[key] = WeakLink(link)
        return link
    }

    func existingLink(to address: DeviceAddress, over adapter: ObjectPath) -> Link? {
        links[LinkKey(adapter: adapter, address: address)]?.link
    }

    /// The devices to which links of this process lead over an adapter, or are about to.
    package func ownLinks(over adapter: ObjectPath) -> Set<ObjectPath> {
        Set(active.values.lazy.filter { $0.adapter == adapter }.compactMap(\.path))
    }

    /// Calls `handler` when a link begins or ends to be one of `ownLinks`, until the observation is
    /// released.
    package func observeLinks(_ handler: @escaping () -> Void) -> ObservationToken {
        lastLinkObserver += 1
        let id = lastLinkObserver
        linkObservers[id] = handler
        return ObservationToken { [weak self] in self?.linkObservers[id] = nil }
    }

    func keep(_ link: Link, while isActive: Bool) {
        active[ObjectIdentifier(link)] = isActive ? link : nil
        for id in linkObservers.keys.sorted() { linkObservers[id]?() }
        if isActive, closer == nil {
            closer = client.context.onEnd { [weak self] done in
                guard let self else { return done() }
                whenCut = done
                tellIfCut()
            }
        }
        tellIfCut()
        if active.isEmpty { closer = nil }
    }

    // A link that is up has users who cut it, or leave it to the next run.
    private func tellIfCut() {
        guard active.values.allSatisfy(\.isUp), let done = whenCut else { return }
        whenCut = nil
        done()
    }

    /// A session could not be ended with its link: bluetoothd was busy switching the adapter off.
    func leaves(_ characteristic: ObjectPath) {
        guard let device = characteristic.devicePath else { return }
        forgetLeftOverOfOthers()
        leftOver[device, default: []].insert(characteristic)
    }

    /// What is to be ended now that the device is connected again, as far as bluetoothd still has it.
    func takeLeftOver(of device: ObjectPath) -> [ObjectPath] {
        forgetLeftOverOfOthers()
        return (leftOver.removeValue(forKey: device) ?? []).sorted().filter {
            client.objects.properties($0, GattCharacteristic1.interface) != nil
        }
    }

    // Sessions end with their bluetoothd.
    private func forgetLeftOverOfOthers() {
        guard leftOverGeneration != client.generation else { return }
        leftOverGeneration = client.generation
        leftOver = [:]
    }

    /// A device has got another address, under which its link is found from now on.
    func moved(_ link: Link, from old: DeviceAddress) {
        links[LinkKey(adapter: link.adapter, address: old)] = nil
        links[LinkKey(adapter: link.adapter, address: link.address)] = WeakLink(link)
        pairing.moved(
            from: PairingDevice(adapter: link.adapter, address: old),
            to: PairingDevice(adapter: link.adapter, address: link.address)
        )
    }
}

private final class WeakLink {
    weak var link: Link?
    init(_ link: Link) { self.link = link }
}
