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
        guard case .failure(let failure) = result else {
            return perform(writes.answered(write, nil, now: now))
        }
        judge(failure, attempt) { radio, error in
            radio.perform(radio.writes.answered(write, error, now: radio.now))
            switch error {
            case .pairingFailed, .pairingCancelled:
                radio.perform(radio.machine.givenUp(attempt, error))
            default: break
            }
        }
    }

    // MARK: What bluetoothd's errors mean

    /// Finds out what an error means, and tells it, at once or when it is known.
    func judge(
        _ failure: BlueZFailure,
        _ attempt: PhaseMachine.Attempt,
        _ tell: @escaping @Sendable (isolated BLEStateMachine, BLEError) -> Void
    ) {
        guard case .attribute(let error, _) = failure, error == 0x0E else {
            return tell(self, Self.error(failure))
        }
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
        case .timedOut: return .operationTimeout
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
