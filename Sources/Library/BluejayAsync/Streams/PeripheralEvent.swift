public import Bluejay

/// What a `PeripheralObserver` is told.
public enum PeripheralEvent: Hashable, Swift.Sendable {
    /// The ATT MTU has changed, in bytes.
    case mtuChanged(Int)
    /// Its names, its appearance, its pairing, its address or the list of its services has changed.
    case detailsChanged(PeripheralDetails)
}

extension Bluejay {
    /// What changes of the connected peripheral beside its services, in order.
    ///
    /// Each use is a stream of its own, which keeps every event until it is taken. It goes on over
    /// disconnections, and ends when this instance is stopped or released.
    public nonisolated var peripheralEvents: EventStream<PeripheralEvent> {
        peripheralEvents(bufferingPolicy: .unbounded)
    }

    /// What changes of the connected peripheral, as far as it is kept until it is taken.
    ///
    /// - Parameter bufferingPolicy: What is kept of the events that were not taken yet.
    /// - Returns: A stream as ``peripheralEvents``.
    public nonisolated func peripheralEvents(
        bufferingPolicy: BufferingPolicy
    ) -> EventStream<PeripheralEvent> {
        EventStream(bufferingPolicy) { continuation in
            let observer = Observer(continuation)
            // Observers are held weakly: this one lives as long as its stream.
            continuation.onTermination { withExtendedLifetime(observer) {} }
            mainLoop.post { [weak self] in
                guard let self else { return continuation.finish() }
                register(peripheralObserver: observer)
                register(endObserver: observer)
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

    func hasEnded() {
        continuation.finish()
    }
}
