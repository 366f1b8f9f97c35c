internal import BluejayDBus

/// The power of an adapter, as a client, the system or rfkill switches it.
final class AdapterPower {
    /// What a change of the power asks of the adapter.
    enum Event {
        /// The adapter goes off in a moment.
        case willGoOff
        /// The radio is off: all links end, at the other side with this reason.
        case radioOff(SimulatedLinkEnd)
        /// The adapter is off, and these properties have changed.
        case off(changed: [String])
        /// The adapter is on, and these properties have changed.
        case on(changed: [String])
        case changed([String])
    }

    private(set) var isPowered: Bool
    private(set) var state: String
    private unowned let world: SimulatedBlueZ
    private let report: (Event) -> Void
    /// Whether a change of the power is under way.
    private var isSwitching = false
    /// What the system does to the power when the present change is done.
    private var laterSwitches: [() -> Void] = []
    /// Whether the adapter goes on when rfkill permits it.
    private var returnsToPower = false

    /// Whether the adapter takes requests; it does not while it is being switched off.
    var isReady: Bool { isPowered && state != "on-disabling" }

    init(_ isPowered: Bool, in world: SimulatedBlueZ, report: @escaping (Event) -> Void) {
        self.isPowered = isPowered
        state = isPowered ? "on" : "off"
        self.world = world
        self.report = report
    }

    /// The daemon starts: the power is what its configuration and rfkill say.
    func restart() {
        endSwitching()
        returnsToPower = world.options.isPowered
        isPowered = world.options.isPowered && !world.isBlocked
        state = isPowered ? "on" : world.isBlocked ? "off-blocked" : "off"
    }

    // MARK: Switching

    /// A client sets `Powered`.
    func set(_ powered: Bool, _ call: MethodInvocation) {
        guard !isSwitching else {
            // Older ones take the second of two changes for done.
            return world.kind.refusesSecondSwitch ? call.fail(BlueZError.switching) : call.reply()
        }
        if powered, world.isBlocked { return call.fail(world.kind.blocked) }
        change(to: powered) { [world] in
            if powered, world.isBlocked { call.fail(world.kind.blocked) } else { call.reply() }
        }
    }

    /// The system switches the adapter; during another change, when that is done.
    func change(bySystem powered: Bool, done: @escaping () -> Void) {
        guard isSwitching else { return change(to: powered, reply: done) }
        laterSwitches.append { [weak self] in
            self?.change(bySystem: powered, done: done) ?? done()
        }
    }

    /// Switches on or off; `reply` answers the caller between the signals.
    private func change(to powered: Bool, reply: @escaping () -> Void) {
        guard powered != isPowered, !isSwitching, !(powered && world.isBlocked) else {
            return reply()
        }
        if !powered { report(.willGoOff) }
        isSwitching = true
        tell(powered ? "off-enabling" : "on-disabling")
        world.later(Waits.power) { [weak self] in
            guard let self, isSwitching else { return reply() }
            if !powered { cut(.byRemoteHost) }
            reply()
            finish(powered)
        }
    }

    private func finish(_ powered: Bool) {
        endSwitching()
        isPowered = powered
        state = powered ? "on" : "off"
        report(
            powered
                ? .on(changed: ["PowerState", "Powered"])
                : .off(changed: ["PowerState", "Powered", "Discovering"])
        )
    }

    /// A change is done: the next one that waits begins when its signals have gone out.
    private func endSwitching() {
        isSwitching = false
        guard !laterSwitches.isEmpty else { return }
        world.later(.zero, laterSwitches.removeFirst())
    }

    /// rfkill switches it off: links first, then the power with the state of before, then the state.
    func block() {
        returnsToPower = isPowered
        endSwitching()
        if isPowered {
            report(.willGoOff)
            cut(.byRemoteHost)
            state = "on"
            report(.off(changed: ["Powered", "Discovering", "PowerState"]))
        }
        tell("off-blocked")
    }

    /// rfkill permits it: an adapter that was on before goes on by itself.
    func unblock() {
        guard returnsToPower else { return tell("off") }
        world.later(Waits.power) { [weak self] in
            guard let self, !world.isBlocked, !isPowered else { return }
            isPowered = true
            state = "on"
            report(.on(changed: ["PowerState", "Powered"]))
        }
    }

    // MARK: Ends

    /// The daemon begins to end.
    func willEnd() {
        tell("on-disabling")
    }

    /// The daemon ends: the power goes last.
    func end() {
        cut(.byRemoteHost)
        state = "off"
        report(.off(changed: ["PowerState", "Powered", "Discovering"]))
    }

    /// The controller is gone.
    func lose() {
        let wasPowered = isPowered
        // A controller without power ends no link: the other end hears nothing of it any more.
        cut(.timedOut)
        // As recorded: bluetoothd has not heard that its state is another.
        report(.off(changed: wasPowered ? ["PowerState", "Powered", "Discovering"] : []))
    }

    private func cut(_ reason: SimulatedLinkEnd) {
        isPowered = false
        report(.radioOff(reason))
    }

    private func tell(_ state: String) {
        self.state = state
        report(.changed(["PowerState"]))
    }
}
