internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import BluejayTables
internal import FoundationEssentials

/// Descriptors are attributes as characteristics are, without values of their own accord.
extension Link {
    func request(
        _ request: LinkRequests.Request,
        _ descriptor: RemoteDescriptor,
        _ user: LinkMachine.User,
        within limit: Duration
    ) -> LinkRequest {
        let number = requests.makeNumber()
        requests.waiting[number] = request
        guard machine.isMember(user), table.descriptor(descriptor.number) === descriptor else {
            return refuse(number)
        }
        let now = client.clock.now
        perform(
            machine.ask { $0.request(number, user, descriptor.number, within: limit, now: now) }
        )
        return LinkRequest(number: number)
    }

    /// Sends a call for what is no characteristic, or none any more.
    func sendToDescriptor(
        _ call: AttributeMachine.Call,
        _ attribute: AttributeMachine.Attribute,
        _ message: AttributeMachine.Message,
        within limit: Duration
    ) {
        guard let path = table.descriptor(attribute)?.path,
            let prepared = prepared(message, path)
        else {
            return client.clock.later { [weak self] in self?.answered(call, .gone) }
        }
        let sent = client.call(prepared, timeout: limit) { [weak self] in
            self?.descriptorReplied(call, $0)
        }
        requests.calls[call] = LinkRequests.Call(sent: sent)
    }

    private func prepared(
        _ message: AttributeMachine.Message,
        _ path: ObjectPath
    ) -> PreparedCall? {
        guard case .request(let number) = message else { return nil }
        switch requests.waiting[number] {
        case .read: return GattDescriptor1.readValue(path)
        case .write(let value, _, _): return GattDescriptor1.writeValue(path, value)
        case .session, nil: return nil
        }
    }

    private func descriptorReplied(_ call: AttributeMachine.Call, _ result: ReplyResult) {
        requests.calls[call] = nil
        switch result {
        case .failure(let error): answered(call, BlueZFailure(error))
        case .success(let message):
            requests.answer = message.reader.data() ?? Data()
            answered(call, nil)
        }
    }
}
