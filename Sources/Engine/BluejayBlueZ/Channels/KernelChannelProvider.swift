internal import BluejayCore
internal import BluejayGLib

final class KernelChannelProvider: ChannelProvider {
    private let client: BlueZClient

    init(_ client: BlueZClient) {
        self.client = client
    }

    func connect(
        _ parameters: ChannelParameters,
        to peer: L2CAPSocketAddress,
        completion: @escaping (Result<ConnectedSocket, ChannelFailure>) -> Void
    ) -> PendingChannelCall {
        do throws(SocketError) {
            let socket = try Self.socket(parameters)
            try Self.bindToHighestFreePSM(socket, parameters.localAddress)
            try socket.setReceiveMTU(ChannelLimits.receiveMTU)
            try socket.connect(to: peer, psm: parameters.psm)
            return ConnectingSocket(socket, on: client.context, completion)
        } catch {
            return FailedChannelCall(client) {
                completion(.failure(ChannelFailure(connecting: error)))
            }
        }
    }

    func listen(
        _ parameters: ChannelParameters,
        completion: @escaping (Result<any ChannelServerSocket, ChannelFailure>) -> Void
    ) -> PendingChannelCall {
        do throws(SocketError) {
            let socket = try Self.socket(parameters)
            try socket.bind(parameters.localAddress, psm: parameters.psm)
            try socket.setReceiveMTU(ChannelLimits.receiveMTU)
            try socket.listen(backlog: ChannelLimits.maximumPendingChannelCount)
            let serverSocket = KernelServerSocket(socket, psm: try socket.psm, for: client) {
                () throws(SocketError) in try Self.accept(from: socket)
            }
            return FailedChannelCall(client) { completion(.success(serverSocket)) }
        } catch {
            // If all PSMs are in use, the kernel reports `EINVAL`.
            let isFull = error == .invalid && parameters.psm == 0
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
        _ localAddress: L2CAPSocketAddress
    ) throws(SocketError) {
        for psm in stride(from: UInt16(0xFF), through: 0x80, by: -1) {
            do {
                return try socket.bind(localAddress, psm: psm)
            } catch .inUse {
                continue
            }
        }
        throw .inUse
    }

    private static func socket(
        _ parameters: ChannelParameters
    ) throws(SocketError) -> BluetoothSocket {
        let socket = try BluetoothSocket()
        try socket.setSecurity(parameters.security)
        return socket
    }
}

/// A result that is known at once and delivered on a later iteration.
final class FailedChannelCall: PendingChannelCall {
    private var timer: ScheduledTimer?

    init(_ client: BlueZClient, _ completion: @escaping () -> Void) {
        super.init()
        timer = client.clock.schedule(after: .zero) { [weak self] in
            self?.timer = nil
            completion()
        }
    }
}

private final class ConnectingSocket: PendingChannelCall {
    private var source: FileDescriptorSource?

    init(
        _ socket: BluetoothSocket,
        on context: MainContext,
        _ completion: @escaping (Result<ConnectedSocket, ChannelFailure>) -> Void
    ) {
        super.init()
        source = socket.watch(.writable, on: context) { [weak self] _ in
            self?.source?.cancel()
            self?.source = nil
            completion(Self.outcome(socket))
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
