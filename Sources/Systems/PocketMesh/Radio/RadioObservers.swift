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

    var handlers = RadioHandlers()
    /// The open streams of phases.
    let phases = EventStreams<BLEPhase>()
    /// Receives each phase, for the manager.
    var onPhase: ((BLEPhase) -> Void)?
    /// Receives a stream before any other observer, for the transport; `nil` is its end.
    var onStream: ((AsyncStream<Data>?) -> Void)?
    /// Called at the end of the phases, for the manager.
    var onEnd: (() -> Void)?

    /// Whether values can be sent and received.
    var isConnected: Bool {
        if case .connected = currentPhase { true } else { false }
    }

    // MARK: Notifying

    func enter(_ phase: BLEPhase) {
        currentPhase = phase
        phases.send(phase)
        onPhase?(phase)
    }

    func stateChanged(_ state: BluetoothState) {
        handlers.stateChanged?(state)
        if state == .poweredOn { handlers.poweredOn?() }
    }

    /// Ends the streams of phases and notifies the manager, at the shutdown.
    func end() {
        phases.finish()
        onEnd?()
    }

    /// Ends all streams, and each new one after its first phase, until `reopen`.
    func close() {
        phases.close()
        onEnd?()
    }
}
