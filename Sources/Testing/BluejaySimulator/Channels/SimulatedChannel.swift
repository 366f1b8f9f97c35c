internal import BluejayGLib

/// One end of a simulated channel: a program's, or that of a scripted device.
protocol ChannelEndpoint: AnyObject {
    /// Called with each packet from this end for the other; set by the channel.
    ///
    /// Returns false if the other end does not accept the packet: then it stays at this end, as Linux keeps a
    /// packet for which the peer has granted no credits, and `isReading` is false until it can be retried.
    var onPacket: (([UInt8]) -> Bool)? { get set }
    /// Called when this end accepts packets again.
    var onReady: (() -> Void)? { get set }
    var onClosed: (() -> Void)? { get set }
    /// Whether packets from this end are accepted; otherwise its sender has to wait.
    var isReading: Bool { get set }
    /// Receives a packet from the other end; returns false if it must be retried after `onReady`.
    func receive(_ packet: [UInt8]) -> Bool
    /// Called when the other end has closed or the link is lost.
    func close()
}

/// A channel between two ends over one link, which buffers no packet.
final class SimulatedChannel {
    /// The time until the other end learns of a close: the packets before it arrive first.
    private static let closeDelay = Duration.milliseconds(100)

    private let endpoints: [any ChannelEndpoint]
    private let mtus: [Int]
    private weak var link: SimulatedLink?
    private(set) var isOpen = true
    private var closeTimer: ScheduledTimer?

    /// Joins two ends, each with the longest packet that it accepts.
    init(
        _ first: any ChannelEndpoint,
        mtu firstMTU: Int,
        _ second: any ChannelEndpoint,
        mtu secondMTU: Int
    ) {
        endpoints = [first, second]
        mtus = [firstMTU, secondMTU]
    }

    /// Opens the channel, which ends with the link.
    func open(over link: SimulatedLink) {
        self.link = link
        link.addCloseHandler(of: self) { self.close() }
        for index in endpoints.indices {
            endpoints[index].onPacket = { [weak self] in self?.forward($0, to: 1 - index) ?? true }
            endpoints[index].onReady = { [weak self] in self?.retry(to: index) }
            endpoints[index].onClosed = { [weak self] in self?.closed(by: index) }
        }
        for end in endpoints where isOpen { end.isReading = true }
    }

    /// Closes the channel: both ends are notified, after the packets already sent to them.
    func close() {
        isOpen = false
        closeTimer = nil
        for end in endpoints { close(end) }
        link?.removeCloseHandler(of: self)
    }

    private func close(_ end: any ChannelEndpoint) {
        end.onPacket = nil
        end.onReady = nil
        end.onClosed = nil
        end.close()
    }

    /// Closes one end at once, and the other one when it learns of the close.
    private func closed(by end: Int) {
        guard isOpen, let clock = link?.clock else { return close() }
        isOpen = false
        close(endpoints[end])
        let other = endpoints[1 - end]
        other.onPacket = nil
        other.onReady = nil
        other.onClosed = { [weak self] in self?.close() }
        other.isReading = false
        // The link keeps the channel until then.
        closeTimer = clock.schedule(after: Self.closeDelay) { [weak self] in self?.close() }
    }

    private func forward(_ packet: [UInt8], to receiver: Int) -> Bool {
        // The kernel refuses such a packet at the sender, so this program broke the protocol.
        guard packet.count <= mtus[receiver] else {
            close()
            return true
        }
        if endpoints[receiver].receive(packet) { return true }
        endpoints[1 - receiver].isReading = false
        return false
    }

    private func retry(to receiver: Int) {
        if isOpen { endpoints[1 - receiver].isReading = true }
    }
}
