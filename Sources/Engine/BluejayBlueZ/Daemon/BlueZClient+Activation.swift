internal import BluejayDBus
internal import BluejayGLib

/// Where a client is in finding bluetoothd and having it started.
struct Activation {
    var machine = ActivationMachine()
    var timer: ScheduledTimer?
}

/// Finds bluetoothd on the bus, and has the bus start one that is missing.
extension BlueZClient {
    func findOwner(mayStart: Bool) {
        connection?.call(StandardBus.getOwner, timeout: .seconds(25)) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let values): ownerChanged(values.first?.text ?? "")
            case .failure where mayStart:
                perform(activation.machine.missing(isFirst: true, now: clock.now))
            case .failure(let error): ownerIsMissing(error)
            }
        }
    }

    /// bluetoothd is on the bus, or has left it.
    func followActivation(isThere: Bool) {
        let now = clock.now
        perform(
            isThere
                ? activation.machine.found(now: now)
                : activation.machine.missing(isFirst: false, now: now)
        )
    }

    func perform(_ actions: [ActivationMachine.Action]) {
        for action in actions {
            switch action {
            case .ask(let call): startService(call)
            case .setTimer(let delay):
                activation.timer = delay.map { delay in
                    clock.schedule(after: delay) { [weak self] in
                        guard let self else { return }
                        perform(activation.machine.timerFired())
                    }
                }
            }
        }
    }

    private func startService(_ call: Int) {
        log.debug("the bus is asked to start bluetoothd")
        connection?.call(StandardBus.startService, timeout: .seconds(25)) { [weak self] result in
            guard let self else { return }
            let isFirst = state == .connecting
            switch result {
            case .success:
                perform(activation.machine.answered(call, .accepted))
                findOwner(mayStart: false)
            case .failure(let error):
                let isUnknown = error.name.hasSuffix(".ServiceUnknown")
                perform(activation.machine.answered(call, isUnknown ? .unknown : .failed))
                log.debug("bluetoothd is not started", ["error": error.description])
                if isFirst { ownerIsMissing(error) }
            }
        }
    }
}
