public import Bluejay

/// What a `ConnectionObserver` is told.
public enum ConnectionEvent: Hashable, Swift.Sendable {
    /// Bluetooth became available or unavailable; may repeat the same value.
    case bluetoothAvailable(Bool)
    /// A peripheral is connected and its services are known.
    case connected(PeripheralIdentifier)
    /// The peripheral is no longer connected, whatever the reason.
    case disconnected(PeripheralIdentifier)
}

extension Bluejay {
    /// What the connection observers are told, in order, beginning with how things are.
    ///
    /// Each use is a stream of its own, which keeps every event until it is taken. It ends when this
    /// instance is stopped or released.
    public nonisolated var connectionEvents: AsyncStream<ConnectionEvent> {
        connectionEvents(bufferingPolicy: .unbounded)
    }

    /// What the connection observers are told, as far as it is kept until it is taken.
    ///
    /// - Parameter bufferingPolicy: What is kept of the events that were not taken yet.
    /// - Returns: A stream as ``connectionEvents``.
    public nonisolated func connectionEvents(
        bufferingPolicy: AsyncStream<ConnectionEvent>.Continuation.BufferingPolicy
    ) -> AsyncStream<ConnectionEvent> {
        AsyncStream(bufferingPolicy: bufferingPolicy) { continuation in
            let observer = Observer(continuation)
            // Observers are held weakly: this one lives as long as its stream.
            continuation.onTermination = { _ in withExtendedLifetime(observer) {} }
            mainLoop.post { [weak self] in
                guard let self else { return continuation.finish() }
                register(connectionObserver: observer)
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

private final class Observer: ConnectionObserver, EndObserver, Swift.Sendable {
    private let continuation: AsyncStream<ConnectionEvent>.Continuation

    init(_ continuation: AsyncStream<ConnectionEvent>.Continuation) {
        self.continuation = continuation
    }

    func bluetoothAvailable(_ available: Bool) {
        continuation.yield(.bluetoothAvailable(available))
    }

    func connected(to peripheral: PeripheralIdentifier) {
        continuation.yield(.connected(peripheral))
    }

    func disconnected(from peripheral: PeripheralIdentifier) {
        continuation.yield(.disconnected(peripheral))
    }

    func hasEnded() {
        continuation.finish()
    }
}
