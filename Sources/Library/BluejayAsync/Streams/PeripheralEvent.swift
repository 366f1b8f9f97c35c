public import Bluejay

/// An event that a `PeripheralObserver` receives.
public enum PeripheralEvent: Hashable, Swift.Sendable {
    /// The ATT MTU changed, in bytes.
    case mtuChanged(Int)
    /// The names, appearance, pairing, address or service list of the peripheral changed.
    case detailsChanged(PeripheralDetails)
}

extension Bluejay {
    /// Changes of the connected peripheral, except of its services, in order.
    ///
    /// Each access returns a new stream, which buffers all events, continues across disconnections and ends
    /// when this instance is stopped or released, or the loop ends.
    public nonisolated var peripheralEvents: EventStream<PeripheralEvent> {
        peripheralEvents(bufferingPolicy: .unbounded)
    }

    /// Returns the changes of the connected peripheral, with a limited buffer.
    ///
    /// - Parameter bufferingPolicy: Which unconsumed events the stream keeps.
    /// - Returns: A stream like ``peripheralEvents``.
    public nonisolated func peripheralEvents(
        bufferingPolicy: BufferingPolicy
    ) -> EventStream<PeripheralEvent> {
        EventStream(bufferingPolicy) { continuation in
            let observer = Observer(continuation)
            // Observers are held weakly: the stream keeps this one alive.
            continuation.onTermination { withExtendedLifetime(observer) {} }
            mainLoop.post { [weak self] in
                guard let self else { return continuation.finish() }
                register(peripheralObserver: observer)
                register(shutdownObserver: observer)
            }
        }
    }
}

private final class Observer: PeripheralObserver, ShutdownObserver, Swift.Sendable {
    private let continuation: EventContinuation<PeripheralEvent>

    init(_ continuation: EventContinuation<PeripheralEvent>) {
        self.continuation = continuation
    }

    func didUpdateMTU(_ mtu: Int, of peripheral: PeripheralIdentifier) {
        continuation.yield(.mtuChanged(mtu))
    }

    func didUpdateDetails(_ details: PeripheralDetails, of peripheral: PeripheralIdentifier) {
        continuation.yield(.detailsChanged(details))
    }

    func didShutDown() {
        continuation.finish()
    }
}
