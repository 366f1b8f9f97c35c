internal import BluejayGLib

/// Reports to a virtual clock whether a connection to the bus is idle.
final class BusIdleProbe: IdleProbe {
    private weak var connection: BusConnection?
    private var lastSerial: UInt32 = 0

    private static let ping = MethodCall(
        to: "org.freedesktop.DBus",
        at: "/org/freedesktop/DBus",
        "org.freedesktop.DBus.Peer",
        "Ping"
    )

    init(_ connection: BusConnection) {
        self.connection = connection
    }

    // The bus handles messages of a connection in order, and libdbus numbers the sent ones: consecutive
    // serials mean that the program sent nothing between two probes.
    func probe(_ completion: @escaping () -> Void) -> ProbeResult {
        connection?.cancelStaleExpiry()
        guard let serial = connection?.callWithoutTimeout(Self.ping, reply: { _ in completion() })
        else { return .closed }
        let follows = lastSerial != 0 && serial == lastSerial &+ 1
        lastSerial = serial
        return follows ? .idle : .busy
    }
}
