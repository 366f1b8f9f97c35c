internal import BluejayGLib

/// Tells a virtual clock whether a connection to the bus has anything under way.
final class BusIdleProbe: IdleProbe {
    private weak var connection: BusConnection?
    /// The serial of the last probe; 0 before the first.
    private var lastSerial: UInt32 = 0

    private static let ping = MethodCall(
        "org.freedesktop.DBus",
        "/org/freedesktop/DBus",
        "org.freedesktop.DBus.Peer",
        "Ping"
    )

    init(_ connection: BusConnection) {
        self.connection = connection
    }

    // The bus handles what comes over a connection in its order, and libdbus counts what is sent.
    func probe(_ answered: @escaping () -> Void) -> ProbeResult {
        connection?.forgetPastLimits()
        guard let serial = connection?.callWithoutLimit(Self.ping, reply: { _ in answered() })
        else { return .over }
        let follows = lastSerial != 0 && serial == lastSerial &+ 1
        lastSerial = serial
        return follows ? .quiet : .busy
    }
}
