package import BluejayCore
package import BluejayDBus
internal import BluejayGLib

/// The links that all users on one context share for one bus: one for each device and adapter.
package final class LinkRegistry {
    package let client: BlueZClient
    package let discoverySessions: DiscoverySessions
    /// Answers pairing requests from bluetoothd.
    package let pairingAgent: PairingAgent
    private var links: [DeviceKey: WeakLink] = [:]
    /// Links that are up or in transition.
    ///
    /// The registry retains them until they are down.
    private var activeLinks: [ObjectIdentifier: Link] = [:]
    /// The pending removals by device.
    private var removals: [ObjectPath: Int] = [:]
    private var observers: [Int: () -> Void] = [:]
    private var lastObserver = 0
    /// By device, the characteristics whose notifications bluetoothd would resume after a reconnection.
    private var orphanedNotifications: [ObjectPath: Set<ObjectPath>] = [:]
    private var orphanedNotificationsGeneration = 0
    /// Makes the loop wait for links that are disconnecting.
    private var shutdownHook: ShutdownHook?
    private var shutdownCompletion: (() -> Void)?

    /// The registry shared by all users on the client's context, which each link retains.
    static func shared(by client: BlueZClient) -> LinkRegistry {
        client.context.sharedObject("LinkRegistry " + client.address.text) { LinkRegistry(client) }
    }

    init(_ client: BlueZClient) {
        self.client = client
        discoverySessions = DiscoverySessions(client)
        pairingAgent = PairingAgent.shared(by: client)
        pairingAgent.isOwnLink = { [weak self] path in
            self?.activeLinks.values.contains { $0.path == path } ?? false
        }
        pairingAgent.onRejection = { [weak self] path in
            self?.activeLinks.values.first { $0.path == path }?.pairingRejected()
        }
    }

    /// The only link to a device over an adapter.
    package func link(to address: DeviceAddress, over adapter: ObjectPath) -> Link {
        let key = DeviceKey(adapter: adapter, address: address)
        if let link = links[key]?.link { return link }
        links = links.filter { $0.value.link != nil }
        let link = Link(address, adapter: adapter, registry: self)
        links[key] = WeakLink(link)
        return link
    }

    /// The devices that this process has, or is establishing, a link to over an adapter.
    func ownLinks(over adapter: ObjectPath) -> Set<ObjectPath> {
        Set(activeLinks.values.lazy.filter { $0.adapter == adapter }.compactMap(\.path))
    }

    /// Calls `handler` after each change of `ownLinks`, until the observation is released.
    func observe(_ handler: @escaping () -> Void) -> ObservationToken {
        lastObserver += 1
        let id = lastObserver
        observers[id] = handler
        return ObservationToken { [weak self] in self?.observers[id] = nil }
    }

    func retain(_ link: Link, while isActive: Bool) {
        activeLinks[ObjectIdentifier(link)] = isActive ? link : nil
        for id in observers.keys.sorted() { observers[id]?() }
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

    /// Registers a link under the new address of its device.
    func moved(_ link: Link, from old: DeviceAddress) {
        let (former, current) = (
            DeviceKey(adapter: link.adapter, address: old),
            DeviceKey(adapter: link.adapter, address: link.address)
        )
        links[former] = nil
        links[current] = WeakLink(link)
        pairingAgent.addressChanged(from: former, to: current)
    }

    // MARK: Removals

    /// Whether the `RemoveDevice` of a device is pending.
    func isBeingRemoved(_ device: ObjectPath) -> Bool { removals[device] != nil }

    /// Removes a device with its keys from bluetoothd, disconnecting it first, even if others use the link.
    ///
    /// New requests for a link wait for the removal, which would end their link too. `completion` is called
    /// once, on a later iteration, when `client.objects` has the result.
    package func forget(
        _ address: DeviceAddress,
        of adapter: ObjectPath,
        completion: @escaping (AdapterFailure?) -> Void
    ) {
        guard let device = client.objects.device(address, of: adapter) else {
            return client.clock.onNextIteration { completion(.unknownDevice) }
        }
        removals[device, default: 0] += 1
        // A strong reference: the next user of Bluetooth must find the removal in progress.
        client.changeAdapter(adapter, with: Adapter1.removeDevice(adapter, device)) { failure in
            self.removalEnded(address, device, adapter)
            completion(failure)
        }
    }

    private func removalEnded(
        _ address: DeviceAddress,
        _ device: ObjectPath,
        _ adapter: ObjectPath
    ) {
        removals[device, default: 1] -= 1
        guard removals[device] == 0 else { return }
        removals[device] = nil
        links[DeviceKey(adapter: adapter, address: address)]?.link?.removalEnded()
    }

    // MARK: Orphaned notifications

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
}

private final class WeakLink {
    weak var link: Link?
    init(_ link: Link) { self.link = link }
}
