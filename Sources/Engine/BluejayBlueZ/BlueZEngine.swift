package import BluejayCore
package import BluejayDBus
package import BluejayGLib

/// The Bluetooth resources that all users on one context share for one bus: client, scans, links.
package final class BlueZEngine {
    package let client: BlueZClient
    /// Answers pairing requests from bluetoothd.
    package let pairingAgent: PairingAgent
    private var discoverySessions: [ObjectPath: DiscoverySession] = [:]
    private var externalDiscoveryTrackers: [ObjectPath: ExternalDiscoveryTracker] = [:]
    var powerSwitches: [ObjectIdentifier: PowerSwitch] = [:]
    /// The pending removals by device.
    var removals: [ObjectPath: Int] = [:]
    private var links: [DeviceKey: WeakLink] = [:]
    /// Links that are up or in transition.
    ///
    /// The engine retains them until they are down.
    private var activeLinks: [ObjectIdentifier: Link] = [:]
    private var linkObservers: [Int: () -> Void] = [:]
    private var lastLinkObserver = 0
    /// By device, the characteristics whose notifications bluetoothd would resume after a reconnection.
    private var orphanedNotifications: [ObjectPath: Set<ObjectPath>] = [:]
    private var orphanedNotificationsGeneration = 0
    /// Makes the loop wait for links that are disconnecting.
    private var shutdownHook: ShutdownHook?
    private var shutdownCompletion: (() -> Void)?

    /// The engine that all users on `context` share for one bus.
    package static func shared(on context: MainContext, address: BusAddress) -> BlueZEngine {
        context.sharedObject("BlueZEngine " + address.text) {
            BlueZEngine(BlueZClient.shared(on: context, address: address))
        }
    }

    /// The engine that all users on a loop share for one bus.
    ///
    /// A nil `busAddress` is the system bus, or the value of `DBUS_SYSTEM_BUS_ADDRESS`.
    package static func shared(on loop: MainLoop, busAddress: String?) -> BlueZEngine {
        shared(on: loop.context, address: BusAddress(busAddress, of: loop.context))
    }

    package init(_ client: BlueZClient) {
        self.client = client
        pairingAgent = PairingAgent.shared(by: client)
        pairingAgent.isOwnLink = { [weak self] path in
            self?.activeLinks.values.contains { $0.path == path } ?? false
        }
        pairingAgent.onRejection = { [weak self] path in
            self?.activeLinks.values.first { $0.path == path }?.pairingRejected()
        }
    }

    package func discoverySession(_ adapter: ObjectPath) -> DiscoverySession {
        if let session = discoverySessions[adapter] { return session }
        let session = DiscoverySession(client, adapter: adapter)
        discoverySessions[adapter] = session
        return session
    }

    /// Whether an adapter's discovery belongs to other programs; nil if unknown.
    func isExternalDiscovery(_ adapter: ObjectPath, _ isDiscovering: Bool) -> Bool? {
        externalDiscoveryTrackers[adapter, default: ExternalDiscoveryTracker()].observed(
            isDiscovering: isDiscovering,
            isLocal: discoverySessions[adapter]?.isDiscovering == true
        )
    }

    /// The only link to a device over an adapter.
    package func link(to address: DeviceAddress, over adapter: ObjectPath) -> Link {
        let key = DeviceKey(adapter: adapter, address: address)
        if let link = existingLink(to: address, over: adapter) { return link }
        links = links.filter { $0.value.link != nil }
        let link = Link(address, adapter: adapter, engine: self)
        links[key] = WeakLink(link)
        return link
    }

    func existingLink(to address: DeviceAddress, over adapter: ObjectPath) -> Link? {
        links[DeviceKey(adapter: adapter, address: address)]?.link
    }

    /// The devices that this process has, or is establishing, a link to over an adapter.
    package func ownLinks(over adapter: ObjectPath) -> Set<ObjectPath> {
        Set(activeLinks.values.lazy.filter { $0.adapter == adapter }.compactMap(\.path))
    }

    /// Calls `handler` after each change of `ownLinks`, until the observation is released.
    package func observeLinks(_ handler: @escaping () -> Void) -> ObservationToken {
        lastLinkObserver += 1
        let id = lastLinkObserver
        linkObservers[id] = handler
        return ObservationToken { [weak self] in self?.linkObservers[id] = nil }
    }

    func retain(_ link: Link, while isActive: Bool) {
        activeLinks[ObjectIdentifier(link)] = isActive ? link : nil
        for id in linkObservers.keys.sorted() { linkObservers[id]?() }
        if isActive, shutdownHook == nil {
            shutdownHook = client.context.addShutdownHook { [weak self] completion in
                guard let self else { return completion() }
                shutdownCompletion = completion
                completeShutdownIfIdle()
            }
        }
        completeShutdownIfIdle()
        if activeLinks.isEmpty { shutdownHook = nil }
    }

    // A link that is up has leases, whose owners disconnect it or leave it to the next run.
    private func completeShutdownIfIdle() {
        guard activeLinks.values.allSatisfy(\.isUp), let completion = shutdownCompletion else {
            return
        }
        shutdownCompletion = nil
        completion()
    }

    /// Records a notification session that bluetoothd could not end because it was switching the adapter
    /// off.
    func recordOrphanedNotification(_ characteristic: ObjectPath) {
        guard let device = characteristic.devicePath else { return }
        discardStaleOrphanedNotifications()
        orphanedNotifications[device, default: []].insert(characteristic)
    }

    /// Removes and returns the recorded sessions of a reconnected device that bluetoothd still has.
    func drainOrphanedNotifications(of device: ObjectPath) -> [ObjectPath] {
        discardStaleOrphanedNotifications()
        return (orphanedNotifications.removeValue(forKey: device) ?? []).sorted().filter {
            client.objects.properties($0, GattCharacteristic1.interface) != nil
        }
    }

    // Sessions end with bluetoothd.
    private func discardStaleOrphanedNotifications() {
        guard orphanedNotificationsGeneration != client.generation else { return }
        orphanedNotificationsGeneration = client.generation
        orphanedNotifications = [:]
    }

    /// Registers a link under the new address of its device.
    func moved(_ link: Link, from old: DeviceAddress) {
        links[DeviceKey(adapter: link.adapter, address: old)] = nil
        links[DeviceKey(adapter: link.adapter, address: link.address)] = WeakLink(link)
        pairingAgent.addressChanged(
            from: DeviceKey(adapter: link.adapter, address: old),
            to: DeviceKey(adapter: link.adapter, address: link.address)
        )
    }
}

private final class WeakLink {
    weak var link: Link?
    init(_ link: Link) { self.link = link }
}

/// Tracks whether an adapter's discovery belongs to other programs.
///
/// bluetoothd does not report the owner of a discovery, and reports the end of this program's only after
/// its reply to `StopDiscovery`. A discovery that was on during this program's own may therefore be its own
/// until it ends.
struct ExternalDiscoveryTracker: Equatable {
    private var mayBeLocal = false

    /// Whether other programs are discovering; nil if unknown.
    mutating func observed(isDiscovering: Bool, isLocal: Bool) -> Bool? {
        if isLocal { mayBeLocal = true }
        guard isDiscovering else {
            mayBeLocal = isLocal
            return false
        }
        return mayBeLocal ? nil : true
    }
}
