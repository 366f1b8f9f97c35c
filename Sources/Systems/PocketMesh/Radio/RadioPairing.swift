internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

/// The pairing agent for one radio, while a passkey provider is set.
final class RadioPairing {
    typealias Provider = @Sendable (UUID) async -> UInt32?

    /// Called with each request; the owner passes it to `receive`.
    var onRequest: ((PairingRequest, PairingAnswer) -> Void)?

    private(set) var provider: Provider?
    /// Whether the provider was asked in the present pairing.
    private(set) var wasAsked = false

    private let access: BluetoothAccess
    private var user: PairingRegistration?
    /// Whether the radio shows a number that is not the provider's.
    private var isOther = false
    /// The errors of radios that rejected a pairing; the next attempt does not pair with them.
    private var refusals: [UUID: BLEError] = [:]

    init(_ access: BluetoothAccess) {
        self.access = access
    }

    /// Sets the provider; a call of `follow` must come next.
    func setProvider(_ provider: @escaping Provider) {
        self.provider = provider
        refusals = [:]
    }

    /// Answers the requests of `device` only; `nil` answers none.
    func follow(_ device: PairingDevice?) {
        guard let engine = access.engine, provider != nil else {
            user = nil
            return
        }
        let user =
            user
            ?? engine.pairing.join { [weak self] request, _, answer in
                guard let onRequest = self?.onRequest else { return answer.refuse() }
                onRequest(request, answer)
            }
        self.user = user
        user.claim = device.map { .device($0) }
    }

    func end() { user = nil }

    // MARK: One pairing

    func begin() { wasAsked = false }

    /// Answers a request that needs no number.
    ///
    /// - Returns: Whether the request needs a number, which the owner passes to `complete`.
    func receive(_ request: PairingRequest, _ answer: PairingAnswer) -> Bool {
        wasAsked = true
        isOther = false
        switch request {
        // The user connects to this radio on purpose, and neither side shows a number.
        case .authorization: answer.accept()
        case .passkey, .confirmation: return true
        // A radio has no keys, and does not use services of this computer.
        case .displayPasskey, .displayPinCode, .service, .pinCode: answer.refuse()
        }
        return false
    }

    func complete(_ request: PairingRequest, _ answer: PairingAnswer, _ number: UInt32?) {
        switch (request, number) {
        case (.passkey, let number?): answer.accept(passkey: number)
        // Both sides show the number: it must be the provider's.
        case (.confirmation(let shown), let number?):
            isOther = shown != number
            isOther ? answer.refuse() : answer.accept()
        default: answer.refuse()
        }
    }

    /// The error of a pairing that this agent rejected.
    var rejection: BLEError {
        isOther ? .pairingFailed("the radio shows another number") : .pairingCancelled
    }

    // MARK: Refusals

    func refusal(of device: UUID) -> BLEError? { refusals[device] }

    func refused(_ device: UUID, _ error: BLEError) { refusals[device] = error }

    func forgetRefusal(of device: UUID) { refusals[device] = nil }
}
