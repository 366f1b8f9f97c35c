internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib

/// Channels of the simulated BlueZ, which passes their sockets over the bus.
final class SimulatedChannelProvider: ChannelProvider {
    private static let callTimeout = Duration.seconds(60)
    private let client: BlueZClient

    init(_ client: BlueZClient) {
        self.client = client
    }

    func connect(
        _ parameters: ChannelParameters,
        to peer: L2CAPSocketAddress,
        completion: @escaping (Result<ConnectedSocket, ChannelFailure>) -> Void
    ) -> PendingChannelCall {
        let call = SimulatedKernel1.connect(
            from: Self.text(parameters.localAddress),
            to: (Self.text(peer), peer.isRandom ? "random" : "public"),
            psm: parameters.psm,
            options: (ChannelLimits.receiveMTU, UInt8(parameters.security))
        )
        return SimulatedKernelCall(client, call, timeout: Self.callTimeout) { result in
            completion(
                result.flatMap { Self.socket($0.first, $0.last) }
                    .mapError { ChannelFailure(connecting: $0) }
            )
        }
    }

    func listen(
        _ parameters: ChannelParameters,
        completion: @escaping (Result<any ChannelServerSocket, ChannelFailure>) -> Void
    ) -> PendingChannelCall {
        let adapter = Self.text(parameters.localAddress)
        let options = (ChannelLimits.receiveMTU, UInt8(parameters.security))
        let serverSocket = SimulatedServerSocket(client, adapter)
        let call = SimulatedKernel1.listen(at: adapter, psm: parameters.psm, options: options)
        return SimulatedKernelCall(client, call, timeout: Self.callTimeout) { result in
            switch result {
            case .success(let values):
                guard let psm = BusNumber.psm.read(values.first) else {
                    return completion(.failure(ChannelFailure(listening: .invalid)))
                }
                serverSocket.start(UInt16(psm))
                completion(.success(serverSocket))
            case .failure(let error): completion(.failure(ChannelFailure(listening: error)))
            }
        }
    }

    static func text(_ address: L2CAPSocketAddress) -> String {
        DeviceAddress(octets: address.octets, kind: .public)?.text ?? ""
    }

    static func socket(
        _ descriptor: BusValue?,
        _ mtu: BusValue?
    ) -> Result<ConnectedSocket, SocketError> {
        guard case .fileDescriptor(let descriptor) = descriptor,
            let mtu = BusNumber.channelMTU.read(mtu)
        else {
            return .failure(.invalid)
        }
        do throws(SocketError) {
            let socket = try BluetoothSocket(sharing: descriptor.number)
            return .success(ConnectedSocket(socket: socket, sendMTU: mtu))
        } catch {
            return .failure(error)
        }
    }
}

/// A call to the simulated kernel; releasing it cancels it.
private final class SimulatedKernelCall: PendingChannelCall {
    private let client: BlueZClient
    private var call: BusCall?

    init(
        _ client: BlueZClient,
        _ call: MethodCall,
        timeout: Duration,
        completion: @escaping (Result<[BusValue], SocketError>) -> Void
    ) {
        self.client = client
        super.init()
        self.call = client.call(call, timeout: timeout) { [weak self] result in
            self?.call = nil
            completion(result.mapError(Self.error))
        }
    }

    deinit {
        if let call { client.cancel(call) }
    }

    // An error that is not the kernel's is the bus's: the simulated BlueZ has ended.
    static func error(_ error: BusError) -> SocketError {
        guard error.name == SimulatedKernel1.error, let number = Int32(error.message) else {
            return .notConnected
        }
        return SocketError(number)
    }
}

private final class SimulatedServerSocket: ChannelServerSocket {
    private(set) var psm: UInt16 = 0
    var onIncoming: ((ConnectedSocket, DeviceAddress) -> Void)?
    var isAccepting = true {
        didSet { if isAccepting, !oldValue { accept() } }
    }
    private let client: BlueZClient
    private let adapter: String
    private var subscription: SignalSubscription?
    private var call: PendingChannelCall?
    private var pendingCount = 0

    // Subscribes before it listens: a channel may arrive at once.
    init(_ client: BlueZClient, _ adapter: String) {
        self.client = client
        self.adapter = adapter
        subscription = client.connection?.subscribe(SimulatedKernel1.incoming) {
            [weak self] message in self?.received(message)
        }
    }

    deinit {
        close()
    }

    func start(_ psm: UInt16) {
        self.psm = psm
    }

    func close() {
        guard let subscription else { return }
        subscription.cancel()
        self.subscription = nil
        call = nil
        if psm != 0 {
            client.call(SimulatedKernel1.close(at: adapter, psm: psm)) { _ in
            }
        }
    }

    private func received(_ message: BusMessage) {
        guard let values = try? message.arguments(), values.count == 2,
            values[0].text == adapter, BusNumber.psm.read(values[1]) == Int(psm)
        else { return }
        pendingCount += 1
        accept()
    }

    private func accept() {
        guard isAccepting, pendingCount > 0, call == nil, subscription != nil else { return }
        pendingCount -= 1
        call = SimulatedKernelCall(
            client,
            SimulatedKernel1.accept(at: adapter, psm: psm),
            timeout: BusConnection.replyTimeout
        ) { [weak self] result in
            guard let self else { return }
            call = nil
            if case .success(let values) = result { deliver(values) }
            accept()
        }
    }

    private func deliver(_ values: [BusValue]) {
        guard values.count == 4, let kind = DeviceAddress.Kind(rawValue: values[2].text ?? ""),
            let peer = DeviceAddress(values[1].text ?? "", kind: kind),
            case .success(let socket) = SimulatedChannelProvider.socket(values[0], values[3])
        else { return }
        onIncoming?(socket, peer)
    }
}
