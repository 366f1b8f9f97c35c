internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

// What is sent, and what the answers mean.

extension BLEStateMachine {
    func perform(_ new: [WriteMachine.Action]) {
        writeActions.perform(new) { perform($0) }
    }

    private func perform(_ action: WriteMachine.Action) {
        switch action {
        case .send(let write): send(write)
        case .withdraw(let write):
            if let request = senders[write]?.request { held?.lease.withdraw(request) }
        case .complete(let write, let outcome):
            guard let continuation = senders.removeValue(forKey: write)?.continuation else {
                return
            }
            switch outcome {
            case .sent: continuation.resume()
            case .failed(let error): continuation.resume(throwing: error)
            case .cancelled: continuation.resume(throwing: CancellationError())
            }
        case .setTimer(let instant):
            writeTimer = schedule(at: instant) { $0.perform($0.writes.timerFired(now: $0.now)) }
        }
    }

    private func send(_ write: WriteMachine.Write) {
        guard let held, let tx = held.tx, let data = senders[write]?.data else { return }
        let attempt = held.attempt
        self.held?.requests.began(write, now: now)
        senders[write]?.request = held.lease.write(tx, data, withResponse: true) {
            [weak self] result in
            self?.assumeIsolated { $0.answered(write, attempt, result) }
        }
    }

    private func answered(
        _ write: WriteMachine.Write,
        _ attempt: PhaseMachine.Attempt,
        _ result: Result<Void, BlueZFailure>
    ) {
        noteAnswer(to: write, attempt, result)
        guard case .failure(let failure) = result else {
            return perform(writes.answered(write, nil, now: now))
        }
        guard !isOfDeadLink(failure, attempt) else {
            // The link is up for bluetoothd for a moment more.
            perform(machine.lost(attempt, now: now))
            return perform(writes.answered(write, .notConnected, now: now))
        }
        judge(failure, attempt) { radio, error in
            radio.perform(radio.writes.answered(write, error, now: radio.now))
            switch error {
            case .pairingFailed, .pairingCancelled:
                radio.forgetRefusal(behind: error)
                radio.perform(radio.machine.givenUp(attempt, error))
            default: break
            }
        }
    }

    // MARK: What bluetoothd's errors mean

    func noteAnswer(
        to request: Int,
        _ attempt: PhaseMachine.Attempt,
        _ result: Result<Void, BlueZFailure>
    ) {
        guard held?.attempt == attempt else { return }
        var code: UInt8?
        if case .failure(.attribute(let found, _)) = result { code = found }
        held?.requests.ended(request, attributeCode: code, now: now)
    }

    /// Whether an error says that the link has gone, although bluetoothd still shows it.
    private func isOfDeadLink(_ failure: BlueZFailure, _ attempt: PhaseMachine.Attempt) -> Bool {
        guard let held, held.attempt == attempt else { return false }
        switch failure {
        case .notConnected: return true
        case .attribute(0x0E, _): return held.requests.hasTimedOut
        default: return false
        }
    }

    /// Finds out what an error means, and tells it, at once or when it is known.
    func judge(
        _ failure: BlueZFailure,
        _ attempt: PhaseMachine.Attempt,
        _ tell: @escaping @Sendable (isolated BLEStateMachine, BLEError) -> Void
    ) {
        guard case .attribute(let error, _) = failure, error == 0x0E else {
            return tell(self, Self.error(failure))
        }
        guard !isOfDeadLink(failure, attempt) else { return tell(self, .notConnected) }
        // bluetoothd has it for a link that is lost as well: whether it is shows a moment later.
        judging = schedule(at: now + settings.lag) { radio in
            guard let held = radio.held, held.attempt == attempt, held.lease.link.isUp else {
                return tell(radio, .notConnected)
            }
            let reason = "the radio has forgotten its pairing (ATT 0x0e)"
            let paired = BLEError.pairingFailure(attributeCode: error, reason: reason)
            let other = BLEError.writeError(Self.text(error, failure))
            tell(radio, held.wasPaired ? paired ?? other : other)
        }
    }

    static func error(_ failure: BlueZFailure) -> BLEError {
        let text = failure.answer ?? "\(failure)"
        switch failure {
        case .adapterOff, .daemonGone, .notConnected, .linkLost: return .notConnected
        case .attribute(let code, _):
            return .pairingFailure(attributeCode: code, reason: text)
                ?? .writeError(Self.text(code, failure))
        case .notPaired:
            return .pairingFailed(
                "the radio wants a pairing or an encrypted link, ATT 0x05 or 0x0f, which look the "
                    + "same on BlueZ: \(text)"
            )
        case .pairing: return failure.isPairingCancelled ? .pairingCancelled : .pairingFailed(text)
        case .timedOut, .silent: return .operationTimeout
        case .inProgress: return .writeError("another program is using the characteristic")
        case .gone: return .writeError("the characteristic has gone")
        case .tooMuch: return .writeError("too many values are waiting")
        case .already, .notSupported, .accessDenied, .cancelled, .other: return .writeError(text)
        }
    }

    private static func text(_ code: UInt8, _ failure: BlueZFailure) -> String {
        "\(ATTError(code: code)) (\(failure.answer ?? ""))"
    }
}
