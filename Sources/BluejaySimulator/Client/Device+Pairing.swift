internal import BluejayDBus

/// Pairing, as far as it needs no passkey.
extension Device {
    func pair(_ call: MethodInvocation) {
        guard adapter.isPowered else { return call.fail(BlueZError.notReady) }
        if isPaired {
            if world.kind.refusesSecondPairing || !isConnected {
                return call.fail(BlueZError.alreadyExists)
            }
            // 5.66 tries the other transport and answers when the link goes.
            return stuckPairings.append(call)
        }
        guard isConnected else {
            guard pendingConnection == nil else { return call.fail(BlueZError.inProgress) }
            return connect { [weak self] error in
                guard let self, error == nil else { return call.fail(BlueZError.pageTimeout) }
                finishPairing(call)
            }
        }
        finishPairing(call)
    }

    private func finishPairing(_ call: MethodInvocation) {
        guard world.userAgreesToPairing ?? (world.agents.agent != nil),
            client?.server.acceptsPairing ?? true
        else {
            return world.later(Waits.pairingWithoutAgent) {
                call.fail(BlueZError.authenticationFailed)
            }
        }
        world.later(Waits.pairing) { [weak self] in
            guard let self, isConnected else { return call.fail(BlueZError.authenticationFailed) }
            bond()
            call.reply()
        }
    }

    /// Both ends have keys from now on.
    private func bond() {
        for device in link?.devices ?? [self] where !device.isPaired {
            if let identity = device.client?.server.identity {
                device.adapter.learn(identity, of: device)
            }
            device.isPaired = true
            device.makePermanent()
            device.changed(world.kind.hasBonded ? ["Bonded", "Paired"] : ["Paired"])
        }
    }

    /// A peer wants an encrypted link for what was asked: bluetoothd pairs by itself.
    ///
    /// Without an agent nobody answers `completion`; the request then times out.
    func encrypt(completion: @escaping (Bool) -> Void) {
        guard !isPaired else { return completion(true) }
        if let agrees = world.userAgreesToPairing {
            return world.later(Waits.pairing) { [weak self] in self?.encrypt(agrees, completion) }
        }
        guard let agent = world.agents.agent, let connection = world.connection else {
            isForgottenWithLink = true
            return
        }
        let call = MethodCall(
            agent.client,
            agent.path,
            Names.agent,
            "RequestAuthorization",
            [.objectPath(path)]
        )
        connection.call(call, timeout: .seconds(60)) { [weak self] result in
            guard let self, case .success = result else { return completion(false) }
            encrypt(true, completion)
        }
    }

    private func encrypt(_ agrees: Bool, _ completion: (Bool) -> Void) {
        guard agrees, isConnected else { return completion(false) }
        guard client?.server.acceptsPairing ?? true else {
            // bluetoothd gives the link up with the pairing.
            link?.close(reason: .authenticationFailed)
            return
        }
        bond()
        completion(true)
    }
}
