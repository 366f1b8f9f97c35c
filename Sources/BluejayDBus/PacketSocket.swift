package import BluejayGLib
internal import CBluejay
internal import Foundation

/// One end of a pair of sockets that keep packets apart, as `AcquireNotify` and `AcquireWrite` use them.
package final class PacketSocket {
    private let descriptor: BusDescriptor
    private var source: DescriptorSource?

    /// Makes a pair; nil when there are too many descriptors.
    ///
    /// - Parameters:
    ///   - context: Where the callbacks run.
    ///   - received: Called for each packet that the other end sends.
    ///   - closed: Called once when the other end has closed.
    /// - Returns: This end, and the other to give away.
    package static func pair(
        on context: MainContext,
        received: @escaping ([UInt8]) -> Void,
        closed: @escaping () -> Void
    ) -> (own: PacketSocket, other: BusDescriptor)? {
        var numbers: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &numbers) == 0 else { return nil }
        let own = PacketSocket(
            BusDescriptor(owning: numbers[0]),
            on: context,
            received: received,
            closed: closed
        )
        return (own, BusDescriptor(owning: numbers[1]))
    }

    private init(
        _ descriptor: BusDescriptor,
        on context: MainContext,
        received: @escaping ([UInt8]) -> Void,
        closed: @escaping () -> Void
    ) {
        self.descriptor = descriptor
        source = DescriptorSource(descriptor.number, .readable, on: context) {
            [weak self] condition in
            guard let self else { return }
            if condition.contains(.readable), let packet = read() { return received(packet) }
            guard condition.contains(.hangUp) || condition.contains(.error) else { return }
            source?.cancel()
            source = nil
            closed()
        }
    }

    deinit {
        source?.cancel()
    }

    /// Sends one packet; false when the other end does not drain or has closed.
    @discardableResult
    package func send(_ packet: [UInt8]) -> Bool {
        unsafe packet.withUnsafeBytes { buffer in
            unsafe Foundation.send(
                descriptor.number,
                buffer.baseAddress,
                buffer.count,
                Int32(MSG_NOSIGNAL)
            )
        } == packet.count
    }

    // bluetoothd reads into 512 bytes and loses the rest of a longer packet.
    private func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe recv(descriptor.number, bytes.baseAddress, bytes.count, 0)
        }
        return count > 0 ? Array(buffer[..<count]) : nil
    }
}
