internal import BluejayBlueZ
internal import BluejayDBus

/// Who is asked while the peripheral pairs.
final class PairingQuestions {
    var handler: PairingHandler?
    /// The share in the agent; nil without a handler, and before the start.
    var user: PairingUser?
}

extension OperationRunner {
    /// Sets who is asked; nil ends that.
    func setPairingHandler(_ handler: PairingHandler?) {
        pairing.handler = handler
        followPairing()
    }

    /// Answers for the peripheral that is connected, or being connected to.
    func followPairing() {
        guard let engine = adapters.engine, pairing.handler != nil else {
            pairing.user = nil
            return
        }
        let user =
            pairing.user
            ?? engine.pairing.join { [weak self] request, _, answer in
                self?.asked(request, answer)
            }
        pairing.user = user
        let target = link.subject
        guard let adapter = link.lease?.link.adapter ?? adapters.chosenAdapter,
            let address = target?.deviceAddress
        else { return user.claim = nil }
        user.claim = .device(PairingDevice(adapter: adapter, address: address))
    }

    private func asked(_ request: PairingRequest, _ answer: PairingAnswer) {
        guard let handler = pairing.handler,
            let peripheral = link.subject
        else { return answer.refuse() }
        log.connection.debug(
            "is asked while pairing",
            ["peripheral": "\(peripheral)", "what": "\(request)"]
        )
        handler(request, peripheral, answer)
    }

    /// Ends what is under way of pairing.
    func cancelPairing(_ finish: @escaping (Result<Void, BluejayError>) -> Void) {
        guard queue.isConnected, let lease = link.lease else {
            return finish(.failure(.notConnected))
        }
        lease.cancelPairing { finish(.success(())) }
    }
}
