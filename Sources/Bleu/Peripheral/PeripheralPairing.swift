internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import FoundationEssentials

/// Answers bluetoothd when a central pairs.
enum PeripheralPairing {
    static func begin(_ context: PeripheralContext) {
        guard context.configuration.encryption == .link else { return }
        let provider = context.configuration.passkeyProvider
        context.server.pairingHandler = { [tasks = context.tasks] request, device, answer in
            switch request {
            case .authorization: answer.accept()
            case .passkey, .confirmation:
                guard let provider else { return answer.refuse() }
                let question = tasks.start({ await provider(device.uuid) }) { number in
                    answer.give(decision(request, number))
                }
                answer.onEnd = { question.cancel() }
            // A program shows nothing, and serves no other profile.
            case .displayPasskey, .displayPinCode, .service, .pinCode: answer.refuse()
            }
        }
    }

    /// Both sides show the number of a confirmation; the provider must return the same number.
    private static func decision(_ request: PairingRequest, _ number: UInt32?) -> PairingDecision {
        switch (request, number) {
        case (.passkey, let number?): .passkey(number)
        case (.confirmation(let shown), let number?) where shown == number: .accept
        default: .refuse
        }
    }
}
