internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import BluejayTables
internal import FoundationEssentials

/// Values without response: what `WriteSocketMachine` decides is performed here.
extension Link {
    typealias Call = AttributeMachine.Call

    /// Sends a value without response at once, if there is a socket for it and nothing is before it.
    ///
    /// - Returns: Whether it is on its way; if not, nothing has happened.
    func sendAtOnce(
        _ value: Data,
        to characteristic: RemoteCharacteristic,
        _ user: LinkMachine.User
    ) -> Bool {
        let attribute = characteristic.number
        guard let socket = sockets.writing[attribute], machine.isMember(user),
            machine.attributes.isFree(attribute), sockets.areRead(by: user, but: attribute),
            sockets.machine.goesOn(attribute, user, length: value.count)
        else { return false }
        return socket.send(value, of: user) == .sent
    }

    /// Writes a value that has its turn on its characteristic.
    func write(
        _ value: Data,
        withResponse: Bool,
        to characteristic: RemoteCharacteristic,
        _ call: Call
    ) {
        let user = machine.attributes.user(of: call) ?? 0
        let described = WriteSocketMachine.Value(
            user: user,
            attribute: characteristic.number,
            length: value.count,
            isCommand: !withResponse && characteristic.properties.contains(.writeWithoutResponse)
        )
        let pending = PendingWrite(
            call: call,
            value: value,
            withResponse: withResponse,
            characteristic: characteristic,
            described: described
        )
        let decision = sockets.machine.way(of: described)
        guard let left = decision.left else { return perform(decision.way, pending) }
        whenRead(call, by: nil) { [weak self] in
            self?.sockets.writing[left] = nil
            self?.perform(decision.way, pending)
        }
    }

    private func perform(_ way: WriteSocketMachine.Way, _ write: PendingWrite) {
        let attribute = write.characteristic.number
        let user = write.described.user
        switch way {
        case .packet:
            whenRead(write.call, by: user, but: attribute) { [weak self] in
                self?.sendPacket(write)
            }
        case .call, .release, .acquire:
            // What is unread when a socket is closed is lost.
            let isThere = sockets.writing[attribute] != nil
            whenRead(write.call, by: isThere ? nil : user) { [weak self] in
                guard let self else { return }
                sockets.writing[attribute] = nil
                if way == .acquire { acquire(write) } else { sendCall(write) }
            }
        }
    }

    private func sendCall(_ write: PendingWrite) {
        guard let limit = timeLeft(of: write.call) else { return }
        sendWrite(
            write.call,
            write.value,
            withResponse: write.withResponse,
            to: write.characteristic,
            within: limit
        )
    }

    // MARK: Sockets

    private func acquire(_ write: PendingWrite) {
        guard let limit = timeLeft(of: write.call) else { return }
        guard let path = write.characteristic.path else { return sendCall(write) }
        let sent = client.call(GattCharacteristic1.acquireWrite(path), timeout: limit) {
            [weak self] result in
            guard let self else { return }
            requests.calls[write.call] = nil
            acquired(result, write)
        }
        requests.calls[write.call] = LinkRequests.Call(sent: sent)
    }

    private func acquired(_ result: CallResult, _ write: PendingWrite) {
        let attribute = write.characteristic.number
        var limit: Int?
        if case .success(let answer) = result,
            let (end, mtu) = GattCharacteristic1.acquired(answer)
        {
            limit = mtu - 3
            let socket = WriteSocket(end, on: client.context) { [weak self] in
                self?.writeSocketHungUp(attribute)
            }
            sockets.writing[attribute] = socket
            giveBackWhenIdle(attribute)
        }
        log.debug(
            limit == nil ? "no socket for writing is to be had" : "values go through a socket",
            ["characteristic": "\(write.characteristic.identifier)"]
        )
        perform(sockets.machine.acquired(write.described, limit: limit), write)
    }

    private func sendPacket(_ write: PendingWrite) {
        // Who waited for it may have run out of time.
        guard let limit = timeLeft(of: write.call) else { return }
        guard let socket = sockets.writing[write.characteristic.number] else {
            return sendCall(write)
        }
        let call = write.call
        switch socket.send(write.value, of: write.described.user) {
        case .sent:
            requests.calls[call] = nil
            // Never inside the call that asked for it.
            client.clock.later { [weak self] in self?.answered(call, nil) }
        case .full:
            requests.calls[call] = LinkRequests.Call(
                timer: client.clock.schedule(after: limit) { [weak self] in
                    self?.requests.calls[call] = nil
                    self?.answered(call, .timedOut)
                }
            )
            socket.whenWritable { [weak self] in self?.sendPacket(write) }
        case .closed, .failed:
            writeSocketHungUp(write.characteristic.number)
            sendCall(write)
        }
    }

