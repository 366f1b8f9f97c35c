internal import BluejayGLib

/// The clock of a world, which can be paused like a stopped process.
///
/// Time advances during a pause. Timers that expire and events that arrive meanwhile are handled, in their
/// order, when the world resumes.
final class PausableClock: EventClock {
    private let base: any EventClock
    private(set) var isPaused = false
    private var held: [(id: Int, action: () -> Void)] = []
    private var resumeTimer: ScheduledTimer?
    private var lastID = 0

    init(_ base: any EventClock) {
        self.base = base
    }

    var now: Duration { base.now }

    func schedule(after delay: Duration, _ action: @escaping () -> Void) -> ScheduledTimer {
        lastID += 1
        let id = lastID
        let timer = base.schedule(after: delay) { [weak self] in
            guard let self, isPaused else { return action() }
            held.append((id, action))
        }
        return ScheduledTimer { [weak self] in
            timer.cancel()
            guard let self, !held.isEmpty else { return }
            held.removeAll { $0.id == id }
        }
    }

    /// Pauses; a second pause replaces the first.
    func pause(for duration: Duration) {
        isPaused = true
        resumeTimer = base.schedule(after: duration) { [weak self] in self?.resume() }
    }

    /// Resumes, and runs the held actions first.
    func resume() {
        guard isPaused else { return }
        isPaused = false
        resumeTimer = nil
        while !held.isEmpty, !isPaused { held.removeFirst().action() }
    }

    /// Runs an action now, or when the world resumes.
    func whenRunning(_ action: @escaping () -> Void) {
        guard isPaused else { return action() }
        lastID += 1
        held.append((lastID, action))
    }

    /// Handles the end of the process: pending actions are lost, and the next process runs.
    func discardHeld() {
        held = []
        isPaused = false
        resumeTimer = nil
    }
}
