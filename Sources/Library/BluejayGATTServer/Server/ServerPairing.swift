internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib

/// Passes pairing requests of centrals to the user's handler.
final class ServerPairing {
    let handler = LoopProperty<PairingHandler?>(nil)
    private var client: BlueZClient?
    private var adapter: BlueZPath?
    /// The registration with the agent; nil without a handler, and before the start.
    private var registration: PairingRegistration?

    func start(_ client: BlueZClient) {
        self.client = client
        follow()
    }

    func use(_ adapter: BlueZPath) {
        self.adapter = adapter
        follow()
    }

    func end() {
        client = nil
        adapter = nil
        follow()
    }

    func follow() {
        guard let client, handler.applied != nil else {
            registration = nil
            return
        }
        let user =
            registration
            ?? PairingAgent.shared(by: client).addHandler {
                [weak self, weak client] request, path, answer in
                guard let central = client?.objects.identifier(ofDevice: path) else {
                    return answer.reject()
                }
                self?.handler.applied?(request, central, answer)
            }
        self.registration = user
        user.scope = adapter.map { .unclaimedDevices(of: $0) }
    }
}
