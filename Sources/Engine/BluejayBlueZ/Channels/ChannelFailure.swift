package import BluejayGLib

/// Why a channel was not opened, or nobody can be listened for.
package enum ChannelFailure: Error, Equatable {
    /// The number is none of a channel of Bluetooth Low Energy.
    case invalidPSM
    /// There is no Bluetooth to be used, or there was none any more.
    case unavailable
    /// The link to the peer did not come up, or went.
    case link(LinkFailure)
    /// Nobody listens on the number.
    case refused
    /// The peer did not answer.
    case unreachable
    /// Our own limit.
    case timedOut
    /// The link is not as secure as one of the two ends wants it.
    case insecure
    /// The security that was asked for needs a pairing, and none was made.
    case unpaired
    /// Somebody listens on the number.
    case inUse
    /// The number wants a privilege that the program has not.
    case notPermitted
    /// The kernel has no Bluetooth.
    case noKernelSupport
    case cancelled
    case system(SocketError)

    /// The same failure of a channel that asked for an encrypted link to a peer without keys.
    ///
    /// Linux and bluetoothd report a pairing that failed as a silent peer, after 30 s, or as a lost link.
    var ofUnpairedLink: ChannelFailure {
        switch self {
        case .unreachable, .timedOut, .link(.failed): .unpaired
        default: self
        }
    }

    /// What an error of the kernel means for a connect.
    package init(connecting error: SocketError) {
        switch error {
        case .refused: self = .refused
        case .timedOut, .inProgress, .hostDown, .unreachable: self = .unreachable
        case .noAccess, .permission: self = .insecure
        case .notConnected, .reset, .aborted, .brokenPipe: self = .link(.failed("the link broke"))
        default: self = Self.ofBoth(error)
        }
    }

    /// What an error of the kernel means for a listener.
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

/// Why a channel that was open has ended.
package enum ChannelEnd: Equatable {
    /// Closed here.
    case closed
    case closedByPeer
    /// Its link has gone.
    case link(LinkDownReason)
    case failed(SocketError)

    /// What an error of the kernel means for a channel that is open.
    package init(_ error: SocketError) {
        switch error {
        case .reset, .timedOut, .aborted, .notConnected, .brokenPipe:
            self = .link(.lost(reason: nil))
        default: self = .failed(error)
        }
    }
}

/// The numbers of channels of Bluetooth Low Energy, and what they are limited by.
package enum ChannelLimits {
    /// The longest packet that a peer may send.
    package static let receiveMTU: UInt16 = 2048
    /// Bytes that came and nobody has taken: then no more is read, and the peer has to wait.
    package static let unread = 262_144
    /// Bytes that wait to be sent: then no more is taken.
    package static let unsent = 262_144
    /// Incoming channels that nobody has taken: then no more are accepted.
    package static let untaken = 16

    /// Whether a peer can listen on a number.
    package static func isValid(_ psm: UInt16) -> Bool { (1...0xFF).contains(psm) }
}
