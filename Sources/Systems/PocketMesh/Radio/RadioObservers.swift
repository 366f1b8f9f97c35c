internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// The handlers that users set.
struct RadioHandlers {
    var discovered: (@Sendable (UUID, Int?) -> Void)?
    var disconnected: (@Sendable (UUID, (any Error)?) -> Void)?
    var reconnected: (@Sendable (UUID, AsyncStream<Data>) -> Void)?
    var reconnecting: (@Sendable (UUID) -> Void)?
    var stateChanged: (@Sendable (BluetoothState) -> Void)?
    var poweredOn: (@Sendable () -> Void)?
}

/// The observers of a radio: handlers, streams of phases, the transport and the manager.
final class RadioObservers {
    private(set) var currentPhase = BLEPhase.idle

    private(set) var handlers = RadioHandlers()
    private let readers = EventStreams<BLEPhase>()
    private var phaseObserver: ((BLEPhase) -> Void)?
    private var streamObserver: ((AsyncStream<Data>?) -> Void)?
    private var onEnd: (() -> Void)?

    /// Whether values can be sent and received.
    var isConnected: Bool {
        if case .connected = currentPhase { true } else { false }
    }

    /// Whether a stream of phases is open.
    var hasReaders: Bool { !readers.isEmpty }

    func set<Handler>(_ handler: Handler, for key: WritableKeyPath<RadioHandlers, Handler?>) {
        handlers[keyPath: key] = handler
    }

    /// Sets the one observer of phases, for the manager.
    func observePhase(_ observer: @escaping (BLEPhase) -> Void) { phaseObserver = observer }

    /// Sets the transport's closure, which receives a stream before any other observer; `nil` is its end.
    func observeStream(_ observer: @escaping (AsyncStream<Data>?) -> Void) {
        streamObserver = observer
    }

    /// Sets the manager's closure, called at the end of the phases.
    func observeEnd(_ observer: @escaping () -> Void) { onEnd = observer }

    /// Adds a stream of phases; `ended` is called on any thread, with the number of the stream.
    func addReader(
        _ stream: BoundedStream<BLEPhase>.Continuation,
        ended: @escaping @Sendable (Int) -> Void
    ) {
        readers.add(stream, first: currentPhase, onTermination: ended)
    }

    func removeReader(_ number: Int) { readers.remove(number) }

    func finishReaders() { readers.finish() }

    // MARK: Notifying

    func enter(_ phase: BLEPhase) {
        currentPhase = phase
        readers.send(phase)
        phaseObserver?(phase)
    }

    func stateChanged(_ state: BluetoothState) {
        handlers.stateChanged?(state)
        if state == .poweredOn { handlers.poweredOn?() }
    }

    func streamChanged(_ stream: AsyncStream<Data>?) { streamObserver?(stream) }

    /// Ends the streams of phases and notifies the manager, at the shutdown.
    func end() {
        finishReaders()
        onEnd?()
    }

    /// Ends all streams, and each new one after its first phase, until `reopen`.
    func close() {
        readers.close()
        onEnd?()
    }

    func reopen() { readers.reopen() }
}
