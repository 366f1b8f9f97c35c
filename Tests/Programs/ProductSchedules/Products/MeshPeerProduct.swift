import BluejayCore
import BluejayGLib
import BluejayL2CAP
import BluejaySimulator
import BluejayTesting
import Foundation
import MeshPeer

/// Nodes of a mesh, and devices and centrals that send them anything.
// Used on the loop of the world only, which justifies `@unchecked`.
final class MeshPeerProduct: ScheduledProduct, @unchecked Swift.Sendable {
    enum Call: ProductCall {
        case startScanning, stopScanning, startAdvertising, stopAdvertising, release
        case scanCycle(UInt32), background(Bool), identity([UInt8])
        case send(Int), notify(Int), sendToEither(Int)
        case publishChannel, unpublishChannel, openChannel(Int), acceptChannel, cancel
        case sendOnChannel(Int), closeChannel
    }

    static let maximumUserCount = 2
    static let methods = [
        "Connect", "Disconnect", "ReadValue", "WriteValue", "StartNotify", "AcquireNotify",
        "StartDiscovery", "StopDiscovery", "RegisterApplication", "RegisterAdvertisement",
        "UnregisterAdvertisement", "GetManagedObjects",
    ]
    static let tx = MeshBLEConstants.txCharUUID.uuidString
    static let rx = MeshBLEConstants.rxCharUUID.uuidString
    private static let id = MeshBLEConstants.idCharUUID.uuidString
    private static let psm = MeshBLEConstants.psmCharUUID.uuidString
    private static let channelPSM: UInt16 = 0x80
    private static let vocabulary = StrangerVocabulary(
        served: [tx, rx, id, psm],
        centralCount: 2,
        owned: [tx, rx, id, psm],
        deviceCount: 2,
        psms: Array(channelPSM..<channelPSM + 3),
        values: [[0x80, 0], [1], [], Array(repeating: 7, count: 24)],
        numbered: tx,
        numberedOfDevice: rx
    )

    static func opening(users count: Int) -> [Step<Call>] {
        [Call.scanCycle(0), .startScanning, .startAdvertising].map {
            Step(pause: .zero, action: .call(user: 0, $0))
        } + [Step(pause: .seconds(4), action: .call(user: 0, .send(0)))]
    }

    static func call(_ dice: inout Dice) -> Call {
        let index = dice.below(3)
        return dice.pick([
            (3, .startScanning), (1, .stopScanning), (2, .startAdvertising),
            (1, .stopAdvertising), (1, .release),
            (1, .scanCycle(UInt32(dice.below(40_000)))), (1, .background(dice.happens(1, of: 2))),
            (1, .identity(dice.bytes(upTo: 30))), (9, .send(index)), (6, .notify(index)),
            (2, .sendToEither(index)), (2, .publishChannel), (1, .unpublishChannel),
            (3, .openChannel(index)), (1, .acceptChannel), (2, .cancel),
            (3, .sendOnChannel(dice.below(5_000))), (1, .closeChannel),
        ])
    }

    static func stranger(_ dice: inout Dice) -> StrangerAction { dice.stranger(vocabulary) }

    static func addDevices(to blueZ: SimulatedBlueZ) {
        for number in 0..<2 {
            let service = MeshBLEConstants.serviceUUID.uuidString
            let device = SimulatedDevice(
                address: Strangers.deviceAddress(number),
                advertising: [service]
            )
            device.addService(
                service,
                [
                    ScriptedCharacteristic(tx, ["write"], .value([])),
                    ScriptedCharacteristic(rx, ["notify"], .value([])),
                    ScriptedCharacteristic(id, ["read"], .value([1])),
                    ScriptedCharacteristic(psm, ["read"], .value([0x80, 0])),
                ]
            )
            device.serveChannels(on: channelPSM, .echo)
            blueZ.add(device)
        }
    }

    private let stage: Stage
    private var users: [NodeUser?]

    init(_ stage: Stage, users count: Int) {
        self.stage = stage
        users = Array(repeating: nil, count: count)
    }

