internal import BluejayBlueZ
internal import BluejayDBus

/// Answers the pairing requests of the peripheral that is connected or being connected to.
final class PeripheralPairing {
    private var handler: LoopPairingHandler?
    private let pairingUser = PairingUser()
    private let adapters: AdapterController
    private let link: ConnectedLink
    private let log: Log

    init(_ adapters: AdapterController, _ link: ConnectedLink, log: Log) {
        self.adapters = adapters
        self.link = link
        self.log = log
    }

    func setHandler(_ handler: LoopPairingHandler?) {
        self.handler = handler
        follow()
    }

    /// Claims the requests of the current peripheral.
    func follow() {
        guard let engine = adapters.engine, handler != nil else { return pairingUser.leave() }
        pairingUser.join(engine.pairingAgent, scope: scope) { [weak self] request, _, responder in
            self?.receive(request, responder)
        }
    }

    private var scope: AgentScope? {
        guard let adapter = link.lease?.link.adapter ?? adapters.chosenAdapter,
            let address = link.subject?.deviceAddress
        else { return nil }
        return .device(DeviceKey(adapter: adapter, address: address))
    }

    private func receive(_ request: PairingRequest, _ responder: PairingResponder) {
        guard let handler, let peripheral = link.subject else { return responder.reject() }
        log.debug(
            "pairing request received",
            ["peripheral": "\(peripheral)", "what": "\(request)"]
        )
        handler(request, peripheral, responder)
    }
}
