/// One end of a channel in the air: a program's, or that of a device that follows a script.
protocol ChannelEnd: AnyObject {
    /// What comes from this end and has to be taken to the other; set by the channel.
    var onPacket: (([UInt8]) -> Void)? { get set }
    /// It takes packets again.
    var onReady: (() -> Void)? { get set }
    /// It has closed.
    var onClosed: (() -> Void)? { get set }
    /// Whether what comes from this end is taken at present: else its sender has to wait.
    var isHeard: Bool { get set }
    /// Takes a packet from the other end; false when that has to be tried again after `onReady`.
    func take(_ packet: [UInt8]) -> Bool
    /// The other end has closed, or the link has gone.
    func close()
}

/// A channel between two ends over one link; it holds one packet for each direction at most.
final class SimulatedChannel {
    private let ends: [any ChannelEnd]
    /// The longest packet that each end takes.
    private let mtus: [Int]
    private var held: [[UInt8]?] = [nil, nil]
    private weak var link: SimulatedLink?
    private(set) var isOpen = true

    /// Joins two ends; each with the longest packet that it takes.
    init(_ first: any ChannelEnd, _ mtu: Int, _ second: any ChannelEnd, _ otherMTU: Int) {
        ends = [first, second]
        mtus = [mtu, otherMTU]
    }

    /// Begins, and ends with the link.
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

    /// Ends it: both ends hear of it, behind what was sent to them.
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
        // The kernel refuses it where it is sent; a program that goes past that has broken the rules.
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
