package import BluejayGLib

/// The reason that opening a channel or listening failed.
package enum ChannelFailure: Error, Equatable {
    /// The PSM is not valid for Bluetooth Low Energy.
    case invalidPSM
    /// Bluetooth is unavailable, or became unavailable.
    case unavailable
    /// The link to the peer failed or was lost.
    case link(LinkFailure)
    /// The peer does not listen on the PSM.
    case refused
    /// The peer did not answer.
    case unreachable
    /// The caller's time limit has passed.
    case timedOut
    /// The link is less secure than one of the two ends requires.
    case insecure
    /// The requested security needs pairing, and pairing did not take place.
    case unpaired
    /// Another socket listens on the PSM.
    case inUse
    /// The PSM requires a privilege that the program lacks.
    case notPermitted
    /// The kernel has no Bluetooth support.
    case noKernelSupport
    case cancelled
    case system(SocketError)

    /// The failure as it applies to a channel that requested encryption from a peer without keys.
    ///
    /// Linux and bluetoothd report a failed pairing as a silent peer, after 30 s, or as a lost link.
    var ofUnpairedLink: ChannelFailure {
        switch self {
        case .unreachable, .timedOut, .link(.failed): .unpaired
        default: self
        }
    }

    /// Translates a kernel error of a connect.
    package init(connecting error: SocketError) {
        switch error {
        case .refused: self = .refused
        case .timedOut, .inProgress, .hostDown, .unreachable: self = .unreachable
        case .noAccess, .permission: self = .insecure
        case .notConnected, .reset, .aborted, .brokenPipe: self = .link(.failed("the link broke"))
        default: self = Self.ofBoth(error)
        }
    }

    /// Translates a kernel error of a listener.
    package init(listening error: SocketError) {
        switch error {
        case .noAccess, .permission: self = .notPermitted
        case .inUse: self = .inUse
        default: self = Self.ofBoth(error)
        }
    }

    private static func ofBoth(_ error: SocketError) -> ChannelFailure {
        switch error {
        case .invalid: .invalidPSM
        case .noSuchFamily, .noSuchProtocol: .noKernelSupport
        default: .system(error)
        }
    }
}

/// The reason that an open channel ended.
package enum ChannelEnd: Equatable {
    /// Closed by the user.
    case closed
    case closedByPeer
    /// The link ended.
    case link(LinkDownReason)
    case failed(SocketError)

    /// Translates a kernel error of an open channel.
    package init(_ error: SocketError) {
        switch error {
        case .reset, .timedOut, .aborted, .notConnected, .brokenPipe:
            self = .link(.lost(reason: nil))
        default: self = .failed(error)
        }
    }
}

/// The valid PSMs of Bluetooth Low Energy, and the limits of a channel.
package enum ChannelLimits {
    /// The longest packet that a peer may send, in bytes.
    package static let receiveMTU: UInt16 = 2048
    /// The received bytes that may wait for the user.
    ///
    /// Beyond this limit, reading pauses and the peer waits.
    package static let unread = 262_144
    /// The bytes that may wait to be sent.
    ///
    /// Beyond this limit, `send` fails.
    package static let unsent = 262_144
    /// The incoming channels that may wait for the user.
    ///
    /// Beyond this limit, the listener accepts none.
    package static let untaken = 16

    /// Whether a peer can listen on a PSM.
    package static func isValid(_ psm: UInt16) -> Bool { (1...0xFF).contains(psm) }
}
