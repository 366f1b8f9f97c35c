internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

// Pairing: our own agent, for this radio only.

extension BLEStateMachine {
    /// Answers for the radio that is connected, or being connected to, while there is a provider.
    func followPairing() {
        guard let engine, handlers.passkey != nil else {
            pairing = nil
            return
        }
        let user =
            pairing
            ?? engine.pairing.join { [weak self] request, _, answer in
                guard let self else { return answer.refuse() }
                assumeIsolated { $0.asked(request, answer) }
            }
        pairing = user
        guard let link = held?.lease.link else { return user.claim = nil }
        user.claim = .device(PairingDevice(adapter: link.adapter, address: link.address))
    }

    private func asked(_ request: PairingRequest, _ answer: PairingAnswer) {
        guard let provider = handlers.passkey, let device = machine.effort?.device else {
            return answer.refuse()
        }
        wasAsked = true
        isOther = false
        switch request {
        // Whoever connects to a radio wants it, and there is nothing to compare.
        case .authorization: answer.accept()
        case .passkey, .confirmation:
            let question = Task {
                let number = await provider(device)
                switch (request, number) {
                case (.passkey, let number?): answer.accept(passkey: number)
                // Both sides show it: it has to be the one that the provider knows.
                case (.confirmation(let shown), let number?):
                    isOther = shown != number
                    isOther ? answer.refuse() : answer.accept()
                default: answer.refuse()
                }
            }
            answer.onEnd = { question.cancel() }
        // A radio has neither keys to type on, nor a use for what this computer serves.
        case .displayPasskey, .displayPinCode, .service, .pinCode: answer.refuse()
        }
    }

    /// Pairs, so that our agent is the one that is asked, then goes on to listen.
    func pair(_ attempt: PhaseMachine.Attempt, _ lease: LinkLease) {
        wasAsked = false
        // The time limit of the phase is before this one.
        _ = lease.pair(limit: settings.serviceDiscoveryTimeout + .seconds(1)) {
            [weak self] failure in
            self?.assumeIsolated { $0.paired(attempt, failure) }
        }
    }

    private func paired(_ attempt: PhaseMachine.Attempt, _ failure: PairingFailure?) {
        guard held?.attempt == attempt else { return }
        guard let failure else { return listen(attempt) }
        switch failure {
        case .refused, .cancelled:
            let error =
                isOther
                ? BLEError.pairingFailed("the radio shows another number") : .pairingCancelled
            perform(machine.subscribed(attempt, error, now: now))
        case .timedOut: perform(machine.subscribed(attempt, .connectionTimeout, now: now))
        // It does not pair at all: perhaps it does not want to be paired. If it has gone, that is why.
        case .bluez(let failure) where failure.isOfPairing && !wasAsked:
            let error = Self.error(failure)
            held?.pairingFailure = error
            held?.hasRefusedPairing = true
            if let device = machine.effort?.device { known.refusals[device] = error }
            listen(attempt)
        case .bluez(let failure):
            judge(failure, attempt) { radio, error in
                radio.perform(radio.machine.subscribed(attempt, error, now: radio.now))
            }
        }
    }

    /// A link has ended before the radio sent its values: finds out whether a pairing is why.
    ///
    /// - Returns: Whether it is, and what follows was done.
    func endedByPairing(_ attempt: PhaseMachine.Attempt) -> Bool {
        guard let held, held.attempt == attempt, held.subscription != nil else { return false }
        if held.hasRefusedPairing {
            // Such a radio ends the link with the pairing. It may need none: it is not asked again.
            perform(machine.redial(attempt, now: now))
            return true
        }
        let isUnanswered = held.requests.hasTimedOut || held.requests.isOverdue(now: now)
        let unanswered = isUnanswered && !held.wasPaired ? Self.unansweredPairing : nil
        guard let failure = held.pairingFailure ?? unanswered else { return false }
        forgetRefusal(behind: failure)
        perform(machine.subscribed(attempt, failure, now: now))
        return true
    }

    /// A radio that wants a pairing after all is asked again the next time.
    func forgetRefusal(behind error: BLEError) {
        guard case .pairingFailed = error, let device = machine.effort?.device else { return }
        known.refusals[device] = nil
    }

    private static let unansweredPairing = BLEError.pairingFailed(
        "nobody answered the pairing that the radio wants, or it fell silent for 30 s: set a passkey "
            + "provider, or pair before with `bluetoothctl pair ADDRESS`"
    )
}
