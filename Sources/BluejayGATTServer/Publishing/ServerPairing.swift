internal import BluejayBlueZ
internal import BluejayCore

/// Who is asked while centrals pair with this machine.
final class ServerPairing {
    var handler: PairingHandler? {
        didSet { follow() }
    }
    private var client: BlueZClient?
    private var adapter: BlueZPath?
    /// The share in the agent; nil without a handler, and before the start.
    private var user: PairingUser?

    func begin(_ client: BlueZClient) {
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

    private func follow() {
        guard let client, handler != nil else {
            user = nil
            return
        }
        let user =
            user
            ?? PairingDesk.shared(by: client).join {
                [weak self, weak client] request, path, answer in
                guard let central = client?.objects.identifier(ofDevice: path) else {
                    return answer.refuse()
                }
                self?.handler?(request, central, answer)
            }
        self.user = user
        user.claim = adapter.map { .others(of: $0) }
    }
}
