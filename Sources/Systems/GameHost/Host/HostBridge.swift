internal import BluejayBlueZ
internal import BluejayGLib

/// Between the main actor and the side on the loop: calls go there in order, events come back in order.
final class HostBridge: Swift.Sendable {
    private let loop: MainLoop
    private let side = Confined(Side())
    private let events: AsyncStream<SessionEvent>
    private let continuation: AsyncStream<SessionEvent>.Continuation
    private let settings: BLEHostManager.Settings
    private let host: BluetoothHost
    private let shown = Snapshot(HostStatistics())

    /// What is touched on the loop only.
    private final class Side { var server: HostServer? }

    init(_ settings: BLEHostManager.Settings, _ host: BluetoothHost) {
        self.settings = settings
        self.host = host
        loop = host.mainLoop
        // Not a BoundedStream: each event changes the state of a session, so that none may be discarded.
        // The side on the loop bounds the messages of players before they become events.
        (events, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
    }

    deinit {
        continuation.finish()
        loop.post { [side] in side.value.server = nil }
    }

    var statistics: HostStatistics { shown.value }

    /// Has the events told on the main actor, until this is let go.
    @MainActor
    func listen(_ receive: @escaping @MainActor (SessionEvent) -> Void) {
        let events = events
        Task { @MainActor in
            for await event in events { receive(event) }
        }
    }

    /// Does something on the loop, where the server is made at first use.
    func post(_ work: @escaping @Sendable (HostServer) -> Void) {
        loop.post { [side, settings, host, continuation, shown] in
            let server = side.value.server ?? HostServer(settings, host, continuation, shown)
            side.value.server = server
            work(server)
        }
    }
}
