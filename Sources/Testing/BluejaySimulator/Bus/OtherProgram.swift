internal import BluejayDBus
internal import BluejayGLib

/// Another program on the bus, which scans and acquires notifications.
final class OtherProgram {
    private let connection: BusConnection
    /// The sockets of acquired notifications, by path.
    private var sockets: [ObjectPath: BusFileDescriptor] = [:]

    init(_ address: BusAddress, on context: MainContext) throws(BusError) {
        connection = try BusConnection(address, on: context)
    }

    deinit {
        connection.close()
    }

    /// Starts or stops a scan; errors of bluetoothd are ignored.
    func scan(_ isOn: Bool, on adapter: ObjectPath) {
        call(adapter, BlueZNames.adapter, isOn ? "StartDiscovery" : "StopDiscovery")
    }

    /// Acquires the notifications of a characteristic; errors of bluetoothd are ignored.
    func acquireNotifications(of characteristic: ObjectPath) {
        call(characteristic, BlueZNames.gattCharacteristic, "AcquireNotify", [.properties([])]) {
            [weak self] values in
            guard case .fileDescriptor(let socket)? = values.first else { return }
            self?.sockets[characteristic] = socket
        }
    }

    /// Closes the socket of the notifications.
    func releaseNotifications(of characteristic: ObjectPath) {
        sockets[characteristic] = nil
    }

    private func call(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = [],
        _ completion: @escaping ([BusValue]) -> Void = { _ in }
    ) {
        let call = MethodCall(to: BlueZNames.service, at: path, interface, member, arguments)
        connection.call(call) { result in
            if case .success(let values) = result { completion(values) }
        }
    }
}
