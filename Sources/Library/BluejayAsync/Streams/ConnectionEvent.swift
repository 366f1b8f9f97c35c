public import Bluejay

/// An event that a `ConnectionObserver` or a `ServiceObserver` receives; later versions may add cases.
public enum ConnectionEvent: Hashable, Swift.Sendable {
    /// Bluetooth became available or unavailable; the same value may repeat.
    case bluetoothAvailable(Bool)
    /// A peripheral is connected and its services are known.
    case connected(PeripheralIdentifier)
    /// The peripheral disconnected, or the connection attempt failed; the reason is nil after a requested
    /// disconnect.
    case disconnected(PeripheralIdentifier, reason: BluejayError?)
    /// A lost connection is about to be retried, with the number of the attempt, from 1, and the delay before
    /// it; a nil delay waits until Bluetooth can be used.
    case reconnecting(PeripheralIdentifier, attempt: Int, after: Duration?)
    /// The services of the connected peripheral changed; the list holds removed services and is empty if
    /// services were added.
    case servicesChanged(PeripheralIdentifier, invalidated: [ServiceIdentifier])
}

extension Bluejay {
    /// The events that connection observers receive, in order, beginning with the current state.
    ///
    /// Each access returns a new stream, which buffers all events and ends when this instance is stopped or
    /// released, or the loop ends.
    public nonisolated var connectionEvents: EventStream<ConnectionEvent> {
        connectionEvents(bufferingPolicy: .unbounded)
    }

    /// Returns the events that connection observers receive, with a limited buffer.
    ///
    /// - Parameter bufferingPolicy: Which unconsumed events the stream keeps.
    /// - Returns: A stream like ``connectionEvents``.
    public nonisolated func connectionEvents(
        bufferingPolicy: BufferingPolicy
    ) -> EventStream<ConnectionEvent> {
        EventStream(bufferingPolicy) { continuation in
            let observer = Observer(continuation)
            // Observers are held weakly: the stream keeps this one alive.
            continuation.onTermination { withExtendedLifetime(observer) {} }
            mainLoop.post { [weak self] in
                guard let self else { return continuation.finish() }
                register(connectionObserver: observer)
                register(serviceObserver: observer)
                register(shutdownObserver: observer)
            }
        }
    }

    /// Waits for `start`, and until Bluetooth can be used.
    ///
    /// - Throws: `CancellationError`, or `BluejayError.stopped`.
    @available(*, deprecated, renamed: "waitUntilReady()")
    public nonisolated(nonsending) func waitUntilAvailable() async throws {
        try await waitUntilReady()
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

    func didShutDown() {
        continuation.finish()
    }
}
