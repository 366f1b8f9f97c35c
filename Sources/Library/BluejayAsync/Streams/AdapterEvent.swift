public import Bluejay

/// What an `AdapterObserver` is told.
public enum AdapterEvent: Hashable, Swift.Sendable {
    /// An adapter was plugged in, or is there at first.
    case appeared(BluetoothAdapter)
    /// An adapter has gone; it is told as it was last.
    case vanished(BluetoothAdapter)
    /// An adapter was switched on or off, named, or discovers or does not any more.
    case changed(BluetoothAdapter, from: BluetoothAdapter)
    /// Calls go to another adapter from now on; nil is none.
    case inUse(BluetoothAdapter?)
}

extension Bluejay {
    /// What the adapter observers are told, in order, beginning with how things are.
    ///
    /// Each use is a stream of its own, which keeps every event until it is taken. It ends when this
    /// instance is stopped or released.
    public nonisolated var adapterEvents: EventStream<AdapterEvent> {
        adapterEvents(bufferingPolicy: .unbounded)
    }

    /// What the adapter observers are told, as far as it is kept until it is taken.
    ///
    /// - Parameter bufferingPolicy: What is kept of the events that were not taken yet.
    /// - Returns: A stream as ``adapterEvents``.
    public nonisolated func adapterEvents(
        bufferingPolicy: BufferingPolicy
    ) -> EventStream<AdapterEvent> {
        EventStream(bufferingPolicy) { continuation in
            let observer = Observer(continuation)
            // Observers are held weakly: this one lives as long as its stream.
            continuation.onTermination { withExtendedLifetime(observer) {} }
            mainLoop.post { [weak self] in
                guard let self else { return continuation.finish() }
                register(adapterObserver: observer)
                register(endObserver: observer)
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

    func hasEnded() {
        continuation.finish()
    }
}
