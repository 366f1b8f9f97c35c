internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

/// The link of a connection attempt, and the facts about it.
struct RadioConnection {
    let attempt: PhaseStateMachine.AttemptID
    /// The present identifier of the radio.
    var device: UUID
    let link: PeripheralLink
    /// Whether the radio was paired at any time since the attempt started.
    var wasPaired: Bool
    /// The error of a pairing that the radio rejected.
    var pairingFailure: BLEError?
    /// Whether the radio rejected a pairing over this link.
    var hasRejectedPairing = false
    /// Whether values can be sent and received.
    var isOpen = false
    var tx: RemoteCharacteristic?
    var rx: RemoteCharacteristic?
    var subscription: LinkRequestID?
    var requests = UnansweredRequests()

    /// The number of the subscription in `requests`; values have higher numbers.
    static let subscriptionNumber = 0

    /// The number of values that the engine has dropped.
    var droppedCount: Int {
        subscription.flatMap { link.lease?.droppedValueCount(of: $0) } ?? 0
    }
}
