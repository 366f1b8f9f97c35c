internal import BluejayGLib

/// The clock of a world that can stand still, as a stopped process does.
///
/// Time goes on meanwhile; what is due, and what else comes in, happens when the world goes on, in the
/// order in which it came.
final class PausableClock: EventClock {
    private let base: any EventClock
    private(set) var isPaused = false
    private var held: [(id: Int, action: () -> Void)] = []
    private var end: ScheduledTimer?
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

    /// Stands still from now on; a second pause takes the place of the first.
    func pause(for duration: Duration) {
        isPaused = true
        end = base.schedule(after: duration) { [weak self] in self?.resume() }
    }

    /// Goes on, with what was held first.
    func resume() {
        guard isPaused else { return }
        isPaused = false
        end = nil
        while !held.isEmpty, !isPaused { held.removeFirst().action() }
    }

    /// Does something now, or when the world goes on.
    func whenRunning(_ action: @escaping () -> Void) {
        guard isPaused else { return action() }
        lastID += 1
        held.append((lastID, action))
    }

    /// The process is killed: what it had not looked at is lost, and the next one runs.
    func forgetHeld() {
        held = []
        isPaused = false
        end = nil
    }
}
