internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// One link to a peripheral, from the attempt to its end.
///
/// Confined to the loop of the host.
final class PeripheralLink {
    enum Event {
        /// The link is up, and paired if the configuration requires it.
        case up(LinkLease)
        case failed(LinkError)
        case ended(LinkError)
        case moved(DeviceAddress)
    }

    private let link: Link
    private let timeout: Duration
    private let pairing: CentralPairing?
    private let handler: (Event) -> Void
    private let places: LinkPlaces
    private var place: LinkPlace?
    private var lease: LinkLease?

    /// Creates a link; without `pairing` it is not paired.
    init(
        _ link: Link,
        in places: LinkPlaces,
        timeout: Duration,
        pairing: CentralPairing?,
        handler: @escaping (Event) -> Void
    ) {
        self.link = link
        self.places = places
        self.timeout = timeout
        self.pairing = pairing
        self.handler = handler
    }

    /// Whether bluetoothd knows the device.
    var isKnown: Bool { link.path != nil }

    /// Connects, as soon as there is a place for the link.
    func connect() {
        place = places.take(for: link) { [weak self] in self?.dial() }
    }

    private func dial() {
        let lease = link.connect(within: timeout) { [weak self] in self?.linked($0) }
        lease.disconnectPolicy = .ifLocal
        lease.handlers.onEnd = { [weak self] in self?.ended($0) }
        lease.handlers.onAddressChanged = { [weak self] in self?.handler(.moved($0)) }
        self.lease = lease
    }

    /// Releases the link.
    ///
    /// - Parameters:
    ///   - cut: What happens to a link without other users.
    ///   - completion: Called once, in a later iteration of the loop.
    func release(cutting cut: DisconnectPolicy, _ completion: @escaping () -> Void = {}) {
        guard let lease else {
            place = nil
            return places.clock.onNextIteration(completion)
        }
        self.lease = nil
        pairing?.end()
        lease.release(disconnecting: cut, completion)
        place = nil
    }

    private func linked(_ result: Result<Void, LinkFailure>) {
        guard let lease else { return }
        if case .failure(let failure) = result {
            return handler(.failed(LinkError(failure, wasKnown: isKnown)))
        }
        guard let pairing else { return handler(.up(lease)) }
        pairing.pair(lease) { [weak self] failure in
            guard let self, self.lease === lease else { return }
            handler(failure.map { .failed(.pairing($0)) } ?? .up(lease))
        }
    }

    private func ended(_ end: LinkDownReason) {
        // The removal of a peripheral's keys ends the link, and then reports its own failure.
        guard lease != nil, pairing?.isForgetting != true else { return }
        switch end {
        case .requested: handler(.ended(.lost("disconnected by this program")))
        case .lost(let reason): handler(.ended(.lost(reason ?? "the link was lost")))
        case .unavailable: handler(.ended(.unavailable))
        }
    }
}

enum LinkError: Error, Hashable, CustomStringConvertible {
    case notFound
    case timedOut
    case lost(String)
    case unavailable
    case unauthorized
    case pairing(String)
    case disconnected
    case failed(String)

    init(_ failure: LinkFailure, wasKnown: Bool) {
        switch failure {
        case .timedOut: self = wasKnown ? .timedOut : .notFound
        case .cancelled: self = .disconnected
        case .unavailable: self = .unavailable
        case .pairing(let text): self = .pairing(text)
        case .bluez(.accessDenied): self = .unauthorized
        case .bluez(let failure): self = .failed(failure.reason)
        case .failed(let text): self = .failed(text)
        }
    }

    var description: String {
        switch self {
        case .notFound: "the peripheral was not found"
        case .timedOut: "the peripheral did not accept the connection in time"
        case .lost(let reason): reason
        case .unavailable: "Bluetooth became unavailable"
        case .unauthorized: "the bus does not allow the use of bluetoothd"
        case .pairing(let text): "pairing failed: \(text)"
        case .disconnected: "disconnected by this program"
        case .failed(let text): text
        }
    }
}

extension PairingFailure {
    var reason: String {
        switch self {
        case .rejected: "it was rejected"
        case .timedOut: "it took too long"
        case .cancelled: "it was cancelled"
        case .bluez(.pairing(let error)): error.message
        case .bluez(let failure): failure.reason
        }
    }
}

extension BlueZFailure {
    /// The reason, for the text of ``BleuError/connectionFailed(_:)``.
    var reason: String {
        switch self {
        case .adapterOff: "the adapter is off"
        case .notConnected: "the peripheral is not connected"
        case .linkLost: "the link was lost"
        case .inProgress: "another operation is in progress"
        case .alreadyDone: "bluetoothd has done this already"
        case .attribute(let code, let error):
            "the peripheral refused with ATT error \(code) (\(error.message))"
        case .notPaired: "the peripheral requires pairing"
        case .pairing(let error): "pairing failed (\(error.message))"
        case .notSupported(let text): "not supported (\(text))"
        case .objectRemoved: "the service or the device was removed"
        case .daemonLost: "bluetoothd has ended"
        case .accessDenied(let text): "access denied (\(text))"
        case .cancelled: "cancelled"
        case .queueFull: "too many operations wait"
        case .timedOut: "the peripheral did not answer in time"
        case .daemonNotResponding: "bluetoothd does not respond"
        case .other(let error): "\(error.name): \(error.message)"
        }
    }
}
