/// Takes what a game has to say while its host is open.
///
/// The stream is asked for once and read until it ends, over all sessions, since a stream that nobody
/// reads any more cannot be read again; while the host is closed what comes waits.
@MainActor
final class OutgoingPump {
    private var isRunning = false
    private var isOpen = false
    private var waiter: CheckedContinuation<Void, Never>?
    private var task: Task<Void, Never>?

    /// Begins to take packets, or goes on.
    func open(_ sdk: any BrainSDK, _ send: @escaping @MainActor (OutgoingPacket) async -> Void) {
        isOpen = true
        waiter?.resume()
        waiter = nil
        guard !isRunning else { return }
        isRunning = true
        let packets = sdk.outgoingPackets
        task = Task { @MainActor [weak self] in
            for await packet in packets {
                await self?.untilOpen()
                guard !Task.isCancelled else { break }
                await send(packet)
            }
            self?.isRunning = false
        }
    }

    /// What comes waits from now on.
    func close() { isOpen = false }

    /// Nothing is taken any more.
    func end() {
        task?.cancel()
        waiter?.resume()
        waiter = nil
    }

    private func untilOpen() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiter = $0 }
    }
}
