internal import BluejayDBus
internal import BluejayGLib

/// The parts that all objects of a simulated BlueZ share: the options, the clock, the bus and the radio.
///
/// Confined to the thread of its main context.
final class SimulatedWorld {
    private(set) var options: SimulatorOptions
    private(set) var clock: PausableClock
    let bus: SimulatedBus
    let medium = RadioMedium()
    let agents: AgentManager
    /// Whether rfkill blocks the adapters.
    var isBlocked = false
    /// Whether `Disconnect` fails to prevent a link that is being established.
    var connectsDespiteDisconnect = false
    /// The answer of a desktop user to pairing requests; `nil` leaves them to the agents.
    var userAgreesToPairing: Bool?
    /// Called when a defect of bluetoothd has crashed the daemon.
    var onCrash: () -> Void = {}
    /// Called with the full UUID of each value that a scripted device sends to subscribers.
    var onValueSent: (String) -> Void = { _ in }
    private var timers: [Int: ScheduledTimer] = [:]
    private var lastTimer = 0

    init(_ options: SimulatorOptions, at address: BusAddress, on context: MainContext) {
        self.options = options
        bus = SimulatedBus(address, on: context)
        agents = AgentManager(bus)
        clock = Self.clock(options, on: context)
    }

    var version: SimulatedBlueZVersion { options.version }

    /// Sets another configuration, which a restarted daemon reads.
    func configure(_ options: SimulatorOptions) {
        self.options = options
        clock = Self.clock(options, on: bus.context)
    }

    /// Leaves the bus immediately, like a killed process.
    func disconnectFromBus() {
        bus.close()
        clock.discardHeld()
    }

    // MARK: Time

    private static func clock(_ options: SimulatorOptions, on context: MainContext) -> PausableClock
    {
        PausableClock(
            context.environment.value.clock
                ?? MainContextClock(on: context, scale: options.timeScale)
        )
    }

    /// Converts a wait for a program, whose own time is not scaled.
    func unscaled(_ duration: Duration) -> Duration {
        bus.context.environment.value.clock == nil ? duration / options.timeScale : duration
    }

    /// Runs an action later, even if its owner is released meanwhile.
    func schedule(_ delay: Duration, _ action: @escaping () -> Void) {
        lastTimer += 1
        let id = lastTimer
        timers[id] = clock.schedule(after: delay) { [weak self] in
            self?.timers[id] = nil
            action()
        }
    }

    /// Discards the scheduled actions.
    func cancelTimers() {
        timers = [:]
    }
}
