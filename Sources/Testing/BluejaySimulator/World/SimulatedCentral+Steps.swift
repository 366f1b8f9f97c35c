internal import BluejayGLib

/// What each step does.
extension SimulatedCentral {
    func perform(_ step: CentralStep, in world: SimulatedBlueZ) {
        switch step {
        case .connect: connect(to: nil, within: .seconds(30), world)
        case .connectTo(let adapter, let limit): connect(to: adapter, within: limit, world)
        case .wait(let duration):
            current?.timer = world.clock.schedule(after: duration) { [weak self] in
                self?.finish(.success(()), .goesOn)
            }
        case .expect(let name, let count, let limit):
            expect(name, count, within: limit, world)
        case .leave: end(.byRemoteHost)
        case .vanish: end(.timedOut)
        case .repeat, .forever: finish(.success(()))
        case .pair, .read, .write, .prepare, .execute, .cancelPrepared, .subscribe, .unsubscribe:
            guard let link else { return finish(.failure(.notConnected)) }
            current?.endsWithLink = true
            ask(step, of: link)
        }
    }

    private func connect(to adapter: Int?, within limit: Duration, _ world: SimulatedBlueZ) {
        guard link == nil else { return finish(.success(())) }
        current?.adapter = adapter
        current?.isConnecting = true
        current?.endsWithLink = true
        current?.limit = world.clock.schedule(after: limit) { [weak self] in
            self?.finish(.failure(.nobodyAdvertises))
        }
        tryConnecting()
    }

    private func end(_ reason: SimulatedLinkEnd) {
        link?.close(reason)
        finish(.success(()))
    }

    private func expect(
        _ name: String,
        _ count: Int,
        within limit: Duration,
        _ world: SimulatedBlueZ
    ) {
        let last = name.split(separator: "/").last.map(String.init) ?? name
        guard let uuid = UUIDText.long(last) else { return finish(.failure(.notFound(name))) }
        current?.expected = (name, uuid, count)
        guard inbox(name).untaken < count else { return finishExpecting() }
        current?.limit = world.clock.schedule(after: limit) { [weak self] in
            self?.finishExpecting()
        }
    }

    // MARK: Requests

    private func ask(_ step: CentralStep, of link: CentralLink) {
        switch step {
        case .pair: pair(link)
        case .read(let name): find(name, link) { read($0.valueHandle, of: link) }
        case .write(let name, let value, let way):
            find(name, link) { write($0.valueHandle, value, way, to: link) }
        case .prepare(let name, let value, let offset):
            find(name, link) {
                send(.prepare(handle: $0.valueHandle, value: value, offset: offset), to: link)
            }
        case .execute: send(.execute(writes: true), to: link)
        case .cancelPrepared: send(.execute(writes: false), to: link)
        case .subscribe(let name, let kind):
            find(name, link) {
                let visible = CharacteristicFlags.visible($0.flags)
                let notifies = kind == .notificationsFirst && visible.contains("notify")
                send(
                    .configure(
                        handle: $0.valueHandle,
                        notifies ? .notifications : .indications
                    ),
                    to: link
                )
            }
        case .unsubscribe(let name):
            find(name, link) { send(.configure(handle: $0.valueHandle, .nothing), to: link) }
        default: finish(.success(()))
        }
    }

    private func find(
        _ name: String,
        _ link: CentralLink,
        _ use: (AttributeDatabase.Characteristic) -> Void
    ) {
        guard let found = link.end.characteristic(name) else {
            return finish(.failure(.notFound(name)))
        }
        use(found)
    }

    private func pair(_ link: CentralLink) {
        guard !link.end.isPaired else { return finish(.success(())) }
        guard let number = current?.number else { return }
        link.end.encrypt { [weak self] isPaired in
            self?.finish(number: number, isPaired ? .success(()) : .failure(.notPaired))
        }
    }

    // What a link takes away is told by its end.
    private func send(
        _ request: ATTRequest,
        to link: CentralLink,
        then: (([UInt8]) -> Void)? = nil
    ) {
        guard let number = current?.number else { return }
        link.client.send(request) { [weak self] result in
            guard let self, self.link === link, current?.number == number else { return }
            switch result {
            case .failure where link.client.hasTimedOut: finish(.failure(.noAnswer))
            case .failure(let error): finish(.failure(.refused(error.code)))
            case .success(let bytes):
                if let then { return then(bytes) }
                // bluetoothd tells the application behind its answer: a moment later it knows.
                if case .configure = request { return finish(.success(()), .restsFirst) }
                finish(.success(()), .goesOn)
            }
        }
    }

    /// Reads on while an answer fills its packet (Vol 3, Part G, 4.8.3).
    private func read(_ handle: UInt16, of link: CentralLink, _ before: [UInt8] = []) {
        send(.read(handle: handle, offset: before.count), to: link) { [weak self] bytes in
            let room = link.client.mtu - 1
            let value = before + bytes.prefix(room)
            guard bytes.count >= room, value.count < 512 else {
                self?.noteRead(value)
                self?.finish(.success(()), .goesOn)
                return
            }
            self?.read(handle, of: link, value)
        }
    }

    private func write(
        _ handle: UInt16,
        _ value: [UInt8],
        _ way: CentralWrite,
        to link: CentralLink
    ) {
        let room = link.client.mtu - 3
        switch way {
        case .withoutResponse where value.count > room:
            finish(.failure(.tooLong(length: value.count, limit: room)))
        case .withoutResponse:
            link.client.send(command: handle, value)
            finish(.success(()), .isGoingOn)
        case .withResponse where value.count <= room:
            send(.write(handle: handle, value: value, offset: 0), to: link)
        case .withResponse, .long: writeLong(handle, value, from: 0, to: link)
        }
    }

    private func writeLong(
        _ handle: UInt16,
        _ value: [UInt8],
        from offset: Int,
        to link: CentralLink
    ) {
        let piece = Array(value.dropFirst(offset).prefix(link.client.mtu - 5))
        guard !piece.isEmpty || offset == 0 else {
            return send(.execute(writes: true), to: link)
        }
        send(.prepare(handle: handle, value: piece, offset: offset), to: link) {
            [weak self] _ in
            guard !piece.isEmpty else { return self?.send(.execute(writes: true), to: link) ?? () }
            self?.writeLong(handle, value, from: offset + piece.count, to: link)
        }
    }
}