    private func user(_ number: Int) -> NodeUser {
        if let user = users[number] { return user }
        let user = NodeUser(number, stage)
        users[number] = user
        return user
    }

    func perform(_ call: Call, by number: Int) {
        guard case .release = call else { return user(number).perform(call) }
        let user = users[number]
        users[number] = nil
        user?.end()
    }

    func endEndlessCalls() { for user in users { user?.cancel() } }

    func probe() async throws {
        for number in users.indices { users[number]?.stop() }
        await stage.pass(.seconds(5))
        try await user(0).probe()
    }

    func release() {
        let ended = users
        users = users.map { _ in nil }
        for user in ended { user?.end() }
    }
}

/// A node with its repository.
// Used on the loop of the world only, which justifies `@unchecked`.
private final class NodeUser: MeshRepository, @unchecked Swift.Sendable {
    private let number: Int
    private let stage: Stage
    private var bridge: PlatformBridge?
    private let values: ReportSequence
    private var tasks: [Task<Void, Never>] = []
    private var psms: [UInt16] = []
    private var channels: [L2CAPChannel] = []
    private var connected: Set<UUID> = []
    private var queuedCount = 0
    private var endedCount = 0

    init(_ number: Int, _ stage: Stage) {
        self.number = number
        self.stage = stage
        values = ReportSequence("a value of a peer", "node \(number)", in: stage.ledger)
        let bridge = PlatformBridge(
            repository: self,
            centralSettings: .init(),
            peripheralSettings: .init(),
            host: BluetoothHost(
                mainLoop: stage.world.mainLoop,
                adapter: "hci\(number)",
                busAddress: stage.world.busAddress
            ),
            isolation: nil
        )
        self.bridge = bridge
        stage.watch(bridge, "bridge")
        stage.watch(bridge.central, "central manager")
        stage.watch(bridge.peripheral, "peripheral manager")
        stage.watch(self, "repository")
        follow(bridge.central.events(), "the events of the central")
        follow(bridge.peripheral.events(), "the events of the peripheral")
    }

    /// Records the events, whose stream ends with the manager.
    private func follow(_ events: AsyncStream<MeshPeerEvent>, _ kind: String) {
        stage.start(kind, by: number, isEndless: true) { [weak self, stage] in
            for await event in events {
                stage.ledger.record("node: \(event)")
                self?.received(event)
            }
            return "ended"
        }
    }

    private func received(_ event: MeshPeerEvent) {
        switch event {
        case .connected(let peer, _):
            if !connected.insert(peer).inserted {
                stage.ledger.violate("a peer connects twice", "\(peer)")
            }
        case .lost(let peer, _):
            if connected.remove(peer) == nil {
                stage.ledger.violate("a peer is lost that is not connected", "\(peer)")
            }
        case .written, .writeFailed: endedCount += 1
        default: break
        }
    }

    func onBleDataReceived(peerId: String, data: Data) {
        if let number = Stage.number(data) { values.received(number, from: peerId) }
    }

    func sendBlePacket(peerId: String, data: Data) {}

    private func address(_ index: Int) -> UUID {
        let identifier = try? PeripheralIdentifier(
            address: Strangers.deviceAddress(index),
            isRandomAddress: true,
            name: nil
        )
        return identifier?.uuid ?? UUID()
    }

