/// How a ``SimulatedDevice`` pairs: what its user sees and does on it.
///
/// Which of the agent's methods is called follows from it and from what the agent says it can do; one that
/// cannot do its part pairs as with `justWorks`.
public enum SimulatedPairing: Hashable, Swift.Sendable {
    /// Nothing is compared. Of a pairing that bluetoothd begins by itself an authorization is asked for.
    case justWorks
    /// The device shows this number, 0 to 999,999, and the agent is asked for it.
    case passkey(UInt32)
    /// The agent shows a number, which the user of the device types, digit by digit, rightly or not; nil is
    /// somebody who types nothing: after 30 s the link is lost with the pairing.
    case displayed(isTypedRight: Bool?)
    /// Both show this number, and the user of the device says whether they are the same.
    case confirmation(UInt32, isAgreed: Bool)
    /// The agent is asked for this code, as by old devices.
    case pinCode(String)
    /// The agent shows this code, which the user of the device types.
    case displayedPinCode(String)
    /// It refuses, as with ``SimulatedDevice/acceptsPairing`` false.
    case refused
    /// It never answers: after 30 s the link is lost with the pairing.
    case silent

    /// Whether somebody has compared or typed something: the link is safe from those between.
    var isAuthenticated: Bool {
        switch self {
        case .passkey, .displayed, .confirmation, .pinCode, .displayedPinCode: true
        case .justWorks, .refused, .silent: false
        }
    }

    /// What becomes of it with an agent of a capability.
    func possible(for capability: String) -> SimulatedPairing {
        // The empty one is KeyboardDisplay.
        let canType = ["", "KeyboardDisplay", "KeyboardOnly"].contains(capability)
        let canShow = ["", "KeyboardDisplay", "DisplayOnly", "DisplayYesNo"].contains(capability)
        let canConfirm = ["", "KeyboardDisplay", "DisplayYesNo"].contains(capability)
        return switch self {
        case .passkey, .pinCode: canType ? self : .justWorks
        case .displayed, .displayedPinCode: canShow ? self : .justWorks
        case .confirmation: canConfirm ? self : .justWorks
        case .justWorks, .refused, .silent: self
        }
    }
}
