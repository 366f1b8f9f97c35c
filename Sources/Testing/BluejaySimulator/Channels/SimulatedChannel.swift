/// One end of a simulated channel: a program's, or that of a scripted device.
protocol ChannelEnd: AnyObject {
    /// Called with each packet from this end for the other; set by the channel.
    var onPacket: (([UInt8]) -> Void)? { get set }
    /// Called when this end accepts packets again.
    var onReady: (() -> Void)? { get set }
    var onClosed: (() -> Void)? { get set }
    /// Whether packets from this end are accepted; otherwise its sender has to wait.
    var isHeard: Bool { get set }
    /// Receives a packet from the other end; returns false if it must be retried after `onReady`.
    func take(_ packet: [UInt8]) -> Bool
    /// Called when the other end has closed or the link is lost.
    func close()
}

/// A channel between two ends over one link; it buffers at most one packet in each direction.
final class SimulatedChannel {
    private let ends: [any ChannelEnd]
    private let mtus: [Int]
    private var held: [[UInt8]?] = [nil, nil]
    private weak var link: SimulatedLink?
    private(set) var isOpen = true

    /// Joins two ends, each with the longest packet that it accepts.
    init(_ first: any ChannelEnd, _ mtu: Int, _ second: any ChannelEnd, _ otherMTU: Int) {
        ends = [first, second]
        mtus = [mtu, otherMTU]
    }

    /// Opens the channel, which ends with the link.
    func begin(over link: SimulatedLink) {
        self.link = link
        link.add(self)
        for index in ends.indices {
            ends[index].onPacket = { [weak self] in self?.carry($0, to: 1 - index) }
            ends[index].onReady = { [weak self] in self?.carryHeld(to: index) }
            ends[index].onClosed = { [weak self] in self?.close() }
        }
        for end in ends where isOpen { end.isHeard = true }
    }

    /// Closes the channel: both ends are notified, after the packets already sent to them.
    func close() {
        guard isOpen else { return }
        isOpen = false
        for end in ends {
            end.onPacket = nil
            end.onReady = nil
            end.onClosed = nil
            end.close()
        }
        link?.remove(self)
    }

    private func carry(_ packet: [UInt8], to receiver: Int) {
        // The kernel refuses such a packet at the sender, so this program broke the protocol.
        guard packet.count <= mtus[receiver] else { return close() }
        guard !ends[receiver].take(packet) else { return }
        held[receiver] = packet
        ends[1 - receiver].isHeard = false
    }

    private func carryHeld(to receiver: Int) {
        guard isOpen, let packet = held[receiver] else { return }
        held[receiver] = nil
        guard ends[receiver].take(packet) else { return held[receiver] = packet }
        if isOpen { ends[1 - receiver].isHeard = true }
    }
}
