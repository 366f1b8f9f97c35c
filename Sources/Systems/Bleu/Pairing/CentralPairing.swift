internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

/// Whether the keys of a peripheral were made without the passkey that the configuration has, as far as is known.
///
/// Outlives the links of the peripheral: bluetoothd keeps keys that it could not remove.
final class KeyTrust {
    var isMissing = false
}

/// Pairs the link to one peripheral, and replies to bluetoothd's requests meanwhile.
///
/// Confined to the loop of the host.
final class CentralPairing {
    private static let timeout = Duration.seconds(60)

    private let links: LinkRegistry
    private let id: UUID
    private let configuration: BleuConfiguration
    private let trust: KeyTrust
    private var registration: PairingRegistration?
    /// Whether the peripheral has used the passkey of the configuration.
    private var hasPasskey = false
    /// Whether the keys are being removed, which ends the link.
    private(set) var isForgetting = false

    /// Creates the pairing of a link that is not up yet.
    ///
    /// From 5.82 on, bluetoothd pairs with the abilities that the default agent has when the link comes up. This
    /// initializer therefore registers an agent that enters a passkey.
    init(
        _ configuration: BleuConfiguration,
        for id: UUID,
        over link: Link,
        trust: KeyTrust,
        links: LinkRegistry
    ) {
        self.configuration = configuration
        self.id = id
        self.trust = trust
        self.links = links
        if configuration.passkeyProvider != nil { register(for: link) }
    }

    private func register(for link: Link) {
        let responder = configuration.passkeyResponder(on: MainLoop(links.client.context))
        let capability = configuration.pairingCapability(isCentral: true)
        let hasProvider = configuration.passkeyProvider != nil
        let registration = links.pairingAgent.addHandler(capability) { [weak self, id] in
            // From 5.82 on, another agent's abilities may cause this request. No person compares the numbers,
            // so an acceptance is worth as much as a pairing without a number.
            if case .confirmation = $0, !hasProvider { return $2.accept() }
            responder.respond(to: $0, with: $2, for: id) {
                if $0 == .accepted { self?.hasPasskey = true }
            }
        }
        registration.scope = .device(DeviceKey(adapter: link.adapter, address: link.address))
        self.registration = registration
    }

    /// Pairs; succeeds at once if the devices are paired.
    ///
    /// If a peripheral pairs without the passkey that the configuration has, the pairing fails after its keys are
    /// removed. bluetoothd accepts such a pairing without a request to the agent.
    func pair(_ lease: LinkLease, _ completion: @escaping (_ failure: String?) -> Void) {
        if registration == nil { register(for: lease.link) }
        let wasPaired = lease.link.device?.isPaired == true
        if wasPaired, trust.isMissing { return forget(lease.link, completion) }
        let hasProvider = configuration.passkeyProvider != nil
        trust.isMissing = !wasPaired && hasProvider
        registration?.isPairing = !wasPaired && !hasProvider
        _ = lease.pair(timeout: Self.timeout) { [weak self] failure in
            // The link may have been released meanwhile.
            guard let self else { return completion("the link was released") }
            self.registration?.isPairing = false
            paired(lease.link, failure, completion)
        }
    }

    private func paired(
        _ link: Link,
        _ failure: PairingFailure?,
        _ completion: @escaping (_ failure: String?) -> Void
    ) {
        switch failure {
        case nil where trust.isMissing && !hasPasskey: forget(link, completion)
        case nil:
            trust.isMissing = false
            completion(nil)
        // There are no keys, and later ones are those of another program.
        case .rejected?, .bluez(.pairing)?:
            trust.isMissing = false
            completion(failure?.reason)
        // bluetoothd may still pair.
        case .timedOut?, .cancelled?, .bluez?: completion(failure?.reason)
        }
    }

    private func forget(_ link: Link, _ completion: @escaping (_ failure: String?) -> Void) {
        isForgetting = true
        links.forget(link.address, of: link.adapter) { [weak self, trust] failure in
            if failure == nil || failure == .unknownDevice { trust.isMissing = false }
            self?.isForgetting = false
            completion("the peripheral paired without a passkey")
        }
    }
}
