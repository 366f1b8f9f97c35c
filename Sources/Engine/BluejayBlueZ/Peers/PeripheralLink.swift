package import BluejayCore
internal import BluejayGLib

/// One user's link to a peripheral, from the connection attempt to the release.
///
/// The handler receives no event after the release. Confined to the loop of the link.
package final class PeripheralLink {
    package enum Event {
        /// The attempt has a place and starts.
        case started
        case progressed(LinkProgress)
        /// The link is up, and its services are known.
        case up
        /// The attempt failed.
        case failed(LinkFailure)
        /// The link, having been up, has ended.
        case ended(LinkDownReason)
        case deviceChanged
        case servicesChanged
        /// Pairing has replaced the private address of the peripheral.
        case addressChanged(DeviceAddress)
    }

    package let link: Link
    /// The lease, from the start of the attempt to the release.
    package private(set) var lease: LinkLease?

    private let timeout: Duration?
    private let places: LinkPlaces?
    private let disconnectPolicy: DisconnectPolicy
    private let handler: (Event) -> Void
    private var place: LinkPlace?
    private var isConnecting = false
    private var onCancelled: (() -> Void)?

    /// Creates a link, which `connect` brings up.
    ///
    /// - Parameters:
    ///   - link: The shared link to the peripheral.
    ///   - timeout: The limit of the attempt from its start, or `nil` for none.
    ///   - places: The places for links, or `nil` if their number is not limited.
    ///   - disconnectPolicy: The treatment of a link that no other user needs.
    ///   - handler: Called on the loop with each event, `up` or `failed` once.
    package init(
        _ link: Link,
        within timeout: Duration? = nil,
        in places: LinkPlaces? = nil,
        disconnecting disconnectPolicy: DisconnectPolicy = .ifLocal,
        handler: @escaping (Event) -> Void
    ) {
        self.link = link
        self.timeout = timeout
        self.places = places
        self.disconnectPolicy = disconnectPolicy
        self.handler = handler
    }

    /// Connects, as soon as there is a place for the link.
    package func connect() {
        guard let places else { return start() }
        place = places.take(for: link) { [weak self] in self?.start() }
    }

    private func start() {
        let lease = link.connect(within: timeout) { [weak self] in self?.attemptEnded($0) }
        lease.disconnectPolicy = disconnectPolicy
        lease.handlers.onProgress = { [weak self] in self?.send(.progressed($0)) }
        lease.handlers.onEnd = { [weak self] in self?.send(.ended($0)) }
        lease.handlers.onDeviceChanged = { [weak self] in self?.send(.deviceChanged) }
        lease.handlers.onServicesChanged = { [weak self] _ in self?.send(.servicesChanged) }
        lease.handlers.onAddressChanged = { [weak self] in self?.send(.addressChanged($0)) }
        self.lease = lease
        isConnecting = true
        send(.started)
    }

    private func attemptEnded(_ result: Result<Void, LinkFailure>) {
        isConnecting = false
        if let onCancelled {
            self.onCancelled = nil
            lease = nil
            return onCancelled()
        }
        switch result {
        case .success: send(.up)
        case .failure(let failure): send(.failed(failure))
        }
    }

    private func send(_ event: Event) {
        if lease != nil, onCancelled == nil { handler(event) }
    }

    /// Releases the link, or cancels the attempt.
    ///
    /// - Parameters:
    ///   - disconnectPolicy: The treatment of a link without other users; `nil` is that of the initializer.
    ///   - completion: Called once, on a later iteration, when the link is down or in use by others.
    package func release(
        disconnecting disconnectPolicy: DisconnectPolicy? = nil,
        _ completion: @escaping () -> Void = {}
    ) {
        if let lease {
            self.lease = nil
            lease.release(disconnecting: disconnectPolicy ?? self.disconnectPolicy, completion)
        } else {
            link.clock.onNextIteration(completion)
        }
        // After the release of the lease, so that the place stays taken while the link ends.
        place = nil
    }

    /// Releases the link; a cancelled attempt completes when none of its calls is pending in bluetoothd.
    ///
    /// The caller keeps this object until the completion.
    package func disconnect(_ completion: @escaping () -> Void) {
        guard let lease, isConnecting else { return release(completion) }
        onCancelled = completion
        link.cancel(lease, .cancelled)
    }
}
