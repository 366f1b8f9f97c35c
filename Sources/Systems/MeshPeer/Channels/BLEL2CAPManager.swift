public import BluejayBlueZ
internal import BluejayCore
internal import BluejayGLib
public import BluejayL2CAP
public import FoundationEssentials

/// Opens and publishes the L2CAP channels of a node, for bulk data.
///
/// A channel carries a stream of bytes without message borders. All members may be used from any thread.
public final class BLEL2CAPManager: @unchecked Swift.Sendable {
    private let host: BluetoothHost
    private let channels: LoopConfined<ChannelDirectory>
    private let isClosed = LockedValue(false)

    /// Creates a manager.
    ///
    /// The ``BLEPeripheralManager`` of the same host serves its PSM.
    public init(host: BluetoothHost = BluetoothHost()) {
        self.host = host
        channels = LoopConfined(host.mainLoop) { [isClosed] in
            ChannelDirectory(host, isClosed)
        }
    }

    deinit {
        // The last reference may be released on any thread.
        channels.perform { $0.end() }
    }

    // MARK: Channels to peers

    /// Opens a channel to a peer.
    ///
    /// Without a link, it connects first.
    ///
    /// The channel ends with its link. Cancelling the task ends the attempt.
    ///
    /// - Parameters:
    ///   - peer: A node in range.
    ///   - psm: The number on which the peer listens, at most 0x00FF; `nil` reads it from the PSM
    ///     characteristic of the peer.
    /// - Returns: An open channel.
    /// - Throws: `BluejayError.invalidPSM` for 0 and for a number above 0x00FF,
    ///   `BluejayError.channelRefused` if the peer does not listen on the number or publishes none,
    ///   `BluejayError.missingCharacteristic`, `BluejayError.bluetoothUnavailable`,
    ///   `BluejayError.connectionTimedOut`, `BluejayError.connectionFailed`,
    ///   `BluejayError.notSupported` if the kernel has no Bluetooth, `BluejayError.stopped` if the loop of
    ///   the host ends or has ended, or `CancellationError`.
    public func openChannel(to peer: UUID, psm: UInt16? = nil) async throws -> L2CAPChannel {
        try throwIfClosed()
        if let psm { return try await open(peer, psm) }
        let reader = LoopConfined(host.mainLoop) { [host] in PSMReader(peer, host) }
        // Its link is kept until the channel is open.
        defer { reader.perform { $0.end() } }
        let number = try await awaited(host.mainLoop) { completion in
            reader.perform { $0.read(completion) }
        } cancel: {
            reader.perform { $0.end() }
        }
        return try await open(peer, number)
    }

    private func open(_ peer: UUID, _ psm: UInt16) async throws -> L2CAPChannel {
        guard (1...0xFF).contains(psm) else { throw BluejayError.invalidPSM(psm) }
        let identifier = PeripheralIdentifier(uuid: peer, name: nil)
        let channel = L2CAPChannel(to: identifier, psm: psm, host: host)
        do {
            try await channel.open()
        } catch BluejayError.cancelled where isClosed.value {
            throw BluejayError.stopped
        }
        return channel
    }

    /// A loop that has ended answers no call.
    private func throwIfClosed() throws {
        if isClosed.value { throw BluejayError.stopped }
    }

    /// Closes a channel when its data is sent, within 10 s.
    ///
    /// `L2CAPChannel.close(timeout:)` does the same, waits, and returns the number of lost bytes.
    public func closeChannel(_ channel: L2CAPChannel) {
        channel.close {}
    }

    /// Sends all of `data` on a channel, after the earlier calls for the channel.
    ///
    /// Returns when the controller has the last byte; the peer does not acknowledge it. While the peer reads
    /// nothing, the call waits. Cancelling the task discards the unsent part.
    ///
    /// - Parameters:
    ///   - data: The data.
    ///   - channel: A channel of this manager.
    ///   - progress: Called with the number of bytes that the kernel has accepted, after each part.
    /// - Throws: `BluejayError.channelClosed`, the reason why the channel ended, `BluejayError.stopped` if
    ///   the loop of the host has ended, or `CancellationError`.
    public func sendData(
        _ data: Data,
        on channel: L2CAPChannel,
        progress: (@Sendable @isolated(any) (Int) -> Void)? = nil
    ) async throws {
        guard !data.isEmpty else { return }
        try throwIfClosed()
        try await channel.send(contentsOf: data, progress: progress)
    }

    // MARK: Channels from peers

