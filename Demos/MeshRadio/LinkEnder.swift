import Bluejay

/// Ends links that others have made to this machine.
///
/// `org.bluez.Device1.Disconnect` ends a link from either side. A `Bluejay` that connects to a device with a
/// link takes that one over, and disconnects it then. It is used on the main loop only.
final class LinkEnder {
    private let bluejay: Bluejay

    init(host: BluetoothHost) {
        bluejay = Bluejay(host: host)
    }

    func start() {
        bluejay.start()
    }

    /// Ends the links of these, one after the other.
    func end(
        _ centrals: some Collection<PeripheralIdentifier>,
        completion: @escaping () -> Void = {}
    ) {
        guard let central = centrals.first else { return completion() }
        let rest = Array(centrals.dropFirst())
        bluejay.connect(central, timeout: .seconds(2)) { [weak self] _ in
            guard let self else { return completion() }
            // Who has left meanwhile is nobody's concern.
            bluejay.disconnect(immediate: true) { [weak self] _ in
                guard let self else { return completion() }
                end(rest, completion: completion)
            }
        }
    }
}
