package import BluejayGLib

package enum ChannelFailure: Error, Equatable {
    /// The PSM is not valid for Bluetooth Low Energy.
    case invalidPSM
    case unavailable
    /// The link to the peer failed or was lost.
    case link(LinkFailure)
    /// The peer does not listen on the PSM.
    case refused
    /// The peer did not reply.
    case unreachable
    /// The caller's time limit has passed.
    case timedOut
    /// The link is less secure than one of the two ends requires.
    case insufficientSecurity
    /// The requested security needs pairing, and no pairing occurred.
    case unpaired
    /// Another socket listens on the PSM.
    case inUse
    /// The PSM requires a privilege that the program lacks.
    case notPermitted
    case noKernelSupport
    case cancelled
    case system(SocketError)

    /// The failure for a channel that requested encryption from a peer without keys.
    ///
    /// Linux and bluetoothd report a failed pairing as an unresponsive peer, after 30 s, or as a lost link.
    var ofUnpairedLink: ChannelFailure {
        switch self {
        case .unreachable, .timedOut, .link(.failed): .unpaired
        default: self
        }
    }

    package init(connecting error: SocketError) {
        switch error {
        case .refused: self = .refused
        case .timedOut, .inProgress, .hostDown, .unreachable: self = .unreachable
        case .noAccess, .permission: self = .insufficientSecurity
        case .notConnected, .reset, .aborted, .brokenPipe: self = .link(.failed("the link broke"))
        default: self = Self.common(error)
        }
    }

    package init(listening error: SocketError) {
        switch error {
        case .noAccess, .permission: self = .notPermitted
        case .inUse: self = .inUse
        default: self = Self.common(error)
        }
    }

    private static func common(_ error: SocketError) -> ChannelFailure {
        switch error {
        case .invalid: .invalidPSM
        case .noSuchFamily, .noSuchProtocol: .noKernelSupport
        default: .system(error)
        }
    }
}

package enum ChannelCloseReason: Equatable {
    /// Closed by the user.
    case closed
    case closedByPeer
    case link(LinkDownReason)
    case failed(SocketError)

    package init(_ error: SocketError) {
        switch error {
        case .reset, .timedOut, .aborted, .notConnected, .brokenPipe:
            self = .link(.lost(reason: nil))
        default: self = .failed(error)
        }
    }
}

/// The limits of an L2CAP channel.
package enum ChannelLimits {
    /// The longest packet that a peer may send, in bytes.
    package static let receiveMTU: UInt16 = 2048
    /// The received bytes beyond which reading pauses and the peer waits.
    package static let unread = 262_144
    /// The unsent bytes beyond which `send` fails.
    package static let unsent = 262_144
    /// The time limit for the packets of a channel that its user has released.
    package static let closeTimeout = Duration.seconds(10)
    /// The time limit for the packets of a channel whose loop ends, which waits for at most 5 s.
    package static let shutdownTimeout = Duration.seconds(2)
    /// The number of pending incoming channels beyond which the listener accepts none.
    package static let maximumPendingChannelCount = 16

    /// Whether a peer can listen on a PSM.
    package static func isValid(_ psm: UInt16) -> Bool { (1...0xFF).contains(psm) }
}
