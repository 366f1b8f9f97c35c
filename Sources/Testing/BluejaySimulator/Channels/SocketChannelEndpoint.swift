internal import BluejayDBus
internal import BluejayGLib

/// The daemon's end of the socket that a program has of a channel.
final class SocketChannelEndpoint: ChannelEnd {
    var onPacket: (([UInt8]) -> Void)?
    var onReady: (() -> Void)?
    var onClosed: (() -> Void)?
    var isHeard = false {
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

    /// Two ends of a socket, the other one for the program; nil when there are no descriptors.
    static func pair(on context: MainContext) -> (SocketChannelEndpoint, BusFileDescriptor)? {
        SequencedPacketSocket.pair().map { (SocketChannelEndpoint($0.own, on: context), $0.other) }
    }

    func take(_ packet: [UInt8]) -> Bool {
        switch socket?.send(packet) {
        case .sent, nil: return true
        case .full:
            isFull = true
            watch()
            return false
        case .closed, .failed:
            // It is told when the program's end is read, behind what that had sent.
            return true
        }
    }

    func close() {
        source?.cancel()
        source = nil
        guard let socket else { return }
        self.socket = nil
        socket.shutDown()
        // What is left unread when it closes would be an error at the other end, before what came.
        while case .packet = socket.receive(atMost: 65_535) {}
    }

    private func watch() {
        // A hang-up is of interest also when nothing is read.
        let reading: IOCondition = isHeard ? .readable : .hangUp
        source?.watch(for: isFull ? reading.union(.writable) : reading)
    }

    private func ready(_ condition: IOCondition) {
        if isFull, condition.contains(.writable) {
            isFull = false
            watch()
            onReady?()
        }
        guard isHeard else {
            // Who has closed hears nothing and is not heard: no packet of it will ever go.
            if condition.contains(.hangUp) { onClosed?() }
            return
        }
        switch socket?.receive(atMost: 65_535) {
        case .packet(let packet): onPacket?(packet)
        case .nothing, nil: break
        case .closed, .failed: onClosed?()
        }
    }
}
