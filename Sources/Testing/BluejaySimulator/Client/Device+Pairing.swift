internal import BluejayDBus
internal import OrderedCollections

/// Pairing: by a client's call, or by itself for what needs an encrypted link.
extension Device {
    func pair(_ call: MethodInvocation) {
        guard adapter.power.isPowered else { return call.fail(BlueZError.notReady) }
        if isPaired {
            if world.kind.refusesSecondPairing || !isConnected {
                return call.fail(BlueZError.alreadyExists)
            }
            // 5.66 tries the other transport and answers when the link goes.
            return stuckPairings.append(call)
        }
        guard pairing == nil else { return call.fail(BlueZError.inProgress) }
        guard !isConnected else { return pairConnected(call) }
        guard pendingConnection == nil else { return call.fail(BlueZError.inProgress) }
        connect { [weak self] error in
            guard let self, error == nil else { return call.fail(BlueZError.pageTimeout) }
            pairConnected(call)
        }
    }

    private func pairConnected(_ call: MethodInvocation) {
        let agent = world.agents.agent(of: call.sender)
        guard agent != nil || world.userAgreesToPairing != nil else {
            return world.later(Waits.pairingWithoutAgent) {
                call.fail(BlueZError.authenticationFailed)
            }
        }
        startPairing(agent, isAsked: true) { [weak self] end in
            switch end {
            case .paired: call.reply()
            case .failed: call.fail(BlueZError.authenticationFailed)
            case .refusedThere:
                call.fail(BlueZError.authenticationFailed)
                self?.link?.close(reason: .authenticationFailed)
            case .cancelled: call.fail(BlueZError.authenticationCanceled)
            }
        }
    }

    func cancelPairing(_ call: MethodInvocation) {
        guard let pairing, pairing.isAsked else { return call.fail(BlueZError.doesNotExist) }
        pairing.giveUp()
        call.reply()
    }

    /// A peer wants an encrypted link for what was asked: bluetoothd pairs by itself.
    ///
    /// Without an agent nobody answers `completion`; the request then times out.
    func encrypt(completion: @escaping (Bool) -> Void) {
        guard !isPaired else { return completion(true) }
        guard pairing == nil else { return whenEncrypted.append(completion) }
        let agent = world.agents.agent
        guard agent != nil || world.userAgreesToPairing != nil else {
            isForgottenWithLink = true
            return
        }
        startPairing(agent, isAsked: false) { [weak self] end in
            switch end {
            case .paired: completion(true)
            case .failed, .cancelled: completion(false)
            // bluetoothd gives the link up with the pairing.
            case .refusedThere: self?.link?.close(reason: .authenticationFailed)
            }
        }
    }

    private func startPairing(
        _ agent: AgentManager.Agent?,
        isAsked: Bool,
        _ completion: @escaping (PairingAttempt.End) -> Void
    ) {
        let attempt = PairingAttempt(self, agent: agent, isAsked: isAsked) { [weak self] end in
            self?.pairingEnded(end)
            completion(end)
            self?.tellEncrypted()
        }
        pairing = attempt
        let peer = client?.server
        let script = peer?.acceptsPairing == false ? .refused : peer?.pairing ?? .justWorks
        if let agrees = world.userAgreesToPairing {
            attempt.begin(script, userAgrees: agrees)
        } else if let other = link?.devices.last(where: { $0 !== self && $0.adapter === peer }) {
            attempt.begin(asking: other)
        } else {
            attempt.begin(script)
        }
    }

    private func pairingEnded(_ end: PairingAttempt.End) {
        pairing = nil
        if case .paired(let isAuthenticated) = end { bond(isAuthenticated) }
    }

    private func tellEncrypted() {
        let told = whenEncrypted
        whenEncrypted = []
        for one in told { one(isPaired) }
    }

    /// Both ends have keys from now on.
    private func bond(_ isAuthenticated: Bool) {
        for device in link?.devices ?? [self] where !device.isPaired {
            if let identity = device.client?.server.identity {
                device.adapter.learn(identity, of: device)
            }
            device.isPaired = true
            device.isAuthenticated = isAuthenticated
            device.makePermanent()
            device.changed(world.kind.hasBonded ? ["Bonded", "Paired"] : ["Paired"])
        }
    }
}
