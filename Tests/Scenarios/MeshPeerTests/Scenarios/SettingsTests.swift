import BluejaySimulator
import Foundation
import MeshPeer
import Testing

private let address = "C0:00:00:00:00:01"

@Suite("Settings outside their limits", .timeLimit(.minutes(15)))
struct SettingsTests {
    private static let extremes: [Duration] = [
        .seconds(Int64.max), .seconds(Int64.min), .zero, .nanoseconds(1), .milliseconds(1),
        .seconds(-1),
    ]

    @Test(
        "A central with any times and limits keeps running at a bounded rate",
        arguments: extremes
    )
    func central(time: Duration) async throws {
        try await MeshStage.play(adapters: 1) { stage in
            var settings = BLECentralManager.Settings()
            settings.scanWindow = time
            settings.scanPause = time
            settings.peerCacheWindow = time
            settings.connectionTimeout = time
            settings.writeTimeout = time
            settings.maximumPeers = time > .zero ? .max : 1
            settings.maximumQueuedWrites = time > .zero ? .max : .min
            settings.backgroundPauseFactor = time > .zero ? .max : .min
            try stage.perform { world in
                world.add(simulatedNode(address))
                world.add(simulatedNode("C0:00:00:00:00:02", identity: .neverReplies))
            }
            let node = try Node(0, in: stage.world, settings)
            node.central.setBackgroundMode(true)
            node.central.startScanning()
            try await stage.wait(.seconds(60))
            #expect(node.count(\.isConnection) <= 20)
            #expect(node.events.all.count < 200)
            node.central.applyScanSettings(intervalMs: .max)
            node.central.applyScanSettings(intervalMs: 0)
            node.central.setBackgroundMode(false)
            try await stage.wait(.seconds(60))
            if settings.maximumPeers > 1 {
                #expect(node.central.connectedPeers == [deviceID(address)])
            }
            node.central.stopScanning()
        }
    }

    @Test("The identity rotates at most once in a second", arguments: extremes)
    func rotation(interval: Duration) async throws {
        try await MeshStage.play(adapters: 1) { stage in
            var settings = BLEPeripheralManager.Settings()
            settings.rotationInterval = interval
            settings.maximumQueuedNotifications = .min
            let node = try Node(0, in: stage.world, .init(), settings)
            let calls = Log<Int>()
            node.peripheral.setIdentityProvider {
                calls.append(1)
                return Data([7])
            }
            node.peripheral.startAdvertising()
            try await stage.wait(.seconds(10))
            #expect(calls.all.count <= 10)
            node.peripheral.applyAdvertiseSettings(intervalMs: 0, txPowerDbm: .min)
            node.peripheral.applyAdvertiseSettings(intervalMs: .max, txPowerDbm: .max)
        }
    }
}
