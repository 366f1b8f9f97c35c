internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import DequeModule
internal import FoundationEssentials

/// The local end of a socket for the values of a characteristic; its release closes it.
///
/// bluetoothd discards values that the socket cannot hold, so all are read before the first is delivered.
final class AcquiredNotifySocket {
    private static let maximumValueCount = 512

    private let socket: SequencedPacketSocket
    private let receive: (Data) -> Void
    private let hungUp: () -> Void
    private var source: FileDescriptorSource?
    private var values: Deque<Data> = []

    /// Takes over the end of a socket from `AcquireNotify`.
    ///
    /// - Parameters:
    ///   - end: The descriptor.
    ///   - context: The context that watches the socket.
    ///   - receive: Called for each value, in order; it may run a nested main loop, and release this
    ///     object.
    ///   - hungUp: Called at most once, when bluetoothd has closed its end and all values are delivered.
    init(
        _ end: BusFileDescriptor,
        on context: MainContext,
        receive: @escaping (Data) -> Void,
        hungUp: @escaping () -> Void
    ) {
        socket = SequencedPacketSocket(end)
        self.receive = receive
        self.hungUp = hungUp
        let number = socket.descriptor.number
        source = FileDescriptorSource(number, .readable, on: context) { [weak self] _ in
            self?.ready()
        }
    }

    deinit {
        source?.cancel()
    }

    func close() {
        source?.cancel()
        source = nil
        values.removeAll()
    }

    private func ready() {
        var isClosed = false
        while values.count < Self.maximumValueCount,
            let value = socket.receiveValue(
                atMost: ATTLimits.maximumValueLength,
                isClosed: &isClosed
            )
        {
            values.append(value)
        }
        // A nested main loop inside `receive` continues with the same values.
        while let value = values.popFirst() { receive(value) }
        guard isClosed, source != nil else { return }
        close()
        hungUp()
    }
}
