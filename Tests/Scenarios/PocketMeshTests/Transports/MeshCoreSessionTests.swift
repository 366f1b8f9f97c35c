import Foundation
import TestSupport
import Testing

@testable import PocketMesh

@Suite("A session over a transport", .timeLimit(.minutes(15)))
struct MeshCoreSessionTests {
    @Test(
        "The start packet is 01, 03, six spaces, and at most five complete characters of the name",
        arguments: [
            ("MCore", "MCore"), ("MCore2", "MCore"), ("Me", "Me"), ("", ""),
            ("Müßiggänger", "Müßig"), ("abcd\u{65}\u{301}fg", "abcd\u{65}\u{301}"),
            ("👍🏽🇩🇪👨‍👩‍👧‍👦🙂☎️x", "👍🏽🇩🇪👨‍👩‍👧‍👦🙂☎️"),
        ]
    )
    func startPacket(name: String, sent: String) async throws {
        let mock = MockTransport()
        let session = MeshCoreSession(transport: mock, clientIdentifier: name)
        try await session.start()
        let packet = Data([0x01, 0x03, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20] + Array(sent.utf8))
        #expect(await mock.sentData == [packet])
    }

    @Test("The default name is MCore, byte for byte")
    func ownName() async throws {
        let mock = MockTransport()
        try await MeshCoreSession(transport: mock).start()
        #expect(
            await mock.sentData.map(Array.init)
                == [[0x01, 0x03, 32, 32, 32, 32, 32, 32, 0x4D, 0x43, 0x6F, 0x72, 0x65]]
        )
    }

    @Test("A start connects and returns without a reply, and packets are delivered in order")
    func packets() async throws {
        let mock = MockTransport()
        let session = MeshCoreSession(transport: mock)
        try await session.start()
        #expect(await mock.isConnected)
        await mock.simulateOK(value: 42)
        for byte in UInt8(1)...100 { await mock.simulateReceive(Data([byte])) }
        await mock.disconnect()
        let expected: [[UInt8]] = [[0, 42, 0, 0, 0]] + (UInt8(1)...100).map { [$0] }
        #expect(await session.packets.all() == expected)
    }

    @Test("Data received before the start is delivered as a packet, too")
    func earlier() async throws {
        let mock = MockTransport()
        try await mock.connect()
        await mock.simulateReceive(Data([7]))
        let session = MeshCoreSession(transport: mock)
        try await session.start()
        await mock.disconnect()
        #expect(await session.packets.all() == [[7]])
    }

    @Test("A second start has no effect")
    func startsOnce() async throws {
        let mock = MockTransport()
        let session = MeshCoreSession(transport: mock)
        try await session.start()
        try await session.start()
        #expect(await mock.sentData.count == 1)
    }

    @Test("A stop disconnects and ends the packets, and can be repeated")
    func stops() async throws {
        let mock = MockTransport()
        let session = MeshCoreSession(transport: mock)
        try await session.start()
        await session.stop()
        await session.stop()
        #expect(await !mock.isConnected)
        await mock.simulateReceive(Data([1]))
        #expect(await session.packets.all().isEmpty)
    }

    @Test("A stopped session cannot start again, and throws", .bug(id: 17))
    func isOver() async throws {
        let mock = MockTransport()
        let session = MeshCoreSession(transport: mock)
        try await session.start()
        await session.stop()
        await #expect(throws: BLEError.notConnected) { try await session.start() }
        let unstarted = MeshCoreSession(transport: mock)
        await unstarted.stop()
        await #expect(throws: BLEError.notConnected) { try await unstarted.start() }
        #expect(await !mock.isConnected)
        #expect(await mock.sentData.count == 1)
    }

    @Test("A failed start throws the error of the transport, and disconnects what it has connected")
    func fails() async throws {
        for (failing, calls) in [
            ("connect", ["connect"]), ("send", ["connect", "send", "disconnect"]),
        ] {
            let transport = FaultyTransport(failing: failing)
            let session = MeshCoreSession(transport: transport)
            await #expect(throws: FaultyTransport.Refusal(what: failing)) {
                try await session.start()
            }
            #expect(await transport.calls == calls)
            #expect(await session.packets.all().isEmpty)
            await #expect(throws: BLEError.notConnected) { try await session.start() }
            #expect(await transport.calls == calls)
        }
    }

    @Test("A failed start leaves a transport that was already connected")
    func leavesConnected() async throws {
        let transport = FaultyTransport(failing: "send", isConnected: true)
        let session = MeshCoreSession(transport: transport)
        await #expect(throws: FaultyTransport.Refusal.self) { try await session.start() }
        #expect(await transport.isConnected)
    }

    @Test("A stop during a start cancels it, and nothing is sent", .bug(id: 17))
    func stopsWhileStarting() async throws {
        let transport = FaultyTransport(isHeld: true)
        let session = MeshCoreSession(transport: transport)
        let start = Task { try await session.start() }
        try await wait { await transport.isConnecting }
        await session.stop()
        await transport.letConnect()
        await #expect(throws: BLEError.notConnected) { try await start.value }
        #expect(await transport.calls == ["connect", "disconnect", "disconnect"])
        #expect(await session.packets.all().isEmpty)
    }

    @Test("At most 512 packets wait for the reader, and later ones are dropped and counted")
    func lost() async throws {
        let mock = MockTransport()
        let session = MeshCoreSession(transport: mock)
        try await session.start()
        #expect(await session.droppedPacketCount == 0)
        for number in 0..<600 {
            await mock.simulateReceive(Data([UInt8(number / 256), UInt8(number % 256)]))
        }
        try await wait { await session.droppedPacketCount == 88 }
        await mock.disconnect()
        let numbers = await session.packets.all().map { Int($0[0]) * 256 + Int($0[1]) }
        #expect(numbers == Array(0..<512))
    }

    @Test("The packets end with the release of the session")
    func released() async throws {
        let mock = MockTransport()
        var session: MeshCoreSession? = MeshCoreSession(transport: mock)
        try await session?.start()
        let packets = try #require(session?.packets)
        session = nil
        #expect(await packets.all().isEmpty)
    }
}
