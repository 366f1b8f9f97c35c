internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

// What the machine of the phases decides.

extension BLEStateMachine {
    func perform(_ new: [PhaseMachine.Action]) {
        phaseActions.perform(new) { perform($0) }
        pin()
    }

    private func perform(_ action: PhaseMachine.Action) {
        switch action {
        case .enter(let phase): enter(phase)
        case .awaitBluetooth(let attempt):
            bluetoothWait = whenUsable { $0.finishWaiting(attempt, isUsable: $1) }
        case .stopAwaiting: bluetoothWait = nil
        case .dial(let attempt, let device): dial(attempt, device)
        case .findService(let attempt): findService(attempt)
        case .findCharacteristics(let attempt): findCharacteristics(attempt)
        case .subscribe(let attempt): subscribe(attempt)
        case .openStream: openStream()
        case .closeStream: closeStream()
        case .letGo(let attempt): letGo(attempt)
        case .cut(let attempt): cut(attempt)
        case .setTimer(let instant):
            timer = schedule(at: instant) { $0.perform($0.machine.timerFired(now: $0.now)) }
        case .pause(let failures):
            timer = schedule(at: now + settings.pauses.pause(after: failures)) {
                $0.perform($0.machine.timerFired(now: $0.now))
            }
        case .complete(let caller, let outcome): complete(caller, outcome)
        case .tellReconnecting(let device): handlers.reconnecting?(device)
        case .tellReconnected(let device):
            if let stream = inbox?.elements { handlers.reconnected?(device, stream) }
        case .tellDisconnected(let device, let error): handlers.disconnected?(device, error)
        case .remember(let device): remember(device)
        case .disconnected:
            let told = disconnecters
            disconnecters = []
            for one in told { one() }
        }
    }

    private func enter(_ phase: BLEPhase) {
        log.debug(
            "the phase is another one",
            ["phase": phase.name, "device": phase.deviceID?.uuidString ?? ""]
        )
        currentPhase = phase
        phaseStreams.send(phase)
        handlers.phaseObserver?(phase)
    }

    private func complete(_ caller: Int, _ outcome: PhaseMachine.Outcome) {
        guard let continuation = callers.removeValue(forKey: caller) else { return }
        switch outcome {
        case .connected:
            guard let stream = inbox?.elements else {
                return continuation.resume(throwing: BLEError.notConnected)
            }
            continuation.resume(returning: stream)
        case .failed(let error): continuation.resume(throwing: error)
        case .cancelled: continuation.resume(throwing: CancellationError())
        }
    }

    /// What is connected is of no use: it is let go, and the disconnection handler told why.
    func giveUp(_ error: BLEError) {
        if let held { perform(machine.givenUp(held.attempt, error)) }
    }

    private func openStream() {
        writes.open()
        handlers.streamHolder?(inbox?.elements)
    }

    private func closeStream() {
        closeInbox()
        handlers.streamHolder?(nil)
        perform(writes.close())
    }
}
