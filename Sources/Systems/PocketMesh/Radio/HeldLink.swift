internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

/// The share in a link that an attempt has.
struct HeldLink {
    let attempt: PhaseMachine.Attempt
    let lease: LinkLease
    /// Whether the radio was paired at any time since.
    var wasPaired: Bool
    /// Why it could not be paired, when that was tried for nothing.
    var pairingFailure: BLEError?
    /// Whether the radio was asked to pair over this link, and refused.
    var hasRefusedPairing = false
    var isUp = false
    var tx: RemoteCharacteristic?
    var rx: RemoteCharacteristic?
    var subscription: LinkRequest?
    var requests = UnansweredRequests()

    /// The number of the subscription in `requests`; those of values are above it.
    static let subscriptionNumber = 0

    /// What the engine has lost of the subscription.
    var lostCount: Int { subscription.map { lease.lostValueCount(of: $0) } ?? 0 }
}

/// A value that is to be sent, and who waits for it.
struct Sending {
    let data: Data
    let continuation: CheckedContinuation<Void, any Error>
    /// While it is on its way.
    var request: LinkRequest?
}

/// Who is told of what.
struct RadioHandlers {
    var discovered: (@Sendable (UUID, Int?) -> Void)?
    var disconnected: (@Sendable (UUID, (any Error)?) -> Void)?
    var reconnected: (@Sendable (UUID, AsyncStream<Data>) -> Void)?
    var reconnecting: (@Sendable (UUID) -> Void)?
    var stateChanged: (@Sendable (BluetoothState) -> Void)?
    var poweredOn: (@Sendable () -> Void)?
    var passkey: (@Sendable (UUID) async -> UInt32?)?
    /// The transport, which has a stream before anybody hears of it; nil is the end of it.
    var streamHolder: ((AsyncStream<Data>?) -> Void)?
    /// The manager, whose streams end with `shutdown()`.
    var ended: (() -> Void)?
    /// Who shows people how far it is.
    var phaseObserver: ((BLEPhase) -> Void)?
}
