internal import BluejayCore
internal import BluejayGLib

final class KernelServerSocket: ChannelServerSocket {
    let psm: UInt16
    var onIncoming: ((ConnectedSocket, DeviceAddress) -> Void)?
    var isAccepting = true {
        didSet { watch() }
    }
    private let client: BlueZClient
    private let socket: BluetoothSocket
    private let acceptNext: () throws(SocketError) -> (ConnectedSocket, DeviceAddress)?
    private let log: Log
    private var retryTimer: ScheduledTimer?
    private var source: FileDescriptorSource?

    /// Calls `accept` when `socket` is readable.
    init(
        _ socket: BluetoothSocket,
        psm: UInt16,
        for client: BlueZClient,
        accept: @escaping () throws(SocketError) -> (ConnectedSocket, DeviceAddress)?
    ) {
        self.client = client
        self.socket = socket
        self.psm = psm
        acceptNext = accept
        log = Log("bluejay.channel", to: client.logDispatcher, ["psm": "\(psm)"])
        source = socket.watch(.readable, on: client.context) { [weak self] _ in self?.accept() }
    }

    deinit {
        close()
    }

    func close() {
        source?.cancel()
        source = nil
        retryTimer = nil
        socket.close()
    }

    private func watch() {
        source?.watch(for: isAccepting && retryTimer == nil ? .readable : [])
    }

    // One connection per iteration: the user may stop accepting after each.
    private func accept() {
        guard isAccepting, retryTimer == nil else { return }
        do throws(SocketError) {
            guard let (socket, address) = try acceptNext() else { return }
            onIncoming?(socket, address)
        } catch {
            if error.isShortage { backOff(error) }
        }
    }

    // The connection stays in the kernel's queue, and the socket readable: a retry at once would spin.
    private func backOff(_ error: SocketError) {
        log.warning("accepting a channel failed", ["errno": "\(error.number)", "retry": "1 s"])
        retryTimer = client.clock.schedule(after: .seconds(1)) { [weak self] in
            self?.retryTimer = nil
            self?.watch()
        }
        watch()
    }
}
