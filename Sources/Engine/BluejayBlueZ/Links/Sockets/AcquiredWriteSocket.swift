internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// The local end of a socket that accepts values without response; its release closes it.
final class AcquiredWriteSocket {
    private(set) var hasRecentUse = false
    /// Releases the socket when it is idle.
    var idleTimer: ScheduledTimer?
    private let socket: SequencedPacketSocket
    private let context: MainContext
    private let hungUp: () -> Void
    private var source: FileDescriptorSource?
    private var whenWritable: (() -> Void)?
    /// The users whose values may be unread.
    private var senders: Set<LinkStateMachine.LeaseID> = []

    /// Takes over the end of a socket; `hungUp` is called at most once, when bluetoothd closes its end.
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

    func send(_ value: Data, of leaseID: LinkStateMachine.LeaseID)
        -> SequencedPacketSocket.SendResult
    {
        let sending = socket.send(value)
        guard sending == .sent else { return sending }
        hasRecentUse = true
        if !senders.contains(leaseID) { senders.insert(leaseID) }
        return .sent
    }

    /// Returns whether a value was sent since the last call.
    func clearRecentUse() -> Bool {
        defer { hasRecentUse = false }
        return hasRecentUse
    }

    /// Calls `call` once when the socket is writable or bluetoothd closes its end.
    func whenWritable(_ call: @escaping () -> Void) {
        whenWritable = call
        source?.watch(for: [.writable, .hangUp])
    }

    /// Whether values of a user, or of any user for nil, are unread.
    func hasUnreadData(from leaseID: LinkStateMachine.LeaseID?) -> Bool {
        guard !senders.isEmpty, leaseID.map(senders.contains) ?? true else { return false }
        guard socket.hasUnreadData else {
            senders.removeAll()
            return false
        }
        return true
    }

    private func ready(_ condition: IOCondition) {
        if !condition.isDisjoint(with: [.hangUp, .error]) {
            source?.cancel()
            source = nil
            // The next attempt to send finds the socket closed.
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
