internal import BluejayCore
internal import BluejayGATTServer
internal import FoundationEssentials

// What the machines decide.

extension HostServer {
    func perform(_ actions: [SessionMachine.Action]) {
        for action in actions { perform(action) }
        tellState()
    }

    func perform(_ action: SessionMachine.Action) {
        switch action {
        case .addService: addService()
        case .removeService:
            guard let service else { return perform(machine.removed()) }
            self.service = nil
            notifying = nil
            server.remove(service) { [weak self] _ in
                guard let self else { return }
                perform(machine.removed())
            }
        case .askName: tell(.askName)
        case .startAdvertising(let name):
            let advertisement = LocalAdvertisement(
                serviceUUIDs: [BLEConstants.serviceUUID],
                localName: name.isEmpty ? nil : name
            )
            server.startAdvertising(advertisement) { [weak self] result in
                guard let self else { return }
                perform(machine.started(result.failureText))
            }
        case .stopAdvertising:
            server.stopAdvertising { [weak self] in
                guard let self else { return }
                perform(machine.stopped())
            }
        }
    }

    func addService() {
        let writing = LocalCharacteristic(
            uuid: BLEConstants.writeCharacteristicUUID,
            properties: [.write, .writeWithoutResponse],
            onWrite: { [weak self] in self?.written($0) }
        )
        let notifying = LocalCharacteristic(
            uuid: BLEConstants.notifyCharacteristicUUID,
            properties: [.notify, .read],
            subscriptions: .perCentral,
            onRead: { [weak self] request in
                self?.used(by: request.central, mtu: request.mtu)
                request.respond(with: Data())
            }
        )
        notifying.onSubscription = { [weak self] in self?.subscribed($0) }
        notifying.onSubscribersChange = { [weak self] in self?.subscribersChanged($0) }
        notifying.onSubscriptionChange = { [weak self] in self?.subscriptionChanged($0) }
        let service = LocalService(
            uuid: BLEConstants.serviceUUID,
            characteristics: [writing, notifying]
        )
        self.service = service
        self.notifying = notifying
        server.add(service) { [weak self] result in
            guard let self else { return }
            if case .failure = result {
                self.service = nil
                self.notifying = nil
            }
            perform(machine.added(result.failureText))
        }
    }

    func perform(_ actions: [RosterMachine<PeripheralIdentifier>.Action]) {
        guard !actions.isEmpty else { return membersChanged() }
        for action in actions {
            switch action {
            case .joined(let central, let id, let number):
                log.debug("a player has joined", ["player": "\(id)", "central": "\(central)"])
                tell(.joined(self.central(central), id: id, name: "Player \(number)"))
            case .left(let central, let id):
                log.debug("a player has left", ["player": "\(id)", "central": "\(central)"])
                reassembler.forget(id)
                unread[id] = nil
                tell(.left(id: id))
            }
        }
        membersChanged()
    }

    func membersChanged() {
        let shared = (notifying?.subscribers ?? []).filter(\.sharesValues).map(\.central)
        let members = roster.players.map {
            OutboxMachine.Member(
                id: $0.id,
                valueLength: valueLength(of: $0.central),
                isMute: $0.isMute,
                isShared: shared.contains($0.central)
            )
        }
        perform(outbox.membersChanged(members, isEach: server.addressing == .each))
    }

    func perform(_ actions: [OutboxMachine.Action]) {
        for action in actions {
            switch action {
            case .send(let number, let piece, let target): send(number, piece, to: target)
            case .fail(let number, let target, let failure):
                guard let packet = messages[number] else { continue }
                tell(.failed(OutgoingPacket(targetPeerId: target, data: packet.data), failure))
            case .finish(let number): messages[number] = nil
            case .armFlush:
                flushTimer = clock.schedule(after: settings.flushInterval) { [weak self] in
                    self?.flush()
                }
            }
        }
        lookAtGoodbye()
    }

    func flush() {
        flushTimer = nil
        perform(outbox.flush())
    }

    func send(_ number: Int, _ piece: OutboxMachine.Piece, to target: String?) {
        let done: GATTServer.Completion = { [weak self] result in
            guard let self else { return }
            perform(outbox.finished(number, Self.outcome(result, target)))
        }
        guard let notifying, let message = messages[piece.message]?.data else {
            return done(.failure(BluejayError.cancelled))
        }
        let value = value(piece, of: message)
        if let target, let player = roster.player(id: target) {
            server.notify(value, on: notifying, to: player.central, completion: done)
        } else {
            server.notify(value, on: notifying, completion: done)
        }
    }

    func value(_ piece: OutboxMachine.Piece, of message: Data) -> Data {
        guard settings.framing == .fragments else { return message }
        let start = message.startIndex
        let bytes = message[(start + piece.range.lowerBound)..<(start + piece.range.upperBound)]
        return PacketFragmenter.header(piece.packetId, piece.index, of: piece.count) + bytes
    }

    static func outcome(
        _ result: Result<Void, any Error>,
        _ target: String?
    ) -> OutboxMachine.Outcome {
        guard case .failure(let error) = result else { return .sent }
        let target = target ?? ""
        return switch (error as? BluejayError)?.code {
        case .notAddressable: .failed(.notAddressable(target))
        case .tooManyValues: .failed(.queueFull)
        default: .failed(.mute(target))
        }
    }
}

extension Result<Void, any Error> {
    fileprivate var failureText: String? {
        if case .failure(let error) = self { "\(error)" } else { nil }
    }
}
