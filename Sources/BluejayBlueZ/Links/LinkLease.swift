/// Why a link is down.
package enum LinkEnd: Equatable {
    /// Asked for by the last user in this process.
    case requested
    /// The peer left, the signal was lost, or another program cut it; with bluetoothd's reason, when it
    /// gives one (BlueZ 5.83 and later).
    case lost(reason: String?)
    /// The adapter went off or away, or bluetoothd did.
    case unavailable
}

/// Why a link did not come up.
package enum LinkFailure: Error, Equatable {
    case timedOut
    case cancelled
    case unavailable
    /// Pairing failed, or the keys of one side have gone.
    case pairing(String)
    case failed(String)
}

/// One user's share in a link; several may share one, and only the last one's leaving cuts it.
package final class LinkLease {
    /// Called once when the link, having been up, is down.
    package var onEnd: ((LinkEnd) -> Void)?
    /// Called when services of the device came or went, with the UUIDs of those that went.
    package var onServicesChanged: (([String]) -> Void)?

    /// The link itself.
    package let link: Link
    /// Waits for the link to be up; nil afterwards.
    var whenUp: ((Result<Void, LinkFailure>) -> Void)?
    /// Its own wish to end, while the link is still being given up.
    var failure: LinkFailure?
    /// Waits for the link to be down after `disconnect`.
    var whenDown: (() -> Void)?

    init(_ link: Link) {
        self.link = link
    }

    deinit {
        link.forgotten()
    }
}