    /// Listens for channels of peers, which ``incomingChannels`` delivers.
    ///
    /// The PSM characteristic of the ``BLEPeripheralManager`` of the same host serves the number that was
    /// published last.
    ///
    /// - Parameter psm: 0x0080 to 0x00FF; 0 chooses a free one of these.
    /// - Returns: The number.
    /// - Throws: `BluejayError.invalidPSM`, `BluejayError.psmInUse`,
    ///   `BluejayError.psmNotPermitted`, `BluejayError.bluetoothUnavailable`,
    ///   `BluejayError.notSupported` if the kernel has no Bluetooth, `BluejayError.stopped` if the loop of
    ///   the host ends or has ended, or `CancellationError`.
    public func publishChannel(psm: UInt16 = 0) async throws -> UInt16 {
        guard psm <= 0xFF else { throw BluejayError.invalidPSM(psm) }
        try throwIfClosed()
        let listener = L2CAPListener(psm: psm, host: host)
        channels.perform { $0.start(listener) }
        do {
            let number = try await listener.start()
            try await awaited(host.mainLoop) { [channels] completion in
                channels.perform {
                    $0.add(listener, number)
                    completion(.success(()))
                }
            } cancel: {
                listener.close()
            }
            try throwIfClosed()
            return number
        } catch BluejayError.cancelled where isClosed.value {
            throw BluejayError.stopped
        }
    }

    /// Stops listening on a published number.
    ///
    /// Open channels stay open.
    public func unpublishChannel(psm: UInt16) {
        channels.perform { $0.remove(psm) }
    }

    /// The channels that peers have opened, for one reader.
    ///
    /// Sixteen channels wait; further ones are closed. A reader that is cancelled leaves the channels to the
    /// next one. The stream ends when the manager is released or the loop of the host ends.
    public var incomingChannels: AsyncStream<L2CAPChannel> {
        AsyncStream { [channels, isClosed] in
            guard !isClosed.value else { return nil }
            return try? await awaited(channels.loop) { completion in
                channels.perform { $0.addReader(completion) }
            } cancel: {
                channels.perform { $0.removeCancelledReader() }
            }
        }
    }
}

/// The published channels of a manager.
///
/// Confined to the loop of the host.
private final class ChannelDirectory {
    private let publishedChannels: PublishedChannels
    /// The channels that wait for a reader.
    private var waiting: [L2CAPChannel] = []
    private var reader: ((Result<L2CAPChannel?, any Error>) -> Void)?
    private static let maximumWaitingCount = 16
    private var listeners: [UInt16: L2CAPListener] = [:]
    /// The listeners that wait for Bluetooth.
    private var starting: [L2CAPListener] = []
    private let isClosed: LockedValue<Bool>
    private var shutdownHook: ShutdownHook?

    init(_ host: BluetoothHost, _ isClosed: LockedValue<Bool>) {
        publishedChannels = PublishedChannels.of(host)
        self.isClosed = isClosed
        shutdownHook = host.mainLoop.context.addShutdownHook { [weak self] completion in
            self?.end()
            completion()
        }
        if host.mainLoop.context.isEnding { end() }
    }

    /// Ends everything, because the manager is released or the loop ends.
    func end() {
        isClosed.value = true
        closeAll()
        waiting = []
        removeCancelledReader()
    }

    /// Passes the next channel to a reader, or `nil` at the end.
    func addReader(_ completion: @escaping (Result<L2CAPChannel?, any Error>) -> Void) {
        guard !isClosed.value else { return completion(.success(nil)) }
        guard waiting.isEmpty else { return completion(.success(waiting.removeFirst())) }
        // There is one reader: the former one has ended.
        removeCancelledReader()
        reader = completion
    }

    func removeCancelledReader() {
        let former = reader
        reader = nil
        former?(.success(nil))
    }

    private func received(_ channel: L2CAPChannel) {
        if let reader {
            self.reader = nil
            reader(.success(channel))
        } else if waiting.count < Self.maximumWaitingCount {
            waiting.append(channel)
        }
    }

    func start(_ listener: L2CAPListener) {
        if isClosed.value { listener.close() } else { starting.append(listener) }
    }

    func add(_ listener: L2CAPListener, _ psm: UInt16) {
        starting.removeAll { $0 === listener }
        guard !isClosed.value else { return listener.close() }
        listeners[psm] = listener
        publishedChannels.add(psm)
        // A channel that does not fit is released, which closes it.
        listener.onChannel = { [weak self] in self?.received($0) }
        listener.onEnd = { [weak self] _ in self?.remove(psm) }
    }

    func remove(_ psm: UInt16) {
        guard let listener = listeners.removeValue(forKey: psm) else { return }
        publishedChannels.remove(psm)
        listener.onEnd = nil
        listener.close()
    }

    func closeAll() {
        for psm in Array(listeners.keys) { remove(psm) }
        for listener in starting { listener.close() }
        starting = []
    }
}
