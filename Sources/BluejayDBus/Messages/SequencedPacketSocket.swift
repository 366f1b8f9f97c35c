internal import Foundation

/// One end of a local connection that keeps the borders of its packets: what BlueZ's
/// `AcquireNotify` and `AcquireWrite` hand over.
///
/// Nothing blocks: a packet that does not fit is lost, an empty queue reads as nil.
package final class SequencedPacketSocket {
    /// The own end; closed with the last owner.
    package let descriptor: BusDescriptor

    /// Takes an end over.
    package init(_ descriptor: BusDescriptor) {
        self.descriptor = descriptor
        let flags = fcntl(descriptor.number, F_GETFL)
        _ = fcntl(descriptor.number, F_SETFL, flags | O_NONBLOCK)
    }

    /// Two connected ends, the other one to be sent over the bus; nil when there are no descriptors.
    package static func pair() -> (own: SequencedPacketSocket, other: BusDescriptor)? {
        var ends: [Int32] = [-1, -1]
        let flags = SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let type = Int32(SOCK_SEQPACKET.rawValue | flags)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        let own = SequencedPacketSocket(BusDescriptor(owning: ends[0]))
        return (own, BusDescriptor(owning: ends[1]))
    }

    /// Sends one packet; false when it was lost.
    @discardableResult
    package func send(_ packet: [UInt8]) -> Bool {
        let count = unsafe packet.withUnsafeBytes {
            unsafe Foundation.send(
                descriptor.number,
                $0.baseAddress,
                $0.count,
                Int32(MSG_NOSIGNAL)
            )
        }
        return count == packet.count
    }

    /// The next packet, cut to `limit` bytes; empty when the other end has closed, nil when there is
    /// none.
    package func receive(atMost limit: Int) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe recv(descriptor.number, $0.baseAddress, $0.count, 0)
        }
        return count >= 0 ? Array(buffer.prefix(count)) : nil
    }
}
