import BluejayCore
import BluejayDBus
import BluejayGLib
import Glibc
import TestSupport
import Testing

@testable import BluejayBlueZ

@Suite("A socket on which peers open channels")
struct KernelServerSocketTests {
    @Test("A lack of descriptors delays accept by a second, then the channel is accepted")
    func shortage() throws {
        let loop = TestLoop()
        let client = BlueZClient(
            on: loop.context,
            address: .address("unix:path=/"),
            clock: loop.clock
        )
        var ends: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let socket = try BluetoothSocket(sharing: ends[0])
        let peer = try #require(DeviceAddress("C4:7C:8D:6A:1F:02", kind: .public))
        let incoming = ConnectedSocket(socket: try BluetoothSocket(sharing: ends[0]), sendMTU: 64)
        var calls = 0
        var isShort = true
        let serverSocket = KernelServerSocket(socket, psm: 0x80, for: client) {
            () throws(SocketError) in
            calls += 1
            // A retry without a pause ends at the hundredth.
            if isShort, calls < 100 { throw .tooManyFiles }
            _ = try incoming.socket.receive(atMost: 1)
            return (incoming, peer)
        }
        var peers: [DeviceAddress] = []
        serverSocket.onIncoming = { _, peer in peers.append(peer) }
        // The socket stays readable, as with a connection in the kernel's queue.
        _ = unsafe send(ends[1], [1] as [UInt8], 1, 0)
        for attempt in 1...3 {
            try loop.wait(for: "accept") { calls >= attempt }
            serverSocket.isAccepting = false
            serverSocket.isAccepting = true
            var isOver = false
            let pause = MainContextClock(on: loop.context).schedule(after: .milliseconds(20)) {
                isOver = true
            }
            try loop.wait(for: "the next iteration") { isOver }
            pause.cancel()
            #expect(calls == attempt)
            loop.clock.advance(by: .seconds(1))
        }
        isShort = false
        try loop.wait(for: "the channel") { !peers.isEmpty }
        #expect(calls == 4 && peers.first == peer)
        serverSocket.close()
    }
}