    private func writeSocketHungUp(_ attribute: AttributeMachine.Attribute) {
        sockets.writing[attribute] = nil
        sockets.machine.hungUp(attribute)
    }

    private func giveBackWhenIdle(_ attribute: AttributeMachine.Attribute) {
        guard let socket = sockets.writing[attribute] else { return }
        socket.idleTimer = client.clock.schedule(after: LinkSockets.idleTime) {
            [weak self, weak socket] in
            guard let self, let socket, sockets.writing[attribute] === socket else { return }
            guard !socket.takeUse(), !socket.isUnread(by: nil), machine.attributes.isFree(attribute)
            else { return giveBackWhenIdle(attribute) }
            sockets.writing[attribute] = nil
            sockets.machine.idled(attribute)
        }
    }

    // MARK: The order beside other calls

    func timeLeft(of call: Call) -> Duration? {
        machine.attributes.timeLeft(of: call, now: client.clock.now)
    }

    /// Goes on when bluetoothd has read what a user sent through sockets, or everybody did: no call must
    /// overtake a value.
    ///
    /// - Parameters:
    ///   - call: What waits.
    ///   - user: Whose values are before it; nil is everybody.
    ///   - own: A characteristic whose socket it goes through itself.
    ///   - look: How often it was looked already.
    ///   - go: Called at most once, at once where possible.
    func whenRead(
        _ call: Call,
        by user: LinkMachine.User?,
        but own: AttributeMachine.Attribute? = nil,
        look: Int = 0,
        _ go: @escaping () -> Void
    ) {
        guard !sockets.areRead(by: user, but: own) else { return go() }
        guard let left = timeLeft(of: call) else { return }
        guard left > .zero else {
            requests.calls[call] = nil
            return answered(call, .timedOut)
        }
        let pause = min(LinkSockets.look(look), left)
        let timer = client.clock.schedule(after: pause) { [weak self] in
            guard let self else { return }
            requests.calls[call] = nil
            whenRead(call, by: user, but: own, look: look + 1, go)
        }
        requests.calls[call] = LinkRequests.Call(timer: timer)
    }

    /// Goes on when bluetoothd has read everything, or has had the time to.
    func whenAllIsRead(look: Int = 0, until deadline: Duration, _ go: @escaping () -> Void) {
        guard !sockets.areRead(by: nil), client.clock.now < deadline else { return go() }
        readTimer = client.clock.schedule(after: LinkSockets.look(look)) { [weak self] in
            self?.whenAllIsRead(look: look + 1, until: deadline, go)
        }
    }

    /// The link is not ours any more: sockets go, those for writing when what is in them was read.
    func endSockets() {
        guard !sockets.writing.isEmpty || !sockets.listening.isEmpty || !sockets.hungUp.isEmpty
        else { return }
        for socket in sockets.listening.values { socket.close() }
        sockets.listening = [:]
        sockets.hungUp = []
        sockets.wishes = [:]
        for socket in sockets.writing.values where socket.isUnread(by: nil) {
            sockets.lingering.append(socket)
        }
        sockets.writing = [:]
        sockets.machine.linkEnded()
        guard !sockets.lingering.isEmpty else { return }
        let deadline = client.clock.now + LinkSockets.lingering
        linger(until: deadline)
    }

    private func linger(look: Int = 0, until deadline: Duration) {
        sockets.lingering.removeAll { !$0.isUnread(by: nil) }
        guard !sockets.lingering.isEmpty else { return lingerTimer = nil }
        guard client.clock.now < deadline else { return sockets.lingering = [] }
        lingerTimer = client.clock.schedule(after: LinkSockets.look(look)) { [self] in
            linger(look: look + 1, until: deadline)
        }
    }
}

/// A value between its turn and its end.
private struct PendingWrite {
    let call: AttributeMachine.Call
    let value: Data
    let withResponse: Bool
    let characteristic: RemoteCharacteristic
    let described: WriteSocketMachine.Value
}
