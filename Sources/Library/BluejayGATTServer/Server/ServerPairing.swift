internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib

/// Passes pairing requests of centrals to the user's handler.
final class ServerPairing {
    let handler = LoopProperty<LoopPairingHandler?>(nil)
    var capability = AgentCapability.keyboardAndDisplay
    private var client: BlueZClient?
    private var adapter: BlueZPath?
    private let pairingUser = PairingUser()

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
        guard let client, handler.applied != nil else { return pairingUser.leave() }
        let scope = adapter.map { AgentScope.unclaimedDevices(of: $0) }
        pairingUser.join(PairingAgent.shared(by: client), scope: scope, capability: capability) {
            [weak self, weak client] request, path, responder in
            guard let central = client?.objects.identifier(ofDevice: path) else {
                return responder.reject()
            }
            self?.handler.applied?(request, central, responder)
        }
    }
}
