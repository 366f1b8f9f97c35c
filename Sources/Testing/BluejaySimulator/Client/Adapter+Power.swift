internal import BluejayDBus

/// How an adapter is switched on and off: by a client, by the system, by rfkill.
extension Adapter {
    /// A client sets `Powered`.
    func setPowered(_ powered: Bool, _ call: MethodInvocation) {
        guard !isSwitching else {
            // Older ones take the second of two changes for done.
            return world.kind.refusesSecondSwitch ? call.fail(BlueZError.switching) : call.reply()
        }
        if powered, world.isBlocked { return call.fail(world.kind.blocked) }
        setPowered(powered) { [world] in
            if powered, world.isBlocked { call.fail(world.kind.blocked) } else { call.reply() }
        }
    }

    /// The system switches it on or off; during another change, when that is done.
    func switchPower(_ powered: Bool, done: @escaping () -> Void) {
        guard isSwitching else { return setPowered(powered, reply: done) }
        laterSwitches.append { [weak self] in self?.switchPower(powered, done: done) ?? done() }
    }

    /// A change is done: the next one that waits begins when its signals have gone out.
    func switched() {
        guard !laterSwitches.isEmpty else { return }
        let next = laterSwitches.removeFirst()
        world.later(.zero, next)
    }

    /// Switches on or off; `reply` answers the caller between the signals.
    func setPowered(_ powered: Bool, reply: @escaping () -> Void) {
        guard powered != isPowered, !isSwitching, !(powered && world.isBlocked) else {
            return reply()
        }
        if !powered { forgetPassers() }
        isSwitching = true
        setPower(isPowered, powered ? "off-enabling" : "on-disabling")
        changed("PowerState")
        world.later(Waits.power) { [weak self] in
            guard let self else { return reply() }
            guard isSwitching else { return reply() }
            if !powered { endEverything(.byRemoteHost) }
            reply()
            finishPower(powered)
        }
    }

    private func finishPower(_ powered: Bool) {
        isSwitching = false
        setPower(powered, powered ? "on" : "off")
        guard powered else {
            endDiscovery()
            return changed("PowerState", "Powered", "Discovering")
        }
        changed("PowerState", "Powered")
        world.air.changed(self)
    }

    /// rfkill switches it off: links first, then the power with the state of before, then the state.
    func block() {
        returnsToPower = isPowered
        isSwitching = false
        if isPowered {
            forgetPassers()
            endEverything(.byRemoteHost)
            endDiscovery()
            setPower(false, "on")
            changed("Powered", "Discovering", "PowerState")
        }
        tellPowerState("off-blocked")
    }

    /// rfkill lets it: what was on before is switched on again by itself.
    func unblock() {
        guard returnsToPower else { return tellPowerState("off") }
        world.later(Waits.power) { [weak self] in
            guard let self, !world.isBlocked, !isPowered else { return }
            setPower(true, "on")
            changed("PowerState", "Powered")
            world.air.changed(self)
        }
    }
}
