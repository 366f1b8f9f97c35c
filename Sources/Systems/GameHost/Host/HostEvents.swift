internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// An event of one session; of former sessions the main actor reports failures only.
struct SessionEvent: Swift.Sendable {
    let session: Int
    let event: HostEvent
}

/// The events and statistics of a host for the main actor.
final class HostEvents {
    private let continuation: AsyncStream<SessionEvent>.Continuation
    private let statistics: LockedValue<HostStatistics>
    private var session = 0
    private var lastState: HostState?

    init(
        _ continuation: AsyncStream<SessionEvent>.Continuation,
        _ statistics: LockedValue<HostStatistics>
    ) {
        self.continuation = continuation
        self.statistics = statistics
    }

    /// Starts a session; all later events carry its number.
    func start(_ session: Int) {
        self.session = session
        lastState = nil
    }

    func send(_ event: HostEvent) {
        continuation.yield(SessionEvent(session: session, event: event))
    }

    /// Sends a state that differs from the last one of the session.
    func send(_ state: HostState) {
        guard state != lastState else { return }
        lastState = state
        send(.state(state))
    }

    func count(_ change: (inout HostStatistics) -> Void) {
        change(&statistics.value)
    }
}
