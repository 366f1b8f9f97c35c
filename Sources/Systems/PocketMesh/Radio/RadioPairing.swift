internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// The pairing agent for one radio, while a passkey provider is set.
final class RadioPairing {
    private(set) var provider: PasskeyResponder.Provider?
    /// Whether the provider received a request in the present pairing.
    private(set) var wasRequested = false

    private let access: BluetoothAccess
    private let agentUser = PairingUser()
    /// The present identifier of the radio.
    private var device: UUID?
    /// Whether the radio shows a number that is not the provider's.
    private var hasNumberMismatch = false
    /// The errors of radios that rejected a pairing; the next attempt does not pair with them.
    private var rejections: [UUID: BLEError] = [:]

    init(_ access: BluetoothAccess) {
        self.access = access
    }

    /// Sets the provider; a call of `follow` must come next.
    func setProvider(_ provider: @escaping PasskeyResponder.Provider) {
        self.provider = provider
        rejections = [:]
    }

    /// Handles the requests of one radio only; `nil` handles none.
    func follow(_ connection: RadioConnection?) {
        device = connection?.device
        guard let engine = access.engine, provider != nil else { return agentUser.leave() }
        let link = connection?.link.link
        let key = link.map { DeviceKey(adapter: $0.adapter, address: $0.address) }
        agentUser.join(engine.pairingAgent, scope: key.map { .device($0) }) {
            [weak self] request, _, responder in
            guard let self else { return responder.reject() }
            receive(request, responder)
        }
    }

    func end() { agentUser.leave() }

    // MARK: One pairing

    func pairingStarted() { wasRequested = false }

    private func receive(_ request: PairingRequest, _ responder: PairingResponder) {
        guard let engine = access.engine, let device else { return responder.reject() }
        wasRequested = true
        hasNumberMismatch = false
        // The user connects to this radio on purpose, and neither side shows a number.
        PasskeyResponder(provider, acceptsAuthorization: true, on: MainLoop(engine.client.context))
            .respond(to: request, with: responder, for: device) { [weak self] outcome in
                self?.hasNumberMismatch = outcome == .numberMismatch
            }
    }

    /// The error of a pairing that this agent rejected.
    var rejection: BLEError {
        hasNumberMismatch ? .pairingFailed("the radio shows another number") : .pairingCancelled
    }

    // MARK: Rejections

    func savedRejection(of device: UUID) -> BLEError? { rejections[device] }

    func recordRejection(_ device: UUID, _ error: BLEError) { rejections[device] = error }

    func forgetRejection(of device: UUID) { rejections[device] = nil }
}
