/// One end of a simulated channel: a program's, or that of a scripted device.
protocol ChannelEndpoint: AnyObject {
    /// Called with each packet from this end for the other; set by the channel.
    var onPacket: (([UInt8]) -> Void)? { get set }
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

/// A channel between two ends over one link; it buffers at most one packet in each direction.
final class SimulatedChannel {
    private let endpoints: [any ChannelEndpoint]
    private let mtus: [Int]
    private var heldPackets: [[UInt8]?] = [nil, nil]
    private weak var link: SimulatedLink?
    private(set) var isOpen = true

    /// Joins two ends, each with the longest packet that it accepts.
    init(_ first: any ChannelEndpoint, _ mtu: Int, _ second: any ChannelEndpoint, _ otherMTU: Int) {
        endpoints = [first, second]
        mtus = [mtu, otherMTU]
    }

    /// Opens the channel, which ends with the link.
    func open(over link: SimulatedLink) {
        self.link = link
        link.add(self)
        for index in endpoints.indices {
            endpoints[index].onPacket = { [weak self] in self?.forward($0, to: 1 - index) }
            endpoints[index].onReady = { [weak self] in self?.forwardHeld(to: index) }
            endpoints[index].onClosed = { [weak self] in self?.close() }
        }
        for end in endpoints where isOpen { end.isReading = true }
    }

    /// Closes the channel: both ends are notified, after the packets already sent to them.
    func close() {
        guard isOpen else { return }
        isOpen = false
        for end in endpoints {
            end.onPacket = nil
            end.onReady = nil
            end.onClosed = nil
            end.close()
        }
        link?.remove(self)
    }

    private func forward(_ packet: [UInt8], to receiver: Int) {
        // The kernel refuses such a packet at the sender, so this program broke the protocol.
        guard packet.count <= mtus[receiver] else { return close() }
        guard !endpoints[receiver].receive(packet) else { return }
        heldPackets[receiver] = packet
        endpoints[1 - receiver].isReading = false
    }

    private func forwardHeld(to receiver: Int) {
        guard isOpen, let packet = heldPackets[receiver] else { return }
        heldPackets[receiver] = nil
        guard endpoints[receiver].receive(packet) else { return heldPackets[receiver] = packet }
        if isOpen { endpoints[1 - receiver].isReading = true }
    }
}
