package import BluejayGLib

/// Saves a state at most once in `interval`, however often it changes.
///
/// A gain is saved at once, because a killed program would lose it: up to `burst` times in a row, each of which
/// uses up one interval.
///
/// Confined to the loop of the clock.
package final class SaveSchedule {
    package static let interval = Duration.seconds(10)
    package static let burst = 8

    private let clock: any EventClock
    private let save: () -> Void
    /// The end of the intervals that the saves so far have used up.
    private var usedUntil: Duration?
    private var timer: ScheduledTimer?
    private var timerInstant: Duration?

    package init(_ clock: any EventClock, save: @escaping () -> Void) {
        self.clock = clock
        self.save = save
    }

    /// Saves at once, or when the intervals of the saves so far have passed.
    package func stateChanged() {
        save(at: usedUntil ?? clock.now)
    }

    /// Saves at once, or when one interval of `burst` is free again.
    package func stateGained() {
        save(at: usedUntil.map { $0 - Self.interval * (Self.burst - 1) } ?? clock.now)
    }

    /// Saves a change that waits, at the end of the owner.
    package func flush() {
        if timer != nil { performSave() }
    }

    private func save(at instant: Duration) {
        guard instant > clock.now else { return performSave() }
        guard timerInstant.map({ instant < $0 }) ?? true else { return }
        timerInstant = instant
        timer = clock.schedule(at: instant) { [weak self] in self?.performSave() }
    }

    private func performSave() {
        timer = nil
        timerInstant = nil
        usedUntil = max(usedUntil ?? clock.now, clock.now) + Self.interval
        save()
    }
}
