internal import BluejayCore
internal import BluejayGATTServer
internal import FoundationEssentials

// What the server tells.

extension HostServer {
    func bluetoothChanged(_ state: BluetoothState) {
        tell(.bluetooth(state))
        let actions = machine.bluetoothChanged(isOn: state == .poweredOn)
        if state != .poweredOn { perform(roster.allLeft(at: clock.now)) }
        perform(actions)
    }

    func left(_ central: PeripheralIdentifier) {
        valueLengths[central] = nil
        perform(roster.left(central, at: clock.now))
    }

    func centralChanged(_ change: CentralChange) {
        guard case .identified(let old, let new) = change else { return }
        valueLengths[new] = valueLengths.removeValue(forKey: old)
        roster.identified(old, as: new)
        if let player = roster.player(new) { tell(.changed(central(new), id: player.id)) }
    }

    func subscribed(_ central: PeripheralIdentifier) {
        guard machine.isOpen else { return }
        noteLengths(notifying?.subscribers ?? [])
        perform(roster.subscribed(central, at: clock.now))
    }

    func subscribersChanged(_ subscribers: [Subscriber]) {
        // Where Bluetooth has gone the subscriptions go one by one.
        guard machine.isOpen else { return }
        noteLengths(subscribers)
        let centrals = subscribers.map(\.central)
        perform(
            roster.subscribersChanged(
                centrals,
                tellsEach: server.tellsEachSubscriber,
                at: clock.now
            )
        )
    }

    private func noteLengths(_ subscribers: [Subscriber]) {
        for subscriber in subscribers {
            note(subscriber.maximumValueLength, of: subscriber.central)
        }
    }

    func subscriptionChanged(_ isSubscribed: Bool) {
        // Its socket goes with the last subscription only.
        guard !isSubscribed, !server.tellsEachSubscriber else { return }
        perform(roster.allLeft(at: clock.now))
    }

    func used(by central: PeripheralIdentifier?, mtu: Int?) {
        guard let central else { return }
        if let mtu { note(min(512, max(23, mtu) - 3), of: central) }
        guard machine.isOpen, !server.tellsEachSubscriber, notifying?.isSubscribed ?? false else {
            return
        }
        perform(roster.used(by: central, at: clock.now))
    }

    func note(_ length: Int, of central: PeripheralIdentifier) {
        guard valueLengths[central] != length else { return }
        valueLengths[central] = length
        guard let player = roster.player(central) else { return }
        membersChanged()
        tell(.changed(self.central(central), id: player.id))
    }

    func written(_ request: WriteRequest) {
        used(by: request.central, mtu: request.mtu)
        request.accept()
        guard machine.isOpen, let central = request.central, let player = roster.player(central)
        else {
            shown.value.strayWriteCount += 1
            let central = request.central.map { "\($0)" } ?? "unknown"
            return log.debug("a write of nobody who plays", ["central": central])
        }
        switch settings.framing {
        case .raw: receive(request.value, from: player.id)
        case .fragments:
            let message = reassembler.addFragment(request.value, from: player.id)
            shown.value.fragments = reassembler.statistics
            if let message { receive(message, from: player.id) }
        }
    }

    func receive(_ message: Data, from id: String) {
        let size = message.count + 64
        guard unread[id, default: 0] + size <= Self.maximumUnreadSize else {
            shown.value.unreadMessageCount += 1
            return
        }
        unread[id, default: 0] += size
        tell(.data(message, from: id))
    }
}
