package import BluejayGLib

/// Saves a state at most once in `interval`, however often it changes.
///
/// Confined to the loop of the clock.
package final class SaveSchedule {
    package static let interval = Duration.seconds(10)

    private let clock: any EventClock
    private let save: () -> Void
    private var lastSave: Duration?
    private var timer: ScheduledTimer?

    package init(_ clock: any EventClock, save: @escaping () -> Void) {
        self.clock = clock
        self.save = save
    }

    /// Saves at once, or when `interval` has passed since the last time.
    package func stateChanged() {
        guard timer == nil else { return }
        let next = lastSave.map { $0 + Self.interval } ?? clock.now
        guard next > clock.now else { return performSave() }
        timer = clock.schedule(at: next) { [weak self] in self?.performSave() }
    }

    /// Saves a change that waits, at the end of the owner.
    package func flush() {
        if timer != nil { performSave() }
    }

    private func performSave() {
        timer = nil
        lastSave = clock.now
        save()
    }
}
