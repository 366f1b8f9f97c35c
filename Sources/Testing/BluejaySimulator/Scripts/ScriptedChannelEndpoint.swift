final class ScriptedChannelEndpoint: ChannelEndpoint {
    var onPacket: (([UInt8]) -> Bool)?
    var onReady: (() -> Void)?
    var onClosed: (() -> Void)?
    var isReading = false {
        didSet { if isReading { send() } }
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

    func receive(_ packet: [UInt8]) -> Bool {
        switch script {
        case .neverReads: return false
        case .echo:
            // One packet at a time: a peer that does not read its echo cannot send either.
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
            if record.received >= limit { device.leaveRange() }
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
        while isReading, record.isOpen, let packet = unsent.last, onPacket?(packet) == true {
            unsent.removeLast()
            record.sent += packet.count
        }
        // A packet that waits to be echoed can arrive now.
        if unsent.isEmpty, isReading { onReady?() }
    }
}
