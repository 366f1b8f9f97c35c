import BluejaySimulator
import Foundation
import MeshPeer
import Testing

private let address = "C0:00:00:00:00:01"
private let device = deviceID(address)

/// Tests `PeerLink`.
@Suite("Writing to peers", .timeLimit(.minutes(15)))
struct WritingTests {
    /// A node with one peer, played by a device.
    private static func play(
        _ change: (inout BLECentralManager.Settings) -> Void = { _ in },
        _ body: @escaping @Sendable (MeshStage, Node) async throws -> Void
    ) async throws {
        var settings = BLECentralManager.Settings()
        change(&settings)
        let fixed = settings
        try await MeshStage.play(adapters: 1) { stage in
            try stage.perform { $0.add(simulatedNode(address)) }
            let node = try Node(0, in: stage.world, fixed)
            node.central.startScanning()
            try await stage.wait(for: "peer") { node.central.connectedPeers == [device] }
            try await body(stage, node)
        }
    }

    @Test("Writes are sent one at a time, in order, with response, and each is reported")
    func order() async throws {
        try await Self.play { stage, node in
            try stage.perform { $0.device(address)?.hold(.write, of: txUUID) }
            for value: UInt8 in 0..<65 {
                let data = Data(repeating: value, count: Int(value))
                #expect(node.central.sendData(to: device, data: data) == .queued)
            }
            #expect(node.central.sendData(to: device, data: Data([99])) == .queueFull)
            try await stage.wait(.seconds(1))
            let held = try stage.perform { $0.device(address)?.heldCount(.write, of: txUUID) }
            #expect(held == 1)
            try stage.perform { $0.device(address)?.release(.write, of: txUUID) }
            let expected = (0..<65).map { MeshPeerEvent.written(device, count: $0) }
            try await stage.wait(for: "reports") { node.events.all.suffix(65) == expected }
            let written = try stage.perform { $0.device(address)?.writes.map(\.value) }
            #expect(written == (0..<65).map { [UInt8](repeating: UInt8($0), count: $0) })
        }
    }

    @Test("512 bytes are the limit, and an unknown peer is refused")
    func limits() async throws {
        try await Self.play { stage, node in
            let central = node.central
            #expect(central.sendData(to: device, data: Data(count: 512)) == .queued)
            #expect(central.sendData(to: device, data: Data(count: 513)) == .tooLong(limit: 512))
            #expect(central.sendData(to: UUID(), data: Data()) == .unknownPeer)
            try await stage.wait(for: "report") {
                node.events.all.contains(.written(device, count: 512))
            }
        }
    }

    @Test("A refused write is reported, and the next one follows")
    func refusal() async throws {
        try await Self.play { stage, node in
            try stage.perform {
                $0.device(address)?.setBehavior(.accepts([[2]], otherwise: 0x80), of: txUUID)
            }
            for value: UInt8 in 1...3 { node.central.sendData(to: device, data: Data([value])) }
            try await stage.wait(for: "reports") {
                node.count(\.isWriteFailure) == 2 && node.events.all.contains { $0.isWritten }
            }
            #expect(node.central.connectedPeers == [device])
        }
    }

    @Test(
        "A write without a reply is reported after 5 s, and the link stays until bluetoothd ends it"
    )
    func timeOut() async throws {
        try await Self.play { stage, node in
            try stage.perform { $0.device(address)?.hold(.write, of: txUUID) }
            for value: UInt8 in 1...2 { node.central.sendData(to: device, data: Data([value])) }
            try await stage.wait(.milliseconds(4_900))
            #expect(node.count(\.isWriteFailure) == 0)
            try await stage.wait(.milliseconds(200))
            #expect(node.count(\.isWriteFailure) == 1)
            #expect(node.central.connectedPeers == [device])
            try stage.perform { $0.device(address)?.release(.write, of: txUUID) }
            try await stage.wait(for: "next write") { node.events.all.contains { $0.isWritten } }
        }
    }

    @Test("The end of a link reports each queued write, then the loss")
    func endOfLink() async throws {
        try await Self.play { stage, node in
            try stage.perform { $0.device(address)?.hold(.write, of: txUUID) }
            for value: UInt8 in 1...10 { node.central.sendData(to: device, data: Data([value])) }
            try await stage.wait(.seconds(1))
            try stage.perform { $0.device(address)?.dropLink() }
            try await stage.wait(for: "loss") { node.count(\.isLoss) == 1 }
            #expect(node.count(\.isWriteFailure) == 10)
            let end = node.events.all.suffix(11)
            #expect(end.last?.isLoss == true)
            try await stage.wait(for: "connection") { node.count(\.isConnection) == 2 }
            try stage.perform { $0.device(address)?.release(.write, of: txUUID) }
            #expect(node.central.sendData(to: device, data: Data([11])) == .queued)
            try await stage.wait(for: "write") { node.events.all.contains { $0.isWritten } }
        }
    }

    @Test("A slow peer does not slow down another one")
    func slowPeer() async throws {
        try await Self.play { stage, node in
            let fast = deviceID("C0:00:00:00:00:02")
            try stage.perform { world in
                world.add(simulatedNode("C0:00:00:00:00:02", identity: .value([2])))
                world.device(address)?.hold(.write, of: txUUID)
            }
            try await stage.wait(for: "fast peer") {
                node.central.connectedPeers.contains(fast)
            }
            node.central.sendData(to: device, data: Data([1]))
            for value: UInt8 in 0..<50 { node.central.sendData(to: fast, data: Data([value])) }
            try await stage.wait(.seconds(4))
            #expect(node.count { $0 == .written(fast, count: 1) } == 50)
        }
    }
}

extension MeshPeerEvent {
    var isWritten: Bool {
        if case .written = self { true } else { false }
    }
    var isWriteFailure: Bool {
        if case .writeFailed = self { true } else { false }
    }
}
