import BluejayCore
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Foundation
import MeshPeer
import Synchronization
import Testing

final class Inbox: MeshRepository, Swift.Sendable {
    private let stored = Mutex<[(peer: String, data: Data)]>([])

    var count: Int { stored.withLock { $0.count } }
    var peers: Set<String> { stored.withLock { Set($0.map(\.peer)) } }

    func values(from peer: UUID) -> [Data] {
        stored.withLock { $0.filter { $0.peer == peer.uuidString }.map(\.data) }
    }

    func onBleDataReceived(peerId: String, data: Data) {
        stored.withLock { $0.append((peerId, data)) }
    }

    func sendBlePacket(peerId: String, data: Data) {}
}

final class Log<Element: Swift.Sendable>: Swift.Sendable {
    private let stored = Mutex<[Element]>([])

    var all: [Element] { stored.withLock { $0 } }

    func append(_ element: Element) { stored.withLock { $0.append(element) } }
    func clear() { stored.withLock { $0 = [] } }
}

final class Node: Swift.Sendable {
    let inbox = Inbox()
    let bridge: PlatformBridge
    let number: Int
    /// The events of both managers, without `discovered`.
    let events = Log<MeshPeerEvent>()

    var central: BLECentralManager { bridge.central }
    var peripheral: BLEPeripheralManager { bridge.peripheral }

    init(
        _ number: Int,
        in world: TestWorld,
        _ centralSettings: BLECentralManager.Settings = .init(),
        _ peripheralSettings: BLEPeripheralManager.Settings = .init()
    ) throws {
        self.number = number
        bridge = PlatformBridge(
            repository: inbox,
            centralSettings: centralSettings,
            peripheralSettings: peripheralSettings,
            host: BluetoothHost(
                mainLoop: world.mainLoop,
                adapter: "hci\(number)",
                busAddress: world.busAddress
            )
        )
        try peripheral.setIdentityData(Data([UInt8(number)]))
        for stream in [central.events(), peripheral.events()] {
            collect(stream, in: world) { [events] event in
                if case .discovered = event { return }
                events.append(event)
            }
        }
    }

    func start() {
        peripheral.startAdvertising()
        central.startScanning()
    }

    func count(_ isWanted: (MeshPeerEvent) -> Bool) -> Int { events.all.filter(isWanted).count }
}

/// Calls `receive` with each event, in virtual time.
func collect(
    _ stream: AsyncStream<MeshPeerEvent>,
    in world: TestWorld,
    _ receive: @escaping @Sendable (MeshPeerEvent) -> Void
) {
    Task(executorPreference: ContextExecutor(world.mainLoop.context)) {
        for await event in stream { receive(event) }
    }
}

/// The UUID of the node on adapter `number` of the simulator.
func nodeID(_ number: Int) -> UUID {
    let octet = String(format: "%02X", number)
    let address = "00:AA:01:\(octet):00:\(octet)"
    return deviceID(address, isRandom: false)
}

func deviceID(_ address: String, isRandom: Bool = true) -> UUID {
    guard
        let identifier = try? PeripheralIdentifier(
            address: address,
            isRandomAddress: isRandom,
            name: nil
        )
    else { return UUID() }
    return identifier.uuid
}

struct MeshStageKind: Swift.Sendable, CustomTestStringConvertible {
    let kind: SimulatedBlueZVersion
    let controller: SimulatedController

    var testDescription: String { "\(kind), \(controller)" }

    static let all: [MeshStageKind] = [SimulatedBlueZVersion.v5_66, .v5_76, .v5_86].flatMap {
        kind in
        [SimulatedController.legacy, .extended].map { MeshStageKind(kind: kind, controller: $0) }
    }
    static let newest = MeshStageKind(kind: .v5_86, controller: .extended)
}

/// A simulated BlueZ with adapters for nodes, in virtual time.
struct MeshStage {
    let world: TestWorld

    static func play(
        _ kind: MeshStageKind = .newest,
        adapters: Int = 3,
        kernel: SimulatedKernel = .v6_1_176,
        _ body: @escaping @Sendable (MeshStage) async throws -> Void
    ) async throws {
        var options = SimulatorOptions()
        options.version = kind.kind
        options.controller = kind.controller
        options.adapters = adapters
        options.kernel = kernel
        let world = try await TestWorld.make(options)
        try await world.run { try await body(MeshStage(world: world)) }
    }

    var mainLoop: MainLoop { world.mainLoop }
    var busAddress: String { world.busAddress }

    func wait(_ time: Duration) async throws { try await world.clock.sleep(for: time) }

    func wait(
        for what: String,
        _ location: SourceLocation = #_sourceLocation,
        until isSo: () throws -> Bool
    ) async throws {
        for _ in 0..<6_000 {
            if try isSo() { return }
            try await wait(.milliseconds(50))
        }
        Issue.record("no \(what) within five minutes", sourceLocation: location)
    }

    /// Creates connected nodes; each node that discovers another becomes its central.
    func connectedNodes(_ count: Int, waitsForAll: Bool = true) async throws -> [Node] {
        let nodes = try (0..<count).map { try Node($0, in: world) }
        for node in nodes { node.start() }
        for node in nodes {
            try await wait(for: "peers of node \(node.number)") {
                node.central.connectedPeers.count == count - 1
            }
        }
        return nodes
    }

    @discardableResult
    func perform<R: Swift.Sendable>(
        _ work: @escaping @Sendable (SimulatedBlueZ) throws -> R
    ) throws -> R {
        try world.perform(work)
    }

    func setPowered(_ isPowered: Bool, _ adapter: Int) throws {
        try world.perform { $0.setPowered(isPowered, ofAdapter: adapter) {} }
    }
}

func simulatedNode(
    _ address: String,
    identity: ScriptedBehavior? = .value([9]),
    rx: ScriptedBehavior = .value([]),
    tx: ScriptedBehavior = .value([])
) -> SimulatedDevice {
    let service = MeshBLEConstants.serviceUUID.uuidString
    let device = SimulatedDevice(address: address, name: "Node", advertising: [service])
    var characteristics = [
        ScriptedCharacteristic(txUUID, ["write", "write-without-response"], tx),
        ScriptedCharacteristic(rxUUID, ["notify"], rx),
    ]
    if let identity {
        characteristics.append(ScriptedCharacteristic(idUUID, ["read"], identity))
    }
    device.addService(service, characteristics)
    return device
}

let txUUID = MeshBLEConstants.txCharUUID.uuidString
let rxUUID = MeshBLEConstants.rxCharUUID.uuidString
let idUUID = MeshBLEConstants.idCharUUID.uuidString
let psmUUID = MeshBLEConstants.psmCharUUID.uuidString

extension MeshStage {
    /// Plays steps as a central, which the first steps create.
    ///
    /// - Returns: The last value read.
    @discardableResult
    func play(_ steps: [CentralStep], as address: String, mtu: Int = 517) async throws -> [UInt8]? {
        let report = Log<CentralReport>()
        try perform { world in
            if world.central(address) == nil {
                let central = SimulatedCentral(address: address)
                central.mtu = mtu
                world.add(central)
            }
            world.central(address)?.play(steps) { report.append($0) }
        }
        try await wait(for: "end of the steps of \(address)") { !report.all.isEmpty }
        let end = report.all.first
        try end?.check()
        return end?.reads.last
    }
}
