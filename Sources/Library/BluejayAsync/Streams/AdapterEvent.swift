public import Bluejay

/// An event that an `AdapterObserver` receives.
public enum AdapterEvent: Hashable, Swift.Sendable {
    /// An adapter was plugged in, or was present when the stream began.
    case appeared(BluetoothAdapter)
    /// An adapter was removed; the value is its last state.
    case vanished(BluetoothAdapter)
    /// An adapter was switched on or off, was renamed, or started or stopped discovering.
    case changed(BluetoothAdapter, from: BluetoothAdapter)
    /// The adapter that calls use from now on, or nil if the computer has no adapter.
    case inUse(BluetoothAdapter?)
}

extension Bluejay {
    /// The events that adapter observers receive, in order, beginning with the current state.
    ///
    /// Each access returns a new stream, which buffers all events and ends when this instance is stopped or
    /// released, or the loop ends.
    public nonisolated var adapterEvents: EventStream<AdapterEvent> {
        adapterEvents(bufferingPolicy: .unbounded)
    }

    /// Returns the events that adapter observers receive, with a limited buffer.
    ///
    /// - Parameter bufferingPolicy: Which unconsumed events the stream keeps.
    /// - Returns: A stream like ``adapterEvents``.
    public nonisolated func adapterEvents(
        bufferingPolicy: BufferingPolicy
    ) -> EventStream<AdapterEvent> {
        EventStream(bufferingPolicy) { continuation in
            let observer = Observer(continuation)
            // Observers are held weakly: the stream keeps this one alive.
            continuation.onTermination { withExtendedLifetime(observer) {} }
            mainLoop.post { [weak self] in
                guard let self else { return continuation.finish() }
                register(adapterObserver: observer)
                register(shutdownObserver: observer)
            }
        }
    }
}

private final class Observer: AdapterObserver, ShutdownObserver, Swift.Sendable {
    private let continuation: EventContinuation<AdapterEvent>

    init(_ continuation: EventContinuation<AdapterEvent>) {
        self.continuation = continuation
    }

    func adapterAppeared(_ adapter: BluetoothAdapter) { continuation.yield(.appeared(adapter)) }

    func adapterVanished(_ adapter: BluetoothAdapter) { continuation.yield(.vanished(adapter)) }

    func adapterChanged(_ adapter: BluetoothAdapter, from old: BluetoothAdapter) {
        continuation.yield(.changed(adapter, from: old))
    }

    func adapterInUseChanged(to adapter: BluetoothAdapter?) { continuation.yield(.inUse(adapter)) }

    func didShutDown() {
        continuation.finish()
    }
}
