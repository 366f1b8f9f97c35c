internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

/// Our own agent for the pairing of one radio, while there is a passkey provider.
final class RadioPairing {
    typealias Provider = @Sendable (UUID) async -> UInt32?

    /// Answers a request, by way of `receive`.
    var onRequest: ((PairingRequest, PairingAnswer) -> Void)?

    private(set) var provider: Provider?
    /// Whether the provider was asked in the present pairing.
    private(set) var wasAsked = false

    private let access: BluetoothAccess
    private var user: PairingUser?
    /// Whether the radio shows a number that is not the provider's.
    private var isOther = false
    /// Why radios refused to pair; they are not asked again.
    private var refusals: [UUID: BLEError] = [:]

    init(_ access: BluetoothAccess) {
        self.access = access
    }

    /// Sets the provider; `follow` must follow.
    func setProvider(_ provider: @escaping Provider) {
        self.provider = provider
        refusals = [:]
    }

    /// Answers the requests of a device, or of none.
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

    /// Answers a request, unless the provider has to.
    ///
    /// - Returns: Whether `complete` must follow with the provider's number.
    func receive(_ request: PairingRequest, _ answer: PairingAnswer) -> Bool {
        wasAsked = true
        isOther = false
        switch request {
        // Whoever connects to a radio wants it, and there is nothing to compare.
        case .authorization: answer.accept()
        case .passkey, .confirmation: return true
        // A radio has neither keys to type on, nor a use for what this computer serves.
        case .displayPasskey, .displayPinCode, .service, .pinCode: answer.refuse()
        }
        return false
    }

    func complete(_ request: PairingRequest, _ answer: PairingAnswer, _ number: UInt32?) {
        switch (request, number) {
        case (.passkey, let number?): answer.accept(passkey: number)
        // Both sides show it: it has to be the one that the provider knows.
        case (.confirmation(let shown), let number?):
            isOther = shown != number
            isOther ? answer.refuse() : answer.accept()
        default: answer.refuse()
        }
    }

    /// The error of a pairing that was refused here.
    var rejection: BLEError {
        isOther ? .pairingFailed("the radio shows another number") : .pairingCancelled
    }

    // MARK: Refusals

    func refusal(of device: UUID) -> BLEError? { refusals[device] }

    func refused(_ device: UUID, _ error: BLEError) { refusals[device] = error }

    func forgetRefusal(of device: UUID) { refusals[device] = nil }
}
