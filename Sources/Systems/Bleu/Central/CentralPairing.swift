internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// Pairs the link to one peripheral, and replies to bluetoothd's requests meanwhile.
///
/// Confined to the loop of the host.
final class CentralPairing {
    typealias PasskeyProvider = @Sendable (UUID) async -> UInt32?

    private static let timeout = Duration.seconds(60)

    private let engine: BlueZEngine
    private let id: UUID
    private let provider: PasskeyProvider?
    private var registration: PairingRegistration?

    init(_ engine: BlueZEngine, _ id: UUID, _ provider: PasskeyProvider?) {
        self.engine = engine
        self.id = id
        self.provider = provider
    }

    /// Pairs; succeeds at once if the devices are paired.
    func pair(_ lease: LinkLease, _ completion: @escaping (PairingFailure?) -> Void) {
        let tasks = MethodTasks(MainLoop(engine.client.context))
        let registration = engine.pairingAgent.addHandler { [id, provider] request, _, answer in
            PasskeyRequest.forward(request, answer, id, provider, tasks)
        }
        registration.scope = .device(
            DeviceKey(adapter: lease.link.adapter, address: lease.link.address)
        )
        self.registration = registration
        _ = lease.pair(timeout: Self.timeout, completion: completion)
    }

    func end() {
        registration = nil
    }
}

/// Answers a pairing request with the passkey that the configuration has for a device.
enum PasskeyRequest {
    static func forward(
        _ request: PairingRequest,
        _ answer: PairingResponder,
        _ id: UUID,
        _ provider: CentralPairing.PasskeyProvider?,
        _ tasks: MethodTasks
    ) {
        switch request {
        case .authorization: answer.accept()
        case .passkey, .confirmation:
            guard let provider else { return answer.reject() }
            let task = tasks.start({ await provider(id) }) { passkey in
                switch (request, passkey) {
                case (.passkey, let passkey?): answer.accept(passkey: passkey)
                // Both sides show the number.
                case (.confirmation(let shown), let passkey?) where shown == passkey:
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
