import Bluejay

/// Ends links that centrals have established to this machine.
///
/// `org.bluez.Device1.Disconnect` ends a link from either side. A `Bluejay` that connects to such a device
/// takes over its link, and can then disconnect it. Used on the main loop only.
final class LinkDisconnector {
    private let bluejay: Bluejay

    init(host: BluetoothHost) {
        bluejay = Bluejay(host: host)
    }

    func start() {
        bluejay.start()
    }

    func end(
        _ centrals: some Collection<PeripheralIdentifier>,
        completion: @escaping () -> Void = {}
    ) {
        guard let central = centrals.first else { return completion() }
        let rest = Array(centrals.dropFirst())
        bluejay.connect(central, timeout: .seconds(2)) { [weak self] _ in
            guard let self else { return completion() }
            // A central that has left meanwhile needs no action.
            bluejay.disconnect(immediate: true) { [weak self] _ in
                guard let self else { return completion() }
                end(rest, completion: completion)
            }
        }
    }
}
