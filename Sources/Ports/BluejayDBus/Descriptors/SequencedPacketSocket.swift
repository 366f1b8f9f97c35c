package import FoundationEssentials
internal import Glibc

/// One end of a local connection that keeps the borders of its packets: what BlueZ's
/// `AcquireNotify` and `AcquireWrite` hand over.
///
/// Nothing blocks.
package final class SequencedPacketSocket {
    /// What became of a packet.
    package enum Sending: Equatable {
        case sent
        /// The queue is full; the packet is lost.
        case full
        /// The other end has closed.
        case closed
        /// The number is that of errno.
        case failed(Int32)
    }

    /// What a socket has to give.
    package enum Reception: Equatable {
        /// One packet; an empty one is a packet, too.
        case packet([UInt8])
        /// Nothing yet.
        case nothing
        /// The other end has closed, and everything it sent has been received.
        case closed
        /// The number is that of errno.
        case failed(Int32)
    }

    /// The own end; closed with the last owner.
    package let descriptor: BusFileDescriptor

    /// Takes an end over.
    package init(_ descriptor: BusFileDescriptor) {
        self.descriptor = descriptor
        let flags = fcntl(descriptor.number, F_GETFL)
        _ = fcntl(descriptor.number, F_SETFL, flags | O_NONBLOCK)
    }

    // A child process that is being started still has a copy of the descriptor: the other end would not see
    // the end.
    deinit {
        shutDown()
    }

    /// Two connected ends, the other one to be sent over the bus; nil when there are no descriptors.
    package static func pair() -> (own: SequencedPacketSocket, other: BusFileDescriptor)? {
        var ends: [Int32] = [-1, -1]
        let flags = SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let type = Int32(SOCK_SEQPACKET.rawValue | flags)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        let own = SequencedPacketSocket(BusFileDescriptor(owning: ends[0]))
        return (own, BusFileDescriptor(owning: ends[1]))
    }

    /// Ends both directions; the other end still gets what was sent to it.
    package func shutDown() {
        _ = shutdown(descriptor.number, Int32(SHUT_RDWR))
    }

    /// Sends one packet.
    @discardableResult
    package func send(_ packet: [UInt8]) -> Sending {
        unsafe packet.withUnsafeBytes { unsafe send($0) }
    }

    /// Sends one packet.
    @discardableResult
    package func send(_ packet: Data) -> Sending {
        unsafe packet.withUnsafeBytes { unsafe send($0) }
    }

    private func send(_ packet: UnsafeRawBufferPointer) -> Sending {
        let flags = Int32(MSG_NOSIGNAL)
        let (count, error) = repeated {
            unsafe Glibc.send(descriptor.number, packet.baseAddress, packet.count, flags)
        }
        guard count < 0 else { return .sent }
        switch error {
        case EAGAIN, EWOULDBLOCK, ENOBUFS: return .full
        case EPIPE, ECONNRESET, ENOTCONN: return .closed
        default: return .failed(error)
        }
    }

    /// The next packet, cut to `limit` bytes.
    package func receive(atMost limit: Int) -> Reception {
        var result = (count: 0, error: Int32(0))
        let packet = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            unsafe result = read(buffer.baseAddress, limit, 0)
            filled = max(0, result.count)
        }
        if result.count > 0 { return .packet(packet) }
        if result.count == 0 { return isOver ? .closed : .packet([]) }
        switch result.error {
        case EAGAIN, EWOULDBLOCK: return .nothing
        case ECONNRESET, ENOTCONN: return .closed
        default: return .failed(result.error)
        }
    }

    /// The next value, cut to `limit` bytes; nil when there is none, or none will ever come.
    ///
    /// - Parameters:
    ///   - limit: How long it may be.
    ///   - isClosed: Set when the other end has closed, and everything it sent has been received.
    /// - Returns: The bytes of one packet; an empty one is a value, too.
    package func receiveValue(atMost limit: Int, isClosed: inout Bool) -> Data? {
        unsafe withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer in
            let result = unsafe read(buffer.baseAddress, limit, 0)
            if result.count > 0 {
                return unsafe Data(UnsafeRawBufferPointer(rebasing: buffer[..<result.count]))
            }
            if result.count == 0, !isOver { return Data() }
            isClosed = result.count == 0 || (result.error != EAGAIN && result.error != EWOULDBLOCK)
            return nil
        }
    }

    /// Whether the other end has not read yet all that was sent to it; one that has closed never will,
    /// and has nothing unread any more.
    package var isUnread: Bool {
        var count: Int32 = 0
        return unsafe ioctl(descriptor.number, UInt(TIOCOUTQ), &count) == 0 && count > 0
    }

    // A read of nothing is an empty packet or the end. It is the end when the other has hung up and no
    // byte is left; empty packets just before it cannot be told from it.
    private var isOver: Bool {
        var state = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&state, 1, 0) > 0, state.revents & Int16(POLLHUP) != 0 else {
            return false
        }
        var byte: UInt8 = 0
        return unsafe read(&byte, 1, Int32(MSG_PEEK)).count <= 0
    }

    private func read(
        _ buffer: UnsafeMutableRawPointer?,
        _ count: Int,
        _ flags: Int32
    ) -> (count: Int, error: Int32) {
        repeated { unsafe recv(descriptor.number, buffer, count, flags) }
    }

    // A signal that comes meanwhile is no result.
    private func repeated(_ call: () -> Int) -> (count: Int, error: Int32) {
        while true {
            let count = call()
            let error = count < 0 ? errno : 0
            if error != EINTR { return (count, error) }
        }
    }
}
