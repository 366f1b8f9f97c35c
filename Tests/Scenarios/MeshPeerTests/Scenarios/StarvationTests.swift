import BluejaySimulator
import Foundation
import MeshPeer
import Testing

private let honest = "C8:00:00:00:00:00"

@Suite("Silent devices", .timeLimit(.minutes(15)))
struct StarvationTests {
    enum Silence {
        case services, identity
    }

    @Test(
        "Devices that accept a link and stay silent delay a node by less than two scan windows",
        arguments: [(5, .services), (20, .identity), (400, .identity)] as [(Int, Silence)]
    )
    func crowd(count: Int, silence: Silence) async throws {
        try await MeshStage.play(adapters: 1) { stage in
            try stage.addSilentDevices(count, before: true, silence)
            try stage.perform { $0.add(simulatedNode(honest)) }
            let node = try Node(0, in: stage.world)
            node.central.startScanning()
            try await stage.wait(.seconds(50))
            #expect(node.central.connectedPeers == [deviceID(honest)])
        }
    }

    @Test(
        "The place of a node in the order of the devices does not matter",
        arguments: [0, 20, 40]
    )
    func order(before: Int) async throws {
        try await MeshStage.play(adapters: 1) { stage in
            try stage.addSilentDevices(before, before: true, .identity)
            try stage.perform { $0.add(simulatedNode(honest)) }
            try stage.addSilentDevices(40 - before, before: false, .identity)
            let node = try Node(0, in: stage.world)
            node.central.startScanning()
            try await stage.wait(.seconds(50))
            #expect(node.central.connectedPeers == [deviceID(honest)])
        }
    }

    @Test("A node that arrives among 200 silent devices is a peer within two scan windows")
    func arrival() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            try stage.addSilentDevices(100, before: true, .identity)
            try stage.addSilentDevices(100, before: false, .identity)
            let node = try Node(0, in: stage.world)
            node.central.startScanning()
            try await stage.wait(.seconds(90))
            try stage.perform { $0.add(simulatedNode(honest)) }
            try await stage.wait(.seconds(80))
            #expect(node.central.connectedPeers == [deviceID(honest)])
        }
    }
}

extension MeshStage {
    fileprivate func addSilentDevices(
        _ count: Int,
        before: Bool,
        _ silence: StarvationTests.Silence
    ) throws {
        try perform { world in
            for number in 0..<count {
                let tail = String(format: "%02X:%02X", number / 256, number % 256)
                let address = "\(before ? "C0" : "CF"):00:00:00:\(tail)"
                let device = simulatedNode(address, identity: .neverReplies)
                if silence == .services { device.answersDiscovery = false }
                world.add(device)
            }
        }
    }
}
