internal import BluejayBlueZ
internal import BluejayGLib

/// The bridge between the main actor and the loop: calls and events keep their order.
final class HostBridge: Swift.Sendable {
    private let loop: MainLoop
    private let side = UncheckedTransfer(ServerReference())
    private let events: AsyncStream<SessionEvent>
    private let continuation: AsyncStream<SessionEvent>.Continuation
    private let settings: BLEHostManager.Settings
    private let host: BluetoothHost
    private let state = LockedValue(HostStatistics())

    /// State used on the loop only.
    private final class ServerReference {
        var server: HostServer?
        var shutdownHook: ShutdownHook?
    }

    init(_ settings: BLEHostManager.Settings, _ host: BluetoothHost) {
        self.settings = settings
        self.host = host
        loop = host.mainLoop
        // Not a BoundedStream: each event changes the state of a session, so that none may be discarded.
        // The side on the loop bounds the messages of players before they become events.
        (events, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
        followLoop()
    }

    private func followLoop() {
        let context = loop.context
        context.post { [side, continuation] in
            side.value.shutdownHook = context.addShutdownHook {
                [weak reference = side.value] done in
                reference?.server?.stop()
                continuation.yield(SessionEvent(session: 0, event: .loopEnded))
                done()
            }
        }
    }

    deinit {
        continuation.finish()
        loop.post { [side] in
            side.value.server = nil
            side.value.shutdownHook = nil
        }
    }

    /// Whether the loop ends or has ended.
    var isEnding: Bool { loop.context.isEnding }

    var statistics: HostStatistics { state.value }

    /// Delivers the events on the main actor until this bridge is deallocated.
    @MainActor
    func listen(_ receive: @escaping @MainActor (SessionEvent) -> Void) {
        let events = events
        Task { @MainActor in
            for await event in events { receive(event) }
        }
    }

    /// Runs `work` on the loop; the first call creates the server.
    func post(_ work: @escaping @Sendable (HostServer) -> Void) {
        loop.post { [side, settings, host, continuation, state] in
            let server =
                side.value.server
                ?? HostServer(settings, on: host, events: HostEvents(continuation, state))
            side.value.server = server
            work(server)
        }
    }
}
