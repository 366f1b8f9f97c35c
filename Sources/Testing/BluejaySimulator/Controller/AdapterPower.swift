internal import BluejayDBus

/// The power of an adapter, as a client, the system or rfkill switches it.
final class AdapterPower {
    enum Event {
        case willGoOff
        /// The radio is off: all links end, at the other side with this reason.
        case radioOff(SimulatedDisconnectReason)
        case off(changed: [String])
        case on(changed: [String])
        case changed([String])
    }

    private(set) var isPowered: Bool
    private(set) var state: String
    private unowned let world: SimulatedWorld
    private let report: (Event) -> Void
    /// Whether a change is in progress.
    private var isSwitching = false
    /// Changes requested by the system during another change.
    private var pendingSwitches: [() -> Void] = []
    /// Whether the adapter turns on when rfkill unblocks it.
    private var restoresPower = false

    /// Whether the adapter accepts requests; it refuses them while it is turning off.
    var isReady: Bool { isPowered && state != "on-disabling" }

    init(_ isPowered: Bool, in world: SimulatedWorld, report: @escaping (Event) -> Void) {
        self.isPowered = isPowered
        state = isPowered ? "on" : "off"
        self.world = world
        self.report = report
    }

    /// Resets the power like a new daemon: its configuration and rfkill decide.
    func restart() {
        endSwitching()
        restoresPower = world.options.isPowered
        isPowered = world.options.isPowered && !world.isBlocked
        state = isPowered ? "on" : world.isBlocked ? "off-blocked" : "off"
    }

    // MARK: Switching

    func set(_ powered: Bool, _ call: MethodInvocation) {
        guard !isSwitching else {
            // Older versions report success for the second of two changes.
            return world.version.refusesSecondSwitch
                ? call.fail(BlueZError.switching) : call.reply()
        }
        if powered, world.isBlocked { return call.fail(world.version.blocked) }
        change(to: powered) { [world] in
            if powered, world.isBlocked { call.fail(world.version.blocked) } else { call.reply() }
        }
    }

    /// Switches the adapter on behalf of the system, after any change in progress.
    func change(bySystem powered: Bool, completion: @escaping () -> Void) {
        guard isSwitching else { return change(to: powered, reply: completion) }
        pendingSwitches.append { [weak self] in
            self?.change(bySystem: powered, completion: completion) ?? completion()
        }
    }

    /// Switches on or off; `reply` answers the caller between the signals.
    private func change(to powered: Bool, reply: @escaping () -> Void) {
        guard powered != isPowered, !isSwitching, !(powered && world.isBlocked) else {
            return reply()
        }
        if !powered { report(.willGoOff) }
        isSwitching = true
        setState(powered ? "off-enabling" : "on-disabling")
        world.schedule(RecordedDelays.power) { [weak self] in
            guard let self, isSwitching else { return reply() }
            if !powered { turnRadioOff(.byRemoteHost) }
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

    /// Ends a change; the next one starts after the signals have been sent.
    private func endSwitching() {
        isSwitching = false
        guard !pendingSwitches.isEmpty else { return }
        world.schedule(.zero, pendingSwitches.removeFirst())
    }

    /// Turns off like rfkill: ends links first, then signals the power with the old state, then the state.
    func block() {
        restoresPower = isPowered
        endSwitching()
        if isPowered {
            report(.willGoOff)
            turnRadioOff(.byRemoteHost)
            state = "on"
            report(.off(changed: ["Powered", "Discovering", "PowerState"]))
        }
        setState("off-blocked")
    }

    /// Unblocks like rfkill: an adapter that was on turns on again.
    func unblock() {
        guard restoresPower else { return setState("off") }
        world.schedule(RecordedDelays.power) { [weak self] in
            guard let self, !world.isBlocked, !isPowered else { return }
            isPowered = true
            state = "on"
            report(.on(changed: ["PowerState", "Powered"]))
        }
    }

    // MARK: Ends

    func willEnd() {
        setState("on-disabling")
    }

    /// Turns off for the end of the daemon; the power changes last.
    func end() {
        turnRadioOff(.byRemoteHost)
        state = "off"
        report(.off(changed: ["PowerState", "Powered", "Discovering"]))
    }

    func controllerLost() {
        let wasPowered = isPowered
        // A controller without power ends no link: the other end times out.
        turnRadioOff(.timedOut)
        // As recorded: bluetoothd still signals the old `PowerState`.
        report(.off(changed: wasPowered ? ["PowerState", "Powered", "Discovering"] : []))
    }

    private func turnRadioOff(_ reason: SimulatedDisconnectReason) {
        isPowered = false
        report(.radioOff(reason))
    }

    private func setState(_ state: String) {
        self.state = state
        report(.changed(["PowerState"]))
    }
}
