internal import BluejayDBus
internal import BluejayGLib

/// The daemon's end of a channel socket; the program has the other end.
final class SocketChannelEndpoint: ChannelEndpoint {
    var onPacket: (([UInt8]) -> Bool)?
    var onReady: (() -> Void)?
    var onClosed: (() -> Void)?
    var isReading = false {
        didSet { watch() }
    }
    private var socket: SequencedPacketSocket?
    private var source: FileDescriptorSource?
    private var isFull = false

    init(_ socket: SequencedPacketSocket, on context: MainContext) {
        self.socket = socket
        source = FileDescriptorSource(socket.descriptor.number, [], on: context) { [weak self] in
            self?.ready($0)
        }
    }

    deinit {
        source?.cancel()
    }

    /// Creates the daemon's end and the program's descriptor; returns `nil` if no descriptors are left.
    static func pair(on context: MainContext) -> (SocketChannelEndpoint, BusFileDescriptor)? {
        SequencedPacketSocket.pair().map { (SocketChannelEndpoint($0.own, on: context), $0.other) }
    }

    func receive(_ packet: [UInt8]) -> Bool {
        switch socket?.send(packet) {
        case .sent, nil: return true
        case .wouldBlock:
            isFull = true
            watch()
            return false
        case .closed, .failed:
            // Reading the program's end reports the closure, after the data that was sent before.
            return true
        }
    }

    func close() {
        source?.cancel()
        source = nil
        guard let socket else { return }
        self.socket = nil
        socket.shutDown()
        // Data left unread at closing would be reported as an error, ahead of the data received before.
        while case .packet = socket.receive(atMost: 65_535) {}
    }

    private func watch() {
        // A hang-up matters even when nothing is read.
        let reading: IOCondition = isReading ? .readable : .hangUp
        source?.watch(for: isFull ? reading.union(.writable) : reading)
    }

    private func ready(_ condition: IOCondition) {
        if isFull, condition.contains(.writable) {
            isFull = false
            watch()
            onReady?()
        }
        guard isReading else {
            // A peer that has closed neither receives nor sends another packet.
            if condition.contains(.hangUp) { onClosed?() }
            return
        }
        switch socket?.peek(atMost: 65_535) {
        case .packet(let packet):
            let socket = socket
            if onPacket?(packet) == true { _ = socket?.receive(atMost: 0) }
        case .wouldBlock, nil: break
        case .closed, .failed: onClosed?()
        }
    }
}
