import BluejayCore
import BluejayGLib
import Foundation
import MeshPeer
import Staging
import Synchronization
import TestSupport
import Testing

final class StageInbox: MeshRepository, Sendable {
    private let stored = Mutex<[UUID: [[UInt8]]]>([:])

    func values(from peer: UUID) -> [[UInt8]] { stored.withLock { $0[peer] ?? [] } }

    func onBleDataReceived(peerId: String, data: Data) {
        guard let peer = UUID(uuidString: peerId) else { return }
        stored.withLock { $0[peer, default: []].append(Array(data)) }
    }

    func sendBlePacket(peerId: String, data: Data) {}
}

final class StageNode: Sendable {
    let inbox = StageInbox()
    let testbed: any Testbed
    let bridge: PlatformBridge
    private let stored = Mutex<[MeshPeerEvent]>([])

    var central: BLECentralManager { bridge.central }
    var peripheral: BLEPeripheralManager { bridge.peripheral }
    /// The events of both managers, without advertisements and confirmed writes.
    var events: [MeshPeerEvent] { stored.withLock { $0 } }

    init(_ context: ScenarioContext, adapter: String = "hci0", identity: [UInt8]) throws {
        testbed = context.testbed
        bridge = PlatformBridge(
            repository: inbox,
            centralSettings: .init(),
            peripheralSettings: .init(),
            host: BluetoothHost(
                mainLoop: MainLoop(threadName: "mesh \(adapter)"),
                adapter: adapter,
                busAddress: context.testbed.busAddress
            )
        )
        try peripheral.setIdentityData(Data(identity))
        // Scans without a pause, because scenarios take real time.
        central.applyScanSettings(intervalMs: 1000)
        for stream in [central.events(), peripheral.events()] {
            Task { [weak self] in
                for await event in stream { self?.note(event) }
            }
        }
    }

    private func note(_ event: MeshPeerEvent) {
        switch event {
        case .discovered, .written: break
        default: stored.withLock { $0.append(event) }
        }
    }

    func start() async throws {
        peripheral.startAdvertising()
        try await wait { self.peripheral.isAdvertising }
        central.startScanning()
    }

    /// Releases the links and the advertisement before the next scenario.
    func stop() async throws {
        central.stopScanning()
        peripheral.stopAdvertising()
        try await wait { !self.peripheral.isAdvertising && self.central.connectedPeers.isEmpty }
    }

    func count(_ event: MeshPeerEvent) -> Int { events.filter { $0 == event }.count }

    func wait(for event: MeshPeerEvent, count: Int = 1) async throws {
        try await wait { self.count(event) >= count }
    }

    func waitForPeers(_ peers: [UUID]) async throws {
        try await wait { Set(self.central.connectedPeers) == Set(peers) }
    }

    /// Sends values to a peer, waiting whenever its queue is full.
    func send(_ values: [[UInt8]], to peer: UUID) async throws {
        for value in values {
            try await wait {
                let result = self.bridge.sendBlePacket(
                    peerId: peer.uuidString,
                    data: Data(value)
                )
                if result != .queueFull { #expect(result == .queued) }
                return result != .queueFull
            }
        }
    }

    /// Waits until a peer has sent `values` after `skipped` earlier ones, and nothing else.
    func expect(_ values: [[UInt8]], from peer: UUID, after skipped: Int = 0) async throws {
        try await wait { self.inbox.values(from: peer).count >= skipped + values.count }
        #expect(Array(inbox.values(from: peer).dropFirst(skipped)) == values)
    }

    private func wait(until isSo: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(300)
        try await TestSupport.wait {
            if try await isSo() { return true }
            guard ContinuousClock.now < end else {
                throw TestbedError("five minutes passed; the peers are \(central.connectedPeers)")
            }
            return false
        }
    }
}

extension ScenarioContext {
    /// Plays with a node under test and stops it afterwards.
    func play(
        _ identity: [UInt8] = [0xA0],
        adapter: String = "hci0",
        _ body: (StageNode) async throws -> Void
    ) async throws {
        let node = try StageNode(self, adapter: adapter, identity: identity)
        do {
            try await body(node)
        } catch {
            print("events: \(node.events)")
            try? await node.stop()
            throw error
        }
        try await node.stop()
    }
}

extension ScenarioContext {
    /// Runs `mesh-program` on hci0, with its state in a folder.
    func meshProgram(_ options: [String], _ folder: URL) async throws -> RunningProgram {
        try await RunningProgram(
            "mesh-program",
            ["hci0"] + options,
            environment: [
                "DBUS_SYSTEM_BUS_ADDRESS": testbed.busAddress, "XDG_STATE_HOME": folder.path,
            ]
        )
    }
}

extension BumbleMeshNode {
    var uuid: UUID { stageID(address, isRandom: true) }
}

func stageID(_ address: String, isRandom: Bool) -> UUID {
    let identifier = try? PeripheralIdentifier(
        address: address,
        isRandomAddress: isRandom,
        name: nil
    )
    return identifier?.uuid ?? UUID()
}

/// Values that differ in their first byte.
func numbered(_ count: Int, _ length: Int = 60, _ filler: UInt8 = 7) -> [[UInt8]] {
    (0..<count).map { [UInt8($0)] + [UInt8](repeating: filler, count: length - 1) }
}
