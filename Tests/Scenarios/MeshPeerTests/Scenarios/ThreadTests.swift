import BluejayGLib
import BluejaySimulator
import Dispatch
import Foundation
import MeshPeer
import Testing

@Suite("Threads and loops", .timeLimit(.minutes(15)))
struct ThreadTests {
    @Test("Ten threads use one node at once, and each value arrives")
    func tenThreads() async throws {
        try await MeshStage.play(adapters: 2) { stage in
            let nodes = try await stage.connectedNodes(2)
            let node = nodes[0]
            try await withThrowingTaskGroup(of: Int.self) { group in
                for thread: UInt8 in 0..<10 {
                    group.addTask {
                        var sent = 0
                        for value: UInt8 in 0..<20 {
                            let data = Data([thread, value])
                            if node.central.sendData(to: nodeID(1), data: data) == .queued {
                                sent += 1
                            }
                            _ = node.central.connectedPeers
                            _ = node.central.discoveredPeers
                            _ = node.central.identity(of: nodeID(1))
                            _ = node.peripheral.subscribedCentrals
                            try node.peripheral.setIdentityData(Data([0]))
                            node.central.setBackgroundMode(value % 2 == 0)
                            node.peripheral.applyAdvertiseSettings(intervalMs: 100, txPowerDbm: 0)
                        }
                        return sent
                    }
                }
                let sent = try await group.reduce(0, +)
                try await stage.wait(for: "values") { nodes[1].inbox.count == sent }
            }
            let values = nodes[1].inbox.values(from: nodeID(0))
            for thread: UInt8 in 0..<10 {
                let own = values.filter { $0.first == thread }.compactMap(\.last)
                #expect(own == own.sorted())
            }
        }
    }

    @Test("While the loop is busy, a node returns the last published values")
    func busyLoop() async throws {
        try await MeshStage.play(adapters: 2) { stage in
            let nodes = try await stage.connectedNodes(2)
            try await stage.wait(for: "subscriber") {
                nodes[0].peripheral.subscribedCentrals == [nodeID(1)]
            }
            readOnOtherThread {
                let node = nodes[0]
                #expect(node.central.connectedPeers == [nodeID(1)])
                #expect(node.central.discoveredPeers == [nodeID(1)])
                #expect(node.central.identity(of: nodeID(1)) == Data([1]))
                #expect(node.central.droppedEventCount == 0)
                #expect(node.peripheral.subscribedCentrals == [nodeID(1)])
                #expect(node.peripheral.isAdvertising)
                #expect(node.bridge.meshRepository === node.inbox)
            }
        }
    }

    /// Makes the loop wait for another thread.
    private func readOnOtherThread(_ read: @escaping @Sendable () -> Void) {
        let isRead = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            read()
            isRead.signal()
        }
        #expect(isRead.wait(timeout: .now() + 1) == .success)
    }

    @Test("A released manager releases its peers and ends its streams")
    func release() async throws {
        try await MeshStage.play(adapters: 2) { stage in
            let other = try Node(1, in: stage.world)
            other.start()
            let ended = Log<Int>()
            do {
                let central = BLECentralManager(
                    host: BluetoothHost(
                        mainLoop: stage.mainLoop,
                        adapter: "hci0",
                        busAddress: stage.busAddress
                    )
                )
                let stream = central.events()
                Task(executorPreference: ContextExecutor(stage.mainLoop.context)) {
                    for await _ in stream {}
                    ended.append(1)
                }
                central.startScanning()
                try await stage.wait(for: "peer") { central.connectedPeers == [nodeID(1)] }
                try await stage.wait(for: "subscriber") {
                    other.peripheral.subscribedCentrals == [nodeID(0)]
                }
            }
            try await stage.wait(for: "end") {
                other.peripheral.subscribedCentrals.isEmpty && !ended.all.isEmpty
            }
        }
    }

    @Test("The repository is not retained, and can be replaced")
    func repository() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            let first = Inbox()
            let second = Inbox()
            let node = PlatformBridge(
                repository: first,
                centralSettings: .init(),
                peripheralSettings: .init(),
                host: BluetoothHost(
                    mainLoop: stage.mainLoop,
                    adapter: "hci0",
                    busAddress: stage.busAddress
                )
            )
            node.peripheral.startAdvertising()
            let address = "C0:00:00:00:00:01"
            try await stage.play([.connect, .write(txUUID, [1])], as: address)
            try await stage.wait(for: "value") { first.count == 1 }
            node.setMeshRepository(second)
            #expect(node.meshRepository === second)
            try await stage.play([.write(txUUID, [2])], as: address)
            try await stage.wait(for: "value") { second.count == 1 }
            node.setMeshRepository(nil)
            try await stage.play([.write(txUUID, [3])], as: address)
            #expect(first.count == 1 && second.count == 1)
            withExtendedLifetime(first) {}
        }
    }

    @Test("A repository that belongs to the main actor receives its values there")
    func mainActorRepository() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            let model = Model()
            await model.serve(stage.mainLoop, stage.busAddress)
            for value: UInt8 in 1...3 {
                let steps: [CentralStep] = [.connect, .write(txUUID, [value]), .disconnect]
                try await stage.play(steps, as: "C0:00:00:00:00:01")
            }
            try await stage.wait(for: "values") { model.isOnLoop.all.count == 3 }
            #expect(model.isOnLoop.all == [false, false, false])
            #expect(await model.values == [Data([1]), Data([2]), Data([3])])
        }
    }

    @Test("A reader that does not read loses the newest events, which are counted")
    func unreadEvents() async throws {
        try await MeshStage.play(adapters: 1) { stage in
            let node = try Node(0, in: stage.world)
            try await stage.wait(for: "Bluetooth") {
                node.events.all.contains(.stateChanged(.poweredOn))
            }
            let unread = node.central.events()
            node.central.applyScanSettings(intervalMs: 0)
            for _ in 0..<5_000 {
                node.central.startScanning()
                node.central.stopScanning()
            }
            #expect(node.central.droppedEventCount >= 10_000 - 4_096)
            withExtendedLifetime(unread) {}
        }
    }
}

/// A class of the main actor, as an app has one; its node runs on a loop with its own thread.
@MainActor
private final class Model {
    private(set) var values: [Data] = []
    nonisolated let isOnLoop = Log<Bool?>()
    private var loop: MainLoop?
    private var node: BLEPeripheralManager?

    func serve(_ loop: MainLoop, _ busAddress: String) {
        self.loop = loop
        let host = BluetoothHost(mainLoop: loop, adapter: "hci0", busAddress: busAddress)
        node = BLEPeripheralManager(repository: self, host: host)
        node?.startAdvertising()
    }
}

extension Model: @MainActor MeshRepository {
    func onBleDataReceived(peerId: String, data: Data) {
        isOnLoop.append(loop?.isCurrent)
        values.append(data)
    }

    func sendBlePacket(peerId: String, data: Data) {}
}
