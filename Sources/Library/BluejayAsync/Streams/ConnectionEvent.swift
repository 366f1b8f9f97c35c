public import Bluejay

/// What a `ConnectionObserver` and a `ServiceObserver` are told; new events come with new versions.
public enum ConnectionEvent: Hashable, Swift.Sendable {
    /// Bluetooth became available or unavailable; may repeat the same value.
    case bluetoothAvailable(Bool)
    /// A peripheral is connected and its services are known.
    case connected(PeripheralIdentifier)
    /// The peripheral is no longer connected, or was not connected to; the reason is nil after a
    /// disconnect that was asked for.
    case disconnected(PeripheralIdentifier, reason: BluejayError?)
    /// A connection that was lost is about to be made again: which attempt it is, from 1 on, and after
    /// which pause; nil is until Bluetooth can be used.
    case reconnecting(PeripheralIdentifier, attempt: Int, after: Duration?)
    /// The services of the connected peripheral changed: those that are gone; empty when services were
    /// added.
    case servicesChanged(PeripheralIdentifier, invalidated: [ServiceIdentifier])
}

extension Bluejay {
    /// What the connection observers are told, in order, beginning with how things are.
    ///
    /// Each use is a stream of its own, which keeps every event until it is taken. It ends when this
    /// instance is stopped or released.
    public nonisolated var connectionEvents: EventStream<ConnectionEvent> {
        connectionEvents(bufferingPolicy: .unbounded)
    }

    /// What the connection observers are told, as far as it is kept until it is taken.
    ///
    /// - Parameter bufferingPolicy: What is kept of the events that were not taken yet.
    /// - Returns: A stream as ``connectionEvents``.
    public nonisolated func connectionEvents(
        bufferingPolicy: BufferingPolicy
    ) -> EventStream<ConnectionEvent> {
        EventStream(bufferingPolicy) { continuation in
            let observer = Observer(continuation)
            // Observers are held weakly: this one lives as long as its stream.
            continuation.onTermination { withExtendedLifetime(observer) {} }
            mainLoop.post { [weak self] in
                guard let self else { return continuation.finish() }
                register(connectionObserver: observer)
                register(serviceObserver: observer)
                register(endObserver: observer)
            }
        }
    }

    /// Waits until Bluetooth can be used; also for `start`.
    ///
    /// Calls need no such wait while the state is about to be known: they wait for it by themselves.
    ///
    /// - Throws: `CancellationError`, or `BluejayError.stopped`.
    public nonisolated(nonsending) func waitUntilAvailable() async throws {
        for await event in connectionEvents where event == .bluetoothAvailable(true) { return }
        try Task.checkCancellation()
        throw BluejayError.stopped
    }
}

private final class Observer: ConnectionObserver, ServiceObserver, ShutdownObserver, Swift.Sendable
{
    private let continuation: EventContinuation<ConnectionEvent>

    init(_ continuation: EventContinuation<ConnectionEvent>) {
        self.continuation = continuation
    }

    func bluetoothAvailable(_ available: Bool) {
        continuation.yield(.bluetoothAvailable(available))
    }

    func connected(to peripheral: PeripheralIdentifier) {
        continuation.yield(.connected(peripheral))
    }

    func disconnected(from peripheral: PeripheralIdentifier, reason: BluejayError?) {
        continuation.yield(.disconnected(peripheral, reason: reason))
    }

    func willReconnect(
        to peripheral: PeripheralIdentifier,
        attempt: Int,
        after pause: Duration?
    ) {
        continuation.yield(.reconnecting(peripheral, attempt: attempt, after: pause))
    }

    func didModifyServices(
        from peripheral: PeripheralIdentifier,
        invalidatedServices: [ServiceIdentifier]
    ) {
        continuation.yield(.servicesChanged(peripheral, invalidated: invalidatedServices))
    }

    func hasEnded() {
        continuation.finish()
    }
}
