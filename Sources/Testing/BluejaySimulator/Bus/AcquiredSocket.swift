internal import BluejayDBus
internal import BluejayGLib

/// The daemon's end of a socket returned by `AcquireNotify` or `AcquireWrite`.
final class AcquiredSocket {
    /// The unique name of the client that has the other end.
    let client: String
    var onPacket: (([UInt8]) -> Void)?
    var onClosed: (() -> Void)?
    /// If set, nothing is read while this clock is paused.
    var clock: PausableClock?
    private let socket: SequencedPacketSocket
    private let context: MainContext
    private var source: FileDescriptorSource?

    init(_ socket: SequencedPacketSocket, for client: String, on context: MainContext) {
        self.socket = socket
        self.client = client
        self.context = context
        listen()
    }

    private func listen() {
        source = FileDescriptorSource(socket.descriptor.number, .readable, on: context) {
            [weak self] condition in
            self?.ready(condition)
        }
    }

    /// Stops reading, and keeps the descriptor.
    func ignore() {
        source?.cancel()
        source = nil
    }

    deinit {
        source?.cancel()
    }

    /// Sends one packet; like bluetoothd, it silently loses a packet that does not fit in the socket.
    func send(_ packet: [UInt8]) {
        socket.send(packet)
    }

    private func ready(_ condition: IOCondition) {
        if let clock, clock.isPaused {
            ignore()
            return clock.whenRunning { [weak self] in self?.listen() }
        }
        // bluetoothd's buffer has 512 bytes; the rest of a longer packet is lost.
        switch socket.receive(atMost: 512) {
        case .packet(let packet): onPacket?(packet)
        case .wouldBlock where condition == .readable: break
        case .wouldBlock, .closed, .failed:
            source?.cancel()
            onClosed?()
        }
    }
}
