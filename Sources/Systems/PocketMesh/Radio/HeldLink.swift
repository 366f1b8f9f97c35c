internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

/// The share in a link that an attempt has.
struct HeldLink {
    let attempt: PhaseMachine.Attempt
    /// The radio, by the identifier that it has now.
    var device: UUID
    let lease: LinkLease
    /// Whether the radio was paired at any time since.
    var wasPaired: Bool
    /// Why it could not be paired, when that was tried for nothing.
    var pairingFailure: BLEError?
    /// Whether the radio was asked to pair over this link, and refused.
    var hasRefusedPairing = false
    var isUp = false
    /// Whether values go both ways.
    var isOpen = false
    var tx: RemoteCharacteristic?
    var rx: RemoteCharacteristic?
    var subscription: LinkRequest?
    var requests = UnansweredRequests()

    /// The number of the subscription in `requests`; those of values are above it.
    static let subscriptionNumber = 0

    /// What the engine has lost of the subscription.
    var lostCount: Int { subscription.map { lease.lostValueCount(of: $0) } ?? 0 }
}
