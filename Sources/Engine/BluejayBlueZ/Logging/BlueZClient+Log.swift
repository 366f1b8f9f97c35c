internal import BluejayDBus

/// What a client says of its way to bluetoothd.
extension BlueZClient {
    /// Traces the messages of a new connection; nil when nobody wants that.
    var tap: BusConnection.Tap? {
        let log = Log("bluejay.dbus", to: nil)
        guard log.isTracing else { return nil }
        let tracer = BusTracer(log, clock: clock)
        return { tracer.note($0, isSent: $1) }
    }

    /// The state has changed.
    func note(_ new: State, after old: State) {
        switch new {
        case .connecting: log.debug("bluetoothd is being asked for its objects")
        case .running: log.debug("bluetoothd is there", ["adapters": "\(adapterNames)"])
        case .serviceNotRunning where old == .running: log.warning("bluetoothd has gone")
        case .serviceNotRunning: log.debug("bluetoothd does not run")
        case .serviceNotResponding: log.warning("bluetoothd does not respond")
        case .busUnavailable(let text) where old == .running:
            log.warning("the bus has gone", ["error": text])
        case .busUnavailable(let text):
            log.debug("the bus cannot be reached", ["error": text])
        case .accessDenied(let text):
            log.warning("the bus does not let this user talk to bluetoothd", ["error": text])
        }
    }

    private var adapterNames: String {
        objects.paths(with: Adapter1.interface).map(\.text).joined(separator: " ")
    }
}
