internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// Our end of a socket that takes values without response; closed when it is released.
final class AcquiredWriteSocket {
    /// Whether something went through it since this was asked for last.
    private(set) var wasUsed = false
    /// Ends it when nobody uses it.
    var idleTimer: ScheduledTimer?
    private let socket: SequencedPacketSocket
    private let context: MainContext
    private let hungUp: () -> Void
    private var source: FileDescriptorSource?
    private var whenWritable: (() -> Void)?
    /// Whose values bluetoothd may not have read.
    private var senders: Set<LinkStateMachine.User> = []

    /// Takes an end over; `hungUp` is called at most once, when bluetoothd has closed the other.
    init(_ end: BusFileDescriptor, on context: MainContext, hungUp: @escaping () -> Void) {
        socket = SequencedPacketSocket(end)
        self.context = context
        self.hungUp = hungUp
        let number = socket.descriptor.number
        source = FileDescriptorSource(number, .hangUp, on: context) { [weak self] in self?.ready($0)
        }
    }

    deinit {
        source?.cancel()
    }

    func send(_ value: Data, of user: LinkStateMachine.User) -> SequencedPacketSocket.Sending {
        let sending = socket.send(value)
        guard sending == .sent else { return sending }
        wasUsed = true
        if !senders.contains(user) { senders.insert(user) }
        return .sent
    }

    /// Whether it was used since this was asked last.
    func takeUse() -> Bool {
        defer { wasUsed = false }
        return wasUsed
    }

    /// Calls once when it takes more, and not when it is closed before.
    func whenWritable(_ call: @escaping () -> Void) {
        whenWritable = call
        source?.watch(for: [.writable, .hangUp])
    }

    /// Whether bluetoothd has not read yet what a user sent, or anybody did.
    func isUnread(by user: LinkStateMachine.User?) -> Bool {
        guard !senders.isEmpty, user.map(senders.contains) ?? true else { return false }
        guard socket.isUnread else {
            senders.removeAll()
            return false
        }
        return true
    }

    private func ready(_ condition: IOCondition) {
        if !condition.isDisjoint(with: [.hangUp, .error]) {
            source?.cancel()
            source = nil
            // The next try to send finds it closed.
            let waiting = whenWritable
            whenWritable = nil
            waiting?()
            return hungUp()
        }
        source?.watch(for: .hangUp)
        let waiting = whenWritable
        whenWritable = nil
        waiting?()
    }
}
