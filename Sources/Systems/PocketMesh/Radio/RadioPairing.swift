internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

/// The pairing agent for one radio, while a passkey provider is set.
final class RadioPairing {
    typealias Provider = @Sendable (UUID) async -> UInt32?

    /// Called with each request; the owner passes it to `receive`.
    var onRequest: ((PairingRequest, PairingResponder) -> Void)?

    private(set) var provider: Provider?
    /// Whether the provider received a request in the present pairing.
    private(set) var wasRequested = false

    private let access: BluetoothAccess
    private let user = PairingUser()
    /// Whether the radio shows a number that is not the provider's.
    private var hasNumberMismatch = false
    /// The errors of radios that rejected a pairing; the next attempt does not pair with them.
    private var rejections: [UUID: BLEError] = [:]

    init(_ access: BluetoothAccess) {
        self.access = access
    }

    /// Sets the provider; a call of `follow` must come next.
    func setProvider(_ provider: @escaping Provider) {
        self.provider = provider
        rejections = [:]
    }

    /// Handles the requests of `device` only; `nil` handles none.
    func follow(_ device: DeviceKey?) {
        guard let engine = access.engine, provider != nil else { return user.leave() }
        let scope = device.map { AgentScope.device($0) }
        user.join(engine.pairingAgent, scope: scope) { [weak self] request, _, answer in
            guard let onRequest = self?.onRequest else { return answer.reject() }
            onRequest(request, answer)
        }
    }

    func end() { user.leave() }

    // MARK: One pairing

    func pairingStarted() { wasRequested = false }

    /// Answers a request that needs no number.
    ///
    /// - Returns: Whether the request needs a number, which the owner passes to `complete`.
    func receive(_ request: PairingRequest, _ answer: PairingResponder) -> Bool {
        wasRequested = true
        hasNumberMismatch = false
        switch request {
        // The user connects to this radio on purpose, and neither side shows a number.
        case .authorization: answer.accept()
        case .passkey, .confirmation: return true
        // A radio has no keys, and does not use services of this computer.
        case .displayPasskey, .displayPinCode, .service, .pinCode: answer.reject()
        }
        return false
    }

    func complete(_ request: PairingRequest, _ answer: PairingResponder, _ number: UInt32?) {
        switch (request, number) {
        case (.passkey, let number?): answer.accept(passkey: number)
        // Both sides show the number: it must be the provider's.
        case (.confirmation(let shown), let number?):
            hasNumberMismatch = shown != number
            hasNumberMismatch ? answer.reject() : answer.accept()
        default: answer.reject()
        }
    }

    /// The error of a pairing that this agent rejected.
    var rejection: BLEError {
        hasNumberMismatch ? .pairingFailed("the radio shows another number") : .pairingCancelled
    }

    // MARK: Refusals

    func savedRejection(of device: UUID) -> BLEError? { rejections[device] }

    func recordRejection(_ device: UUID, _ error: BLEError) { rejections[device] = error }

    func forgetRejection(of device: UUID) { rejections[device] = nil }
}
