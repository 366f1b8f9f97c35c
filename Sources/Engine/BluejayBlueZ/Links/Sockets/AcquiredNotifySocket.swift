internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import DequeModule
internal import FoundationEssentials

/// Our end of a socket that gives the values of a characteristic; closed when it is released.
///
/// bluetoothd throws away what the socket does not take, so all that there is is taken off it before
/// anybody hears of the first value.
final class AcquiredNotifySocket {
    /// How many values are taken off the socket before they are told.
    private static let readLimit = 512

    private let socket: SequencedPacketSocket
    private let receive: (Data) -> Void
    private let hungUp: () -> Void
    private var source: FileDescriptorSource?
    private var values: Deque<Data> = []

    /// Takes an end over.
    ///
    /// - Parameters:
    ///   - end: What `AcquireNotify` gave.
    ///   - context: Where it is watched.
    ///   - receive: Called for each value in order; it may run a main loop of its own, and release this.
    ///   - hungUp: Called at most once, when bluetoothd has closed the other end and all values were told.
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

    /// Tells nothing any more.
    func close() {
        source?.cancel()
        source = nil
        values.removeAll()
    }

    private func ready() {
        var isClosed = false
        while values.count < Self.readLimit,
            let value = socket.receiveValue(atMost: ATTLimits.longestValue, isClosed: &isClosed)
        {
            values.append(value)
        }
        // A main loop inside `receive` goes on with the same values.
        while let value = values.popFirst() { receive(value) }
        guard isClosed, source != nil else { return }
        close()
        hungUp()
    }
}
