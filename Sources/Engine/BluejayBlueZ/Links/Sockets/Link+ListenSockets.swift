internal import BluejayDBus
internal import BluejayGLib
internal import BluejayTables
internal import FoundationEssentials

/// Values that come through a socket instead of by signals.
extension Link {
    /// Switches the values of a characteristic on: through a socket where somebody wants that and
    /// bluetoothd gives one, else by signals.
    func startValues(_ call: Call, _ characteristic: RemoteCharacteristic, within limit: Duration) {
        let attribute = characteristic.number
        guard let path = characteristic.path, sockets.wishes[attribute]?.isEmpty == false,
            !sockets.hungUp.contains(attribute)
        else {
            sockets.hungUp.remove(attribute)
            return sendStart(call, characteristic, within: limit)
        }
        let sent = client.call(GattCharacteristic1.acquireNotify(path), timeout: limit) {
            [weak self] result in
            guard let self else { return }
            requests.calls[call] = nil
            notifyAcquired(result, call, characteristic)
        }
        requests.calls[call] = LinkRequests.Call(sent: sent)
    }

    private func notifyAcquired(
        _ result: CallResult,
        _ call: Call,
        _ characteristic: RemoteCharacteristic
    ) {
        switch result {
        case .success(let answer):
            guard let (end, _) = GattCharacteristic1.acquired(answer),
                let path = characteristic.path
            else { break }
            // A value that is read comes as a signal, and as nothing else here.
            client.routeValues(of: path, to: nil)
            sockets.listening[characteristic.number] = makeSocket(end, characteristic)
            return answered(call, nil)
        case .failure(let error):
            let failure = BlueZFailure(error)
            guard failure.isWithoutSocket else { return answered(call, failure) }
            log.debug(
                "no socket for listening is to be had",
                ["characteristic": "\(characteristic.identifier)"]
            )
        }
        guard let left = timeLeft(of: call) else { return }
        sendStart(call, characteristic, within: left)
    }

    private func sendStart(
        _ call: Call,
        _ characteristic: RemoteCharacteristic,
        within limit: Duration
    ) {
        guard let path = characteristic.path else { return }
        if !characteristic.route.isEmpty { client.routeValues(of: path, to: characteristic.route) }
        send(call, GattCharacteristic1.startNotify(path), within: limit)
    }

    private func makeSocket(_ end: BusDescriptor, _ characteristic: RemoteCharacteristic)
        -> ListenSocket
    {
        ListenSocket(end, on: client.context) { [weak characteristic] value in
            characteristic?.route.receive(value)
        } hungUp: { [weak self] in
            self?.listenSocketHungUp(characteristic)
        }
    }

    // It mostly means that the link goes, which is said a moment later.
    private func listenSocketHungUp(_ characteristic: RemoteCharacteristic) {
        let attribute = characteristic.number
        sockets.listening[attribute] = nil
        sockets.hungUp.insert(attribute)
        guard let path else { return }
        client.refresh(device: path) { [weak self] in
            guard let self, isUp, sockets.hungUp.contains(attribute) else { return }
            let now = client.clock.now
            perform(machine.ask { $0.sessionLost(attribute, now: now) })
        }
    }

    /// Switches the values off; the socket stays until bluetoothd has answered.
    func stopValues(_ call: Call, _ characteristic: RemoteCharacteristic, within limit: Duration) {
        let attribute = characteristic.number
        guard let path = characteristic.path, sockets.hungUp.remove(attribute) == nil else {
            return client.clock.later { [weak self] in self?.answered(call, nil) }
        }
        guard sockets.listening[attribute] != nil,
            let stop = GattCharacteristic1.stopNotify(path)
        else { return send(call, GattCharacteristic1.stopNotify(path), within: limit) }
        let sent = client.call(stop, timeout: limit) { [weak self] result in
            guard let self else { return }
            sockets.listening.removeValue(forKey: attribute)?.close()
            replied(call, result)
        }
        requests.calls[call] = LinkRequests.Call(sent: sent)
    }

    /// A subscription begins or ends that would rather have a socket.
    func wish(
        _ request: AttributeMachine.Request,
        _ attribute: AttributeMachine.Attribute,
        isOn: Bool
    ) {
        if isOn {
            sockets.wishes[attribute, default: []].insert(request)
        } else if sockets.wishes[attribute]?.remove(request) != nil,
            sockets.wishes[attribute]?.isEmpty == true
        {
            sockets.wishes[attribute] = nil
        }
    }

    /// A characteristic has gone.
    func removeSockets(_ attribute: AttributeMachine.Attribute) {
        sockets.writing[attribute] = nil
        sockets.machine.removed(attribute)
        sockets.listening.removeValue(forKey: attribute)?.close()
        sockets.hungUp.remove(attribute)
        sockets.wishes[attribute] = nil
    }
}

extension BlueZFailure {
    /// Whether it is only the socket that is not to be had.
    fileprivate var isWithoutSocket: Bool {
        switch self {
        case .inProgress, .gone, .attribute(0x06, _), .other: true
        case .adapterOff, .notConnected, .linkLost, .already, .attribute, .notPaired, .pairing,
            .notSupported, .daemonGone, .accessDenied, .cancelled, .tooMuch, .timedOut,
            .silent:
            false
        }
    }
}