    func perform(_ call: MeshPeerProduct.Call) {
        guard let bridge else { return }
        stage.ledger.record("user \(number): \(call.text)")
        let data = Data(Stage.bytes(stage.nextNumber()))
        switch call {
        case .startScanning: bridge.central.startScanning()
        case .stopScanning: bridge.central.stopScanning()
        case .startAdvertising: bridge.peripheral.startAdvertising()
        case .stopAdvertising: bridge.peripheral.stopAdvertising()
        case .scanCycle(let cycle): bridge.central.applyScanSettings(intervalMs: cycle)
        case .background(let isBackground): bridge.central.setBackgroundMode(isBackground)
        case .identity(let bytes): try? bridge.peripheral.setIdentityData(Data(bytes))
        case .send(let index):
            guard index < bridge.central.connectedPeers.count else { return }
            let peer = bridge.central.connectedPeers[index]
            if bridge.central.sendData(to: peer, data: data) == .queued { queuedCount += 1 }
        case .notify(let index):
            guard index < bridge.peripheral.subscribedCentrals.count else { return }
            let central = bridge.peripheral.subscribedCentrals[index]
            bridge.peripheral.sendNotification(to: central, data: data)
        case .sendToEither(let index):
            let peers = bridge.peripheral.subscribedCentrals
            guard index < peers.count else { return }
            _ = bridge.peripheral.sendNotification(to: peers[index], data: data)
        case .publishChannel, .unpublishChannel, .openChannel, .acceptChannel, .sendOnChannel,
            .closeChannel:
            performOnChannels(call, bridge.l2cap)
        case .cancel: cancel()
        case .release: break
        }
    }

    private func performOnChannels(_ call: MeshPeerProduct.Call, _ manager: BLEL2CAPManager) {
        switch call {
        case .publishChannel:
            start("publishChannel") { user in
                let psm = try await manager.publishChannel()
                user.psms.append(psm)
                return "\(psm)"
            }
        case .unpublishChannel:
            guard let psm = psms.popLast() else { return }
            manager.unpublishChannel(psm: psm)
        case .openChannel(let index):
            let peer = address(index)
            start("openChannel") { user in
                let channel = try await manager.openChannel(to: peer)
                user.channels.append(channel)
                return "ok"
            }
        case .acceptChannel:
            start("incomingChannels") { user in
                for await channel in manager.incomingChannels {
                    user.channels.append(channel)
                    break
                }
                return "ok"
            }
        case .sendOnChannel(let length):
            guard let channel = channels.last else { return }
            start("sendData on a channel") { _ in
                try await manager.sendData(Data(repeating: 1, count: length), on: channel)
                return "ok"
            }
        case .closeChannel:
            guard let channel = channels.popLast() else { return }
            manager.closeChannel(channel)
        default: break
        }
    }

    private func start(
        _ kind: String,
        _ work: @escaping @Sendable (NodeUser) async throws -> String
    ) {
        tasks.append(stage.start(kind, by: number) { [self] in try await work(self) })
    }

    func cancel() {
        for task in tasks { task.cancel() }
        tasks = []
    }

    func stop() {
        bridge?.central.stopScanning()
        bridge?.peripheral.stopAdvertising()
        for channel in channels { bridge?.l2cap.closeChannel(channel) }
        channels = []
    }

    func end() {
        cancel()
        channels = []
        bridge = nil
    }

    /// Connects to a peer, writes to it, and notifies a central.
    func probe() async throws {
        guard let bridge else { return }
        bridge.central.applyScanSettings(intervalMs: 0)
        bridge.central.setBackgroundMode(false)
        bridge.central.startScanning()
        bridge.peripheral.startAdvertising()
        try await stage.wait(for: "both peers") { bridge.central.connectedPeers.count == 2 }
        if queuedCount != endedCount {
            stage.ledger.violate(
                "a queued write is not reported once",
                "\(queuedCount) queued, \(endedCount) reported"
            )
        }
        let device = try stage.blueZ.device(Strangers.deviceAddress(0))
        let written = device?.writeCount ?? 0
        bridge.central.sendData(to: address(0), data: Data([1]))
        try await stage.wait(for: "the write") { (device?.writeCount ?? 0) > written }
        let central = Strangers.centralAddress(0)
        try await stage.play(
            central,
            [
                .connectTo(adapter: 0, within: .seconds(30)), .subscribe(MeshPeerProduct.rx),
            ]
        ).check()
        try await stage.wait(for: "the subscriber") {
            !bridge.peripheral.subscribedCentrals.isEmpty
        }
        let subscriber = bridge.peripheral.subscribedCentrals[0]
        bridge.peripheral.sendNotification(to: subscriber, data: Data([1]))
        try await stage.play(central, [.expect(MeshPeerProduct.rx), .disconnect]).check()
    }
}
