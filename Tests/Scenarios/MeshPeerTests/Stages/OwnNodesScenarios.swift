import BluejayCore
import BluejayL2CAP
import Foundation
import MeshPeer
import Staging
import TestSupport
import TestTraits
import Testing

@Suite("Two nodes on two adapters", .timeLimit(.minutes(10)))
struct OwnNodesScenarios {
    private static let near = stageID("00:AA:01:00:00:00", isRandom: false)
    private static let far = stageID("00:AA:01:01:00:01", isRandom: false)

    @Test("Two nodes connect, and send 100 values and 1 MiB over a channel each way")
    func eachWay() async throws {
        try await play { near, far in
            let values = numbered(100)
            async let sending: Void = far.send(values, to: Self.near)
            try await near.send(values, to: Self.far)
            try await sending
            try await near.expect(values, from: Self.far)
            try await far.expect(values, from: Self.near)

            let psm = try await far.bridge.l2cap.publishChannel()
            let opened = try await near.bridge.l2cap.openChannel(to: Self.far)
            #expect(opened.psm == psm)
            var incoming = far.bridge.l2cap.incomingChannels.makeAsyncIterator()
            let accepted = try #require(await incoming.next())
            let data = Data(channelPattern(0, 1 << 20))
            async let up: Void = near.bridge.l2cap.sendData(data, on: opened)
            async let down: Void = far.bridge.l2cap.sendData(data, on: accepted)
            async let receivedDown = Self.receive(data.count, from: opened)
            #expect(await Self.receive(data.count, from: accepted) == data)
            #expect(await receivedDown == data)
            _ = try await (up, down)
            #expect(near.central.connectedPeers == [Self.far])
        }
    }

    @Test(
        "A peer and its subscriber return after a power cycle and after a killed bluetoothd",
        .fault(.bluetoothOff, .daemonKilled, during: .advertising),
        arguments: ["off", "killed"]
    )
    func bluetoothReturns(way: String) async throws {
        try await play(variant: way) { near, far in
            // An emulated controller has one link, so only one end may dial again.
            far.central.stopScanning()
            let testbed = near.testbed
            if way == "off" {
                try await testbed.setPowered(false)
            } else {
                try await testbed.endDaemon(politely: false)
            }
            try await near.waitForPeers([])
            try await far.wait(for: .unsubscribed(Self.near))
            if way == "off" {
                try await testbed.setPowered(true)
            } else {
                try await testbed.startDaemon()
            }
            try await near.waitForPeers([Self.far])
            try await far.wait(for: .subscribed(Self.near), count: 2)
            #expect(near.count(.lost(Self.far, nil)) == 1, "\(near.events)")
            try await near.send([[1]], to: Self.far)
            try await far.expect([[1]], from: Self.near)
            let result = far.peripheral.sendNotification(to: Self.near, data: Data([2]))
            #expect(result == .queued)
            try await near.expect([[2]], from: Self.far)
        }
    }

    @Test("The peer of a killed program is a peer of the next one, without a scan")
    func killed() async throws {
        try await withTestbed(isRecorded: false) { context in
            try await context.testbed.freeSecondAdapter()
            let folder = FileManager.default.temporaryDirectory
                .appending(path: "mesh-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            try await context.play([0xB0], adapter: "hci1") { far in
                far.peripheral.startAdvertising()
                let first = try await context.meshProgram(["--scan", "--background"], folder)
                try await first.wait(for: "connected \(Self.far)")
                try await far.wait(for: .subscribed(Self.near))
                _ = await first.end(SIGKILL)
                let second = try await context.meshProgram([], folder)
                try await second.wait(for: "connected \(Self.far) [176]")
                #expect(far.peripheral.sendNotification(to: Self.near, data: Data([7])) == .queued)
                try await second.wait(for: "value \(Self.far) [7]")
                try await far.expect([[7]], from: Self.near)
                #expect(!second.lines.contains { $0.hasPrefix("scanning") }, "\(second.lines)")
                _ = await second.end(SIGKILL)
            }
        }
    }

    /// Plays with two nodes that are each other's peers.
    private func play(
        _ function: String = #function,
        variant: String? = nil,
        _ body: (StageNode, StageNode) async throws -> Void
    ) async throws {
        try await withTestbed(function, variant: variant, isRecorded: false) { context in
            try await context.testbed.freeSecondAdapter()
            try await context.play([0xA0]) { near in
                try await context.play([0xB0], adapter: "hci1") { far in
                    // Only one end dials: an emulated controller has one link and reports no signal strength.
                    for node in [near, far] { node.central.setBackgroundMode(true) }
                    far.peripheral.startAdvertising()
                    try await far.wait(for: .advertising(true))
                    near.central.startScanning()
                    try await near.waitForPeers([Self.far])
                    // The other end discovers the first one on the same link.
                    near.peripheral.startAdvertising()
                    try await near.wait(for: .advertising(true))
                    far.central.startScanning()
                    try await far.waitForPeers([Self.near])
                    #expect(near.central.identity(of: Self.far) == Data([0xB0]))
                    #expect(far.central.identity(of: Self.near) == Data([0xA0]))
                    try await body(near, far)
                }
            }
        }
    }

    private static func receive(_ count: Int, from channel: L2CAPChannel) async -> Data {
        var all = Data()
        for await packet in channel.received {
            all += packet
            if all.count >= count { break }
        }
        return all
    }
}
