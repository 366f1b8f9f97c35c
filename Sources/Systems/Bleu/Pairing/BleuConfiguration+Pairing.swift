internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib

extension BleuConfiguration {
    /// A program that has the passkey enters it; it cannot compare numbers that two devices have made up.
    ///
    /// Without a passkey, a central that shows numbers asks Linux for a comparison, and no person compares.
    func pairingCapability(isCentral: Bool) -> AgentCapability {
        if passkeyProvider != nil { return .keyboard }
        return isCentral ? .noInputOrOutput : .keyboardAndDisplay
    }

    /// Answers pairing requests; a pairing without a number is no answer to a passkey.
    func passkeyResponder(on loop: MainLoop) -> PasskeyResponder {
        PasskeyResponder(passkeyProvider, acceptsAuthorization: passkeyProvider == nil, on: loop)
    }
}
