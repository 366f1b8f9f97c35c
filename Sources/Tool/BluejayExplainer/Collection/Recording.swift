internal import BluejayBlueZ
internal import BluejayDBus
internal import BluejayGLib
internal import Logging

/// Records what this program, BlueZ and, if the bus permits, other programs do.
package final class Recording: Swift.Sendable {
    private struct State {
        var parser = MessageParser()
        var events: [TraceEvent] = []
    }

    /// The maximum number of events, some tens of megabytes; a command may run for days.
    private static let maximumEventCount = 100_000

    private let state = LockedValue(State())
    private let monitor = LockedValue<ProgramMonitor?>(nil)
    private let startTime = ContinuousClock.now

    private init() {}

    /// Starts to record all bus connections that open from now on.
    ///
    /// A program calls this method once, and before it uses the library: the queue is recorded by a handler
    /// of swift-log.
    ///
    /// - Returns: The recording, after the system bus has permitted or refused to monitor other programs.
    package static func start() async -> Recording {
        let recording = Recording()
        LoggingSystem.bootstrap { label in
            QueueLogHandler(label) { recording.add([$0]) }
        }
        BusObserver.handler = { recording.add($0, isSent: $1) }
        recording.monitor.value = await ProgramMonitor.start { recording.add([$0]) }
        return recording
    }

    /// Ends the recording, and returns its timeline.
    package func finish() -> Timeline {
        let duration = ContinuousClock.now - startTime
        BusObserver.handler = nil
        let monitor = monitor.value
        self.monitor.value = nil
        monitor?.close()
        let events = state.update { state in
            defer { state.events = [] }
            return state.events
        }
        return Timeline(events, duration: duration, showsOtherPrograms: monitor != nil)
    }

    private func add(_ message: BusMessage, isSent: Bool) {
        let time = ContinuousClock.now - startTime
        state.update { state in
            Self.append(state.parser.facts(of: message, isSent: isSent), at: time, to: &state)
        }
    }

    private func add(_ facts: [TraceEvent.Fact]) {
        let time = ContinuousClock.now - startTime
        state.update { Self.append(facts, at: time, to: &$0) }
    }

    private static func append(
        _ facts: [TraceEvent.Fact],
        at time: Duration,
        to state: inout State
    ) {
        let room = maximumEventCount - state.events.count
        guard room > 0 else { return }
        state.events += facts.prefix(room).map { TraceEvent(time, $0) }
        if facts.count >= room {
            state.events[maximumEventCount - 1] = TraceEvent(time, .overflowed)
        }
    }
}
