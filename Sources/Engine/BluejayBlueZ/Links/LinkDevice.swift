internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib

/// The device of a link and its object on the bus.
final class LinkDevice {
    private(set) var address: DeviceAddress
    let adapter: ObjectPath
    private(set) var path: ObjectPath? {
        didSet { if path != oldValue { onPathChange?() } }
    }
    var onPathChange: (() -> Void)?
    private let client: BlueZClient

    init(_ address: DeviceAddress, adapter: ObjectPath, client: BlueZClient) {
        self.address = address
        self.adapter = adapter
        self.client = client
        path = client.objects.device(address, of: adapter)
    }

    var properties: Device1? { path.flatMap { client.objects.device(at: $0) } }

    var isConnected: Bool { path.map { client.objects.isConnected($0) } ?? false }

    var isAdapterOn: Bool { client.objects.adapterState(adapter) == .on }

    func update() {
        path = client.objects.device(address, of: adapter)
    }

    func clearPath() {
        path = nil
    }

    /// Reads the address from the object; returns the former one if it has changed.
    func updateAddress() -> DeviceAddress? {
        guard let new = properties?.address, new != address else { return nil }
        defer { address = new }
        return address
    }

    /// The state of the device at the start of a connection attempt.
    func currentState() -> LinkStateMachine.DeviceState {
        update()
        var state = LinkStateMachine.DeviceState(isAdapterOn: isAdapterOn)
        state.holdsEarlyDisconnect = client.objects.crashesOnEarlyDisconnect
        guard let path else { return state }
        state.isKnown = true
        state.isConnected = client.objects.isConnected(path)
        state.services = resolvedServices
        state.isStale = isStale
        state.jitter = .milliseconds(Int.random(in: 0...250))
        return state
    }

    /// Whether the connection belongs to a bluetoothd that was killed.
    var isStale: Bool { path.map(client.staleLinks.contains) ?? false }

    // MARK: Services

    var resolvedServices: ConnectStateMachine.Services? {
        path.map { client.objects.isResolved($0) } == true ? services : nil
    }

    /// The completeness of the services, compared with those that the device names.
    var services: ConnectStateMachine.Services {
        guard let path, client.objects.hasServices(path) else { return .none }
        let found = client.objects.serviceUUIDs(of: path)
        let uuids = properties?.uuids ?? []
        return uuids.allSatisfy { found.contains($0) || Self.hiddenServices.contains($0) }
            ? .all : .some
    }

    /// A characteristic without notifications, in a service that bluetoothd exports.
    var characteristicWithoutNotifications: ObjectPath? {
        guard let path else { return nil }
        let services = client.objects.services(of: path).filter {
            !Self.hiddenServices.contains($0.uuid)
        }
        return services.lazy.flatMap(\.characteristics).first { !$0.canNotify }?.path
    }

    /// The services that bluetoothd may hide: Generic Access and Battery.
    private static let hiddenServices: Set<BluetoothUUID> = [
        BluetoothUUID(uint16: 0x1800), CharacteristicIdentifier.batteryLevel.service.uuid,
    ]
}
