internal import BluejayBlueZ
internal import BluejayGLib

/// The objects that all owners of one instance use.
struct InstanceContext {
    let loop: MainContext
    let clock: any EventClock
    let log: InstanceLog
    let scheduler: StepScheduler
    /// The state for all threads.
    let statePublisher = StatePublisher()
    let timeouts = CallTimeouts()

    init(_ loop: MainContext, log: InstanceLog? = nil) {
        self.loop = loop
        self.log = log ?? InstanceLog(LogObservers(loop))
        clock = loop.makeClock()
        scheduler = StepScheduler(context: loop)
    }
}
