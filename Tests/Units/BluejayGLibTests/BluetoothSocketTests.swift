import BluejayGLib
import Glibc
import Testing

@Suite("The socket of a channel")
struct BluetoothSocketTests {
    /// Returns two connected ends that keep packet boundaries, as L2CAP sockets do.
    private func ends() throws -> (BluetoothSocket, Int32) {
        var ends: [Int32] = [-1, -1]
        let result = unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends)
        try #require(result == 0)
        defer { close(ends[0]) }
        return (try BluetoothSocket(sharing: ends[0]), ends[1])
    }

    @Test("An empty packet is not the end")
    func emptyPacket() throws {
        let (socket, other) = try ends()
        for packet: [UInt8] in [[1], [], [2, 3]] {
            _ = unsafe send(other, packet, packet.count, 0)
        }
        #expect(try socket.receive(atMost: 10) == .packet([1]))
        #expect(try socket.receive(atMost: 10) == .packet([]))
        #expect(try socket.receive(atMost: 10) == .packet([2, 3]))
        #expect(try socket.receive(atMost: 10) == .wouldBlock)
        close(other)
        #expect(try socket.receive(atMost: 10) == .closed)
    }

    @Test("The end follows the packets before it")
    func packetsBeforeTheEnd() throws {
        let (socket, other) = try ends()
        for packet: [UInt8] in [[], [], [], [2]] {
            _ = unsafe send(other, packet, packet.count, 0)
        }
        close(other)
        for _ in 1...3 { #expect(try socket.receive(atMost: 10) == .packet([])) }
        #expect(try socket.receive(atMost: 10) == .packet([2]))
        #expect(try socket.receive(atMost: 10) == .closed)
    }

    @Test("A received packet occupies only as much memory as its length")
    func memory() throws {
        let (socket, other) = try ends()
        defer { close(other) }
        _ = unsafe send(other, [1, 2, 3] as [UInt8], 3, 0)
        guard case .packet(let packet) = try socket.receive(atMost: 2_048) else {
            Issue.record("no packet was received")
            return
        }
        #expect(packet == [1, 2, 3])
        #expect(packet.capacity < 64)
    }

    @Test("Packets that the peer has not read occupy memory until it closes")
    func unsentMemory() throws {
        let (socket, other) = try ends()
        #expect(socket.unsentMemory == 0)
        try socket.send([1, 2, 3])
        let memory = try #require(socket.unsentMemory)
        #expect(memory > 3)
        try socket.send([4, 5, 6])
        #expect(socket.unsentMemory == 2 * memory)
        var packet = [UInt8](repeating: 0, count: 10)
        #expect(unsafe recv(other, &packet, 10, 0) == 3)
        #expect(socket.unsentMemory == memory)
        close(other)
        #expect(socket.unsentMemory == nil)
    }

    @Test("A lack of descriptors or memory is a shortage", arguments: [12, 23, 24, 105])
    func shortages(number: Int32) {
        #expect(SocketError(number).isShortage)
        #expect(!SocketError.aborted.isShortage)
    }
}
