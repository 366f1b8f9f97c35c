internal import BluejayCore
internal import BluejayDBus

/// The services of a link and their changes, and the ATT MTU.
final class LinkServices {
    private var table = AttributeTable()
    /// Removed services, to be reported to the users.
    private var removed: [ServiceIdentifier] = []
    /// Removed attributes whose requests have not ended yet.
    private var removedAttributes: [AttributeStateMachine.AttributeID] = []
    private var isCollecting = false
    /// The work that waits for the signals about a change; nil while no change is known.
    private var signalWaiters: [() -> Void]?
    private var lastMTU: Int?
    private let battery: HiddenBatteryService
    private let device: LinkDevice
    private let client: BlueZClient

    init(_ context: LinkContext, _ battery: HiddenBatteryService) {
        self.battery = battery
        device = context.device
        client = context.client
    }

    // MARK: Attributes

    var all: [RemoteService] { table.services }

    func has(_ service: ServiceIdentifier) -> Bool { table.has(service) }

    func characteristic(_ identifier: CharacteristicIdentifier) -> RemoteCharacteristic? {
        table.characteristic(identifier)
    }

    func characteristic(_ id: AttributeStateMachine.AttributeID) -> RemoteCharacteristic? {
        table.characteristic(id)
    }

    func descriptor(_ id: AttributeStateMachine.AttributeID) -> RemoteDescriptor? {
        table.descriptor(id)
    }

    // MARK: Changes

    /// Updates the services from the object tree.
    ///
    /// - Returns: The battery level if it was removed, for which no signal exists.
    func update() -> AttributeStateMachine.AttributeID? {
        guard let path = device.path else { return nil }
        let found = client.objects.services(of: path)
        let level = table.characteristic(.batteryLevel)
        table.update(found, hasBattery: battery.isHidden(given: found))
        guard let level, level.path == nil, table.characteristic(level.id) == nil else {
            return nil
        }
        return level.id
    }

    func removeService(at path: ObjectPath) {
        if let service = table.removeService(at: path) { removed.append(service) }
    }

    func removeCharacteristic(at path: ObjectPath) -> AttributeStateMachine.AttributeID? {
        let id = table.remove(at: path)?.id
        if let id { removedAttributes.append(id) }
        return id
    }

    func removeDescriptor(at path: ObjectPath) {
        // Its characteristic is removed next.
        if let id = table.removeDescriptor(at: path)?.id { removedAttributes.append(id) }
    }

    /// Returns the removed attributes, once it is known that the link outlasts them.
    func drainRemovedAttributes() -> [AttributeStateMachine.AttributeID] {
        defer { removedAttributes = [] }
        return removedAttributes
    }

    /// Whether a change is known, and signals about it may follow.
    var isChanging: Bool { signalWaiters != nil }

    /// Calls `completion` when all signals about a change have arrived, once for all changes until then.
    func collectChanges(at object: ObjectPath, _ completion: @escaping () -> Void) {
        guard !isCollecting, let path = device.path, object.isBelow(path) else { return }
        isCollecting = true
        afterSignals { [weak self] in
            self?.isCollecting = false
            completion()
        }
    }

    /// Calls `work` when the signals that bluetoothd has sent, or is about to send, have arrived.
    ///
    /// bluetoothd removes the attributes of a device before the device itself, in one go, and replies to a
    /// question about the device after that.
    func afterSignals(_ work: @escaping () -> Void) {
        guard let path = device.path else { return work() }
        guard signalWaiters == nil else {
            signalWaiters?.append(work)
            return
        }
        signalWaiters = [work]
        client.refresh(device: path) { [weak self] in
            guard let waiters = self?.signalWaiters else { return }
            self?.signalWaiters = nil
            for waiter in waiters { waiter() }
        }
    }

    func drainRemoved() -> [ServiceIdentifier] {
        defer { removed = [] }
        return removed
    }

    // MARK: The ATT MTU

    var reportedMTU: Int? {
        let path = table.services.lazy.compactMap { $0.characteristics.first?.path }.first
        return path.flatMap { client.objects.mtu(of: $0) }
    }

    func mtu(at path: ObjectPath) -> Int {
        let own = client.objects.mtu(of: path) ?? ATTLimits.minimumMTU
        return min(own, lastMTU ?? own)
    }

    func connected() {
        lastMTU = reportedMTU
    }

    /// Stores the ATT MTU, which each characteristic reports; returns whether it differs.
    func mtuChanged(_ mtu: Int) -> Bool {
        guard mtu != lastMTU else { return false }
        lastMTU = mtu
        return true
    }
}
