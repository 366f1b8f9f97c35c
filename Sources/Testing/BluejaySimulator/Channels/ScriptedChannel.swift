/// What a simulated device does with its end of an L2CAP channel.
public enum ScriptedChannel: Equatable, Swift.Sendable {
    /// Sends back what comes.
    case echo
    /// Takes what comes, and sends nothing.
    case sink
    /// Reads nothing: whoever sends to it has to wait.
    case neverReads
    /// Sends these packets as fast as they are taken, and takes what comes.
    case source([[UInt8]])
    /// Closes the channel when so many bytes have come, in the middle of a packet if it has to.
    case closes(afterBytes: Int)
    /// Is out of range when so many bytes have come: the channel ends with its link.
    case goesAway(afterBytes: Int)
}

/// The end of a channel that a simulated device has.
final class ScriptedChannelEndpoint: ChannelEnd {
    var onPacket: (([UInt8]) -> Void)?
    var onReady: (() -> Void)?
    var onClosed: (() -> Void)?
    var isHeard = false {
        didSet { if isHeard { send() } }
    }
    private let script: ScriptedChannel
    private unowned let device: SimulatedDevice
    private let record: SimulatedDevice.ChannelRecord
    private var unsent: [[UInt8]] = []
    private var isSending = false

    init(
        _ script: ScriptedChannel,
        of device: SimulatedDevice,
        _ record: SimulatedDevice.ChannelRecord
    ) {
        self.script = script
        self.device = device
        self.record = record
        if case .source(let packets) = script { unsent = packets.reversed() }
    }

    func take(_ packet: [UInt8]) -> Bool {
        switch script {
        case .neverReads: return false
        case .echo:
            // One at a time: who does not take the echo is not heard either.
            guard unsent.isEmpty else { return false }
            record.received += packet.count
            unsent.append(packet)
            send()
        case .sink, .source: record.received += packet.count
        case .closes(let limit):
            record.received += packet.count
            if record.received >= limit { onClosed?() }
        case .goesAway(let limit):
            record.received += packet.count
            if record.received >= limit { device.goAway() }
        }
        return true
    }

    func close() {
        record.isOpen = false
    }

    private func send() {
        guard !isSending else { return }
        isSending = true
        defer { isSending = false }
        while isHeard, record.isOpen, let packet = unsent.popLast() {
            record.sent += packet.count
            onPacket?(packet)
        }
        // What waits to be echoed may come now.
        if unsent.isEmpty, isHeard { onReady?() }
    }
}
