/// The pairing behaviour of a ``SimulatedDevice``: what its user sees and does.
///
/// The behaviour and the agent's capability determine which method of the agent is called. An agent that only enters
/// numbers is asked for the one that the device displays; if it lacks another capability, the pairing proceeds as with
/// `justWorks`.
public enum SimulatedPairing: Hashable, Swift.Sendable {
    /// Nothing is compared. If bluetoothd itself starts the pairing, it requests an authorization.
    case justWorks
    /// The device displays this number, 0 to 999,999, and the agent is asked for it.
    case passkey(UInt32)
    /// The agent displays a number, which the user types on the device digit by digit, correctly or not. With
    /// `nil` the user types nothing: after 30 s the link is lost together with the pairing.
    case displayed(isTypedRight: Bool?)
    /// Both sides display this number, and the user of the device confirms or rejects it.
    case confirmation(UInt32, isAgreed: Bool)
    /// The agent is asked for this code, as by old devices.
    case pinCode(String)
    /// The agent displays this code, which the user types on the device.
    case displayedPinCode(String)
    /// The device refuses, as with ``SimulatedDevice/acceptsPairing`` false.
    case refused
    /// The device never answers: after 30 s the link is lost together with the pairing.
    case silent

    /// Whether a user compared or typed a number, which protects the link from a man in the middle.
    var isAuthenticated: Bool {
        switch self {
        case .passkey, .displayed, .confirmation, .pinCode, .displayedPinCode: true
        case .justWorks, .refused, .silent: false
        }
    }

    /// Returns the behaviour that an agent's capability permits.
    func possible(for capability: String) -> SimulatedPairing {
        // The empty capability means KeyboardDisplay.
        let canType = ["", "KeyboardDisplay", "KeyboardOnly"].contains(capability)
        let canShow = ["", "KeyboardDisplay", "DisplayOnly", "DisplayYesNo"].contains(capability)
        let canConfirm = ["", "KeyboardDisplay", "DisplayYesNo"].contains(capability)
        return switch self {
        case .passkey, .pinCode: canType ? self : .justWorks
        case .displayed, .displayedPinCode: canShow ? self : .justWorks
        case .confirmation(let number, _):
            canConfirm ? self : canType ? .passkey(number) : .justWorks
        case .justWorks, .refused, .silent: self
        }
    }
}
