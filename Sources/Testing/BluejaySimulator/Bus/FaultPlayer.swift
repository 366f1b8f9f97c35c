internal import BluejayDBus
internal import BluejayGLib

/// Applies the faults of a schedule when their triggers occur.
///
/// Confined to the thread of the world's main context.
final class FaultPlayer {
    /// The treatment of a call by bluetoothd.
    enum CallTreatment {
        case serve
        case refuse(BusError)
        case ignore
        case delay(Duration)
    }

    private var timeline: FaultTimeline
    private let clock: any EventClock
    private let apply: (Fault) -> Void
    private var timers: [Int: ScheduledTimer] = [:]
    private var lastTimer = 0
    /// The number of faults applied so far.
    private(set) var appliedCount = 0

    /// Starts a schedule.
    ///
    /// - Parameters:
    ///   - schedule: The faults.
    ///   - clock: Must not belong to the daemon, because a killed daemon loses its timers.
    ///   - apply: Applies a fault of the world.
    init(
        _ schedule: FaultSchedule,
        on clock: any EventClock,
        applying apply: @escaping (Fault) -> Void
    ) {
        timeline = FaultTimeline(schedule)
        self.clock = clock
        self.apply = apply
        for (time, event) in timeline.timed {
            self.schedule(after: time) { [weak self] in self?.cause(event) }
        }
    }

    /// Applies the faults of a call that has arrived.
    ///
    /// - Returns: The treatment of this call.
    func callArrived(_ member: String) -> CallTreatment {
        var treatment = CallTreatment.serve
        for event in timeline.called(member) {
            switch event.effect {
            case .world: cause(event)
            case .callRefused(let name, let text):
                treatment = .refuse(BusError(name: name, message: text))
                appliedCount += 1
            case .callUnanswered:
                treatment = .ignore
                appliedCount += 1
            case .callDelayed(let delay):
                treatment = .delay(delay)
                appliedCount += 1
            }
        }
        return treatment
    }

    /// Applies the faults of a message that bluetoothd is sending, after its current work.
    func messageSent(_ member: String) {
        causeNext(timeline.sent(member))
    }

    /// Applies the faults of a value that a device is sending, after its current work.
    func valueSent(_ uuid: String) {
        causeNext(timeline.valueSent(uuid))
    }

    private func causeNext(_ events: [FaultEvent]) {
        guard !events.isEmpty else { return }
        schedule(after: .zero) { [weak self] in
            for event in events { self?.cause(event) }
        }
    }

    // Effects on a call have no meaning for other triggers.
    private func cause(_ event: FaultEvent) {
        guard case .world(let fault) = event.effect else { return }
        appliedCount += 1
        apply(fault)
        guard let duration = event.duration, let opposite = fault.opposite else { return }
        schedule(after: duration) { [weak self] in self?.apply(opposite) }
    }

    private func schedule(after delay: Duration, _ action: @escaping () -> Void) {
        lastTimer += 1
        let id = lastTimer
        timers[id] = clock.schedule(after: delay) { [weak self] in
            self?.timers[id] = nil
            action()
        }
    }
}
