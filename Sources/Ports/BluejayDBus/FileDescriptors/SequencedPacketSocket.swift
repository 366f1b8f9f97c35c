package import FoundationEssentials
internal import Glibc

/// One end of a local connection that preserves packet boundaries, as used by BlueZ's `AcquireNotify` and
/// `AcquireWrite`.
///
/// No method blocks.
package final class SequencedPacketSocket {
    package enum SendResult: Equatable {
        case sent
        /// The queue is full; the packet is lost.
        case wouldBlock
        /// The other end has closed.
        case closed
        /// The value is an `errno`.
        case failed(Int32)
    }

    package enum ReceiveResult: Equatable {
        /// A packet, which may be empty.
        case packet([UInt8])
        /// No packet is available yet.
        case wouldBlock
        /// The other end has closed, and everything it sent has been received.
        case closed
        /// The value is an `errno`.
        case failed(Int32)
    }

    /// The local end; closed when the last reference is released.
    package let descriptor: BusFileDescriptor

    /// Takes ownership of an end.
    package init(_ descriptor: BusFileDescriptor) {
        self.descriptor = descriptor
        let flags = fcntl(descriptor.number, F_GETFL)
        _ = fcntl(descriptor.number, F_SETFL, flags | O_NONBLOCK)
    }

    // A starting child process still has a copy of the descriptor, which would hide the close from the other
    // end.
    deinit {
        shutDown()
    }

    /// Creates two connected ends, one of them to send over the bus; nil if no descriptors are left.
    package static func pair() -> (own: SequencedPacketSocket, other: BusFileDescriptor)? {
        var ends: [Int32] = [-1, -1]
        let flags = SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let type = Int32(SOCK_SEQPACKET.rawValue | flags)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        let own = SequencedPacketSocket(BusFileDescriptor(owning: ends[0]))
        return (own, BusFileDescriptor(owning: ends[1]))
    }

    /// Shuts down both directions; the other end still receives data already sent.
    package func shutDown() {
        _ = shutdown(descriptor.number, Int32(SHUT_RDWR))
    }

    @discardableResult
    package func send(_ packet: [UInt8]) -> SendResult {
        unsafe packet.withUnsafeBytes { unsafe send($0) }
    }

    @discardableResult
    package func send(_ packet: Data) -> SendResult {
        unsafe packet.withUnsafeBytes { unsafe send($0) }
    }

    private func send(_ packet: UnsafeRawBufferPointer) -> SendResult {
        let flags = Int32(MSG_NOSIGNAL)
        let (count, error) = repeated {
            unsafe Glibc.send(descriptor.number, packet.baseAddress, packet.count, flags)
        }
        guard count < 0 else { return .sent }
        switch error {
        case EAGAIN, EWOULDBLOCK, ENOBUFS: return .wouldBlock
        case EPIPE, ECONNRESET, ENOTCONN: return .closed
        default: return .failed(error)
        }
    }

    /// Receives the next packet, truncated to `maximumLength` bytes.
    package func receive(atMost maximumLength: Int) -> ReceiveResult {
        receive(atMost: maximumLength, 0)
    }

    /// Returns the next packet without removing it, truncated to `maximumLength` bytes.
    package func peek(atMost maximumLength: Int) -> ReceiveResult {
        receive(atMost: maximumLength, Int32(MSG_PEEK))
    }

    private func receive(atMost maximumLength: Int, _ flags: Int32) -> ReceiveResult {
        // Callers keep the packet; an array made in place would keep `maximumLength` bytes.
        unsafe withUnsafeTemporaryAllocation(byteCount: maximumLength, alignment: 1) { buffer in
            let result = unsafe read(buffer.baseAddress, maximumLength, flags)
            if result.count > 0 { return unsafe .packet([UInt8](buffer[..<result.count])) }
            if result.count == 0 { return hasPeerClosed ? .closed : .packet([]) }
            switch result.error {
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            case ECONNRESET, ENOTCONN: return .closed
            default: return .failed(result.error)
            }
        }
    }

    /// Receives the next value, truncated to `maximumLength` bytes; nil if none is available or the
    /// connection has ended.
    ///
    /// - Parameters:
    ///   - maximumLength: The maximum length in bytes.
    ///   - isClosed: Set when the other end has closed, and everything it sent has been received.
    /// - Returns: The bytes of one packet, which may be empty.
    package func receiveValue(atMost maximumLength: Int, isClosed: inout Bool) -> Data? {
        unsafe withUnsafeTemporaryAllocation(byteCount: maximumLength, alignment: 1) { buffer in
            let result = unsafe read(buffer.baseAddress, maximumLength, 0)
            if result.count > 0 {
                return unsafe Data(UnsafeRawBufferPointer(rebasing: buffer[..<result.count]))
            }
            if result.count == 0, !hasPeerClosed { return Data() }
            isClosed = result.count == 0 || (result.error != EAGAIN && result.error != EWOULDBLOCK)
            return nil
        }
    }

    /// Whether the other end has unread data; false after it has closed.
    package var hasUnreadData: Bool {
        var count: Int32 = 0
        return unsafe ioctl(descriptor.number, UInt(TIOCOUTQ), &count) == 0 && count > 0
    }

    // Reading zero bytes means an empty packet, or the end if the other side has hung up and no byte is left in
    // any packet. Empty packets just before the end are indistinguishable from it.
    private var hasPeerClosed: Bool {
        var state = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&state, 1, 0) > 0, state.revents & Int16(POLLHUP) != 0 else {
            return false
        }
        var count: Int32 = 0
        return unsafe ioctl(descriptor.number, UInt(FIONREAD), &count) != 0 || count == 0
    }

    private func read(
        _ buffer: UnsafeMutableRawPointer?,
        _ count: Int,
        _ flags: Int32
    ) -> (count: Int, error: Int32) {
        repeated { unsafe recv(descriptor.number, buffer, count, flags) }
    }

    // A call interrupted by a signal is repeated.
    private func repeated(_ call: () -> Int) -> (count: Int, error: Int32) {
        while true {
            let count = call()
            let error = count < 0 ? errno : 0
            if error != EINTR { return (count, error) }
        }
    }
}
