internal import BluejayCore
internal import BluejayGLib

final class KernelChannelProvider: ChannelProvider {
    private let client: BlueZClient

    init(_ client: BlueZClient) {
        self.client = client
    }

    func connect(
        _ wish: ChannelParameters,
        to peer: L2CAPSocketAddress,
        completion: @escaping (Result<ConnectedSocket, ChannelFailure>) -> Void
    ) -> PendingChannelCall {
        do throws(SocketError) {
            let socket = try Self.socket(wish)
            try Self.bindToHighestFreePSM(socket, wish.localAddress)
            try socket.setReceiveMTU(ChannelLimits.receiveMTU)
            try socket.connect(to: peer, psm: wish.psm)
            return ConnectingSocket(socket, on: client.context, completion)
        } catch {
            return FailedChannelCall(client) {
                completion(.failure(ChannelFailure(connecting: error)))
            }
        }
    }

    func listen(
        _ wish: ChannelParameters,
        completion: @escaping (Result<any ChannelServerSocket, ChannelFailure>) -> Void
    ) -> PendingChannelCall {
        do throws(SocketError) {
            let socket = try Self.socket(wish)
            try socket.bind(wish.localAddress, psm: wish.psm)
            try socket.setReceiveMTU(ChannelLimits.receiveMTU)
            try socket.listen(backlog: ChannelLimits.maximumPendingChannelCount)
            let listening = KernelServerSocket(socket, psm: try socket.psm, for: client) {
                () throws(SocketError) in try Self.accept(from: socket)
            }
            return FailedChannelCall(client) { completion(.success(listening)) }
        } catch {
            // If all PSMs are in use, the kernel reports `EINVAL`.
            let isFull = error == .invalid && wish.psm == 0
            let failure = isFull ? .inUse : ChannelFailure(listening: error)
            return FailedChannelCall(client) { completion(.failure(failure)) }
        }
    }

    // A failure after the accept concerns this connection only.
    private static func accept(
        from socket: BluetoothSocket
    ) throws(SocketError) -> (ConnectedSocket, DeviceAddress)? {
        guard let (socket, peer) = try socket.accept(), let mtu = try? socket.sendMTU,
            let address = DeviceAddress(peer)
        else { return nil }
        return (ConnectedSocket(socket: socket, sendMTU: mtu), address)
    }

    // A connecting socket occupies a PSM, which no listener can use meanwhile. Linux assigns the lowest
    // free one, which listeners prefer, so this takes the highest.
    private static func bindToHighestFreePSM(
        _ socket: BluetoothSocket,
        _ own: L2CAPSocketAddress
    ) throws(SocketError) {
        for psm in stride(from: UInt16(0xFF), through: 0x80, by: -1) {
            do {
                return try socket.bind(own, psm: psm)
            } catch .inUse {
                continue
            }
        }
        throw .inUse
    }

    private static func socket(_ wish: ChannelParameters) throws(SocketError) -> BluetoothSocket {
        let socket = try BluetoothSocket()
        try socket.setSecurity(wish.security)
        return socket
    }
}

/// A result that is known at once and delivered on a later iteration.
final class FailedChannelCall: PendingChannelCall {
    private var timer: ScheduledTimer?

    init(_ client: BlueZClient, _ tell: @escaping () -> Void) {
        super.init()
        timer = client.clock.schedule(after: .zero) { [weak self] in
            self?.timer = nil
            tell()
        }
    }
}

private final class ConnectingSocket: PendingChannelCall {
    private var source: FileDescriptorSource?

    init(
        _ socket: BluetoothSocket,
        on context: MainContext,
        _ done: @escaping (Result<ConnectedSocket, ChannelFailure>) -> Void
    ) {
        super.init()
        source = socket.watch(.writable, on: context) { [weak self] _ in
            self?.source?.cancel()
            self?.source = nil
            done(Self.outcome(socket))
        }
    }

    deinit {
        source?.cancel()
    }

    private static func outcome(
        _ socket: BluetoothSocket
    ) -> Result<ConnectedSocket, ChannelFailure> {
        do throws(SocketError) {
            try socket.checkOutcome()
            return .success(ConnectedSocket(socket: socket, sendMTU: try socket.sendMTU))
        } catch {
            return .failure(ChannelFailure(connecting: error))
        }
    }
}
