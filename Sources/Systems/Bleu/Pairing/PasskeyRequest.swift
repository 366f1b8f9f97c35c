internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

/// Answers a pairing request with the passkey that the configuration has for a device.
enum PasskeyRequest {
    /// A program that has the passkey enters it; it cannot compare numbers that two devices have made up.
    ///
    /// Without a passkey, a central that shows numbers asks Linux for a comparison, which nobody makes.
    static func capability(
        _ provider: CentralPairing.PasskeyProvider?,
        isCentral: Bool
    ) -> AgentCapability {
        if provider != nil { return .keyboard }
        return isCentral ? .noInputOrOutput : .keyboardAndDisplay
    }

    static func forward(
        _ request: PairingRequest,
        _ answer: PairingResponder,
        _ id: UUID,
        _ provider: CentralPairing.PasskeyProvider?,
        _ tasks: LoopTasks,
        accepted: @escaping () -> Void = {}
    ) {
        switch request {
        // A pairing without a number is no answer to a passkey.
        case .authorization: if provider == nil { answer.accept() } else { answer.reject() }
        case .passkey, .confirmation:
            guard let provider else { return answer.reject() }
            let task = tasks.start({ await provider(id) }) { passkey in
                switch (request, passkey) {
                case (.passkey, let passkey?):
                    accepted()
                    answer.accept(passkey: passkey)
                // Both sides show the number.
                case (.confirmation(let shown), let passkey?) where shown == passkey:
                    accepted()
                    answer.accept()
                default: answer.reject()
                }
            }
            answer.onEnd = { task.cancel() }
        // A program shows nothing.
        case .displayPasskey, .displayPinCode, .service, .pinCode: answer.reject()
        }
    }
}
