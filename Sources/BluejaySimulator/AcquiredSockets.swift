internal import BluejayDBus
internal import BluejayGLib

/// The daemon's end of `AcquireNotify`.
final class NotifySocket {
    let owner: String
    private let socket: PacketSocket

    private init(_ owner: String, _ socket: PacketSocket) {
        self.owner = owner
        self.socket = socket
    }

    static func make(
        owner: String,
        on context: MainContext,
        hungUp: @escaping () -> Void
    ) -> (socket: NotifySocket, other: BusDescriptor)? {
        guard
            let pair = PacketSocket.pair(on: context, received: { _ in }, closed: hungUp)
        else { return nil }
        return (NotifySocket(owner, pair.own), pair.other)
    }

    /// What the client has not drained is lost, as the real one loses it.
    func send(_ value: [UInt8]) {
        socket.send(value)
    }
}

/// The daemon's end of `AcquireWrite`.
final class WriteSocket {
    let owner: String
    private let socket: PacketSocket

    private init(_ owner: String, _ socket: PacketSocket) {
        self.owner = owner
        self.socket = socket
    }

    static func make(
        owner: String,
        on context: MainContext,
        received: @escaping ([UInt8]) -> Void,
        hungUp: @escaping () -> Void
    ) -> (socket: WriteSocket, other: BusDescriptor)? {
        guard let pair = PacketSocket.pair(on: context, received: received, closed: hungUp) else {
            return nil
        }
        return (WriteSocket(owner, pair.own), pair.other)
    }
}
