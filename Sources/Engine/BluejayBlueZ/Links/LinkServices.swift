internal import BluejayCore
internal import BluejayDBus

/// The services of a link and their changes, and the ATT MTU.
final class LinkServices {
    private var table = AttributeTable()
    /// Removed services, to be reported to the users.
    private var removed: [ServiceIdentifier] = []
    private var isReading = false
    private var lastMTU: Int?
    private let battery: KeptBattery
    private let device: LinkDevice
    private let client: BlueZClient

    init(_ battery: KeptBattery, _ device: LinkDevice, _ client: BlueZClient) {
        self.battery = battery
        self.device = device
        self.client = client
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
        table.remove(at: path)?.id
    }

    func removeDescriptor(at path: ObjectPath) -> AttributeStateMachine.AttributeID? {
        table.removeDescriptor(at: path)?.id
    }

    /// Calls `completion` when all signals about a change have arrived.
    ///
    /// bluetoothd's reply about the device follows the signals.
    func collectChanges(at object: ObjectPath, _ completion: @escaping () -> Void) {
        guard !isReading, let path = device.path, object.isBelow(path) else { return }
        isReading = true
        client.refresh(device: path) { [weak self] in
            self?.isReading = false
            completion()
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
