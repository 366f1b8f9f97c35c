import ArgumentParser
import BluejayDBus
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Foundation
import MeshPeer
import TestSupport

/// Connects and loses the peers of a mesh node over and over.
@main
struct MeshCyclesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mesh-cycles",
        abstract: "Check that a node leaks nothing when peers connect and disconnect.",
        discussion: """
            A node of MeshPeer and a simulated BlueZ in one process, in virtual time. In each cycle a \
            peripheral drops its link, a central subscribes and leaves, and both exchange values with \
            the node. Prints the descriptors, match rules and memory before and after. Exits with 0 if \
            they are the same.
            """
    )

    @Option(help: "The number of cycles.")
    var cycles = 1_000

    /// The cycles until the runtime, the bus and the containers reach their final size.
    private static let warmUp = 200

    func run() async throws {
        var options = SimulatorOptions()
        options.version = .v5_86
        options.adapters = 1
        let world = try await TestWorld.make(options)
        let lines = try await world.run { [cycles] in
            let stage = try CycleStage(world)
            try await stage.play(Self.warmUp)
            let before = try await stage.inventory()
            try await stage.play(cycles)
            let after = try await stage.inventory()
            return ["before: \(before)", "after \(cycles) cycles: \(after)"]
                + after.more(than: before).map { "FAULT: \($0)" }
        }
        for line in lines { print(line) }
        if lines.count > 2 { throw ExitCode.failure }
    }
}

/// A node, a peripheral and a central.
private final class CycleStage: @unchecked Swift.Sendable {
    private static let peripheral = "C0:00:00:00:00:01"
    private static let visitor = "C0:00:00:00:00:02"

    private let world: TestWorld
    private let node: PlatformBridge
    private let inbox = Inbox()
    private let control: BusConnection
    private let peer: UUID

    init(_ world: TestWorld) throws {
        self.world = world
        let service = MeshBLEConstants.serviceUUID.uuidString
        peer = try PeripheralIdentifier(
            address: Self.peripheral,
            isRandomAddress: true,
            name: nil
        ).uuid
        control = try BusConnection(.address(world.busAddress), on: world.mainLoop.context)
        try world.perform { world in
            let device = SimulatedDevice(address: Self.peripheral, advertising: [service])
            device.addService(
                service,
                [
                    ScriptedCharacteristic(tx, ["write"], .value([])),
                    ScriptedCharacteristic(rx, ["notify"], .value([])),
                    ScriptedCharacteristic(id, ["read"], .value([1])),
                ]
            )
            world.add(device)
            world.add(SimulatedCentral(address: Self.visitor))
        }
        node = PlatformBridge(
            repository: inbox,
            centralSettings: .init(),
            peripheralSettings: .init(),
            host: BluetoothHost(mainLoop: world.mainLoop, busAddress: world.busAddress)
        )
        node.central.applyScanSettings(intervalMs: 0)
        node.central.startScanning()
        node.peripheral.startAdvertising()
    }

    func play(_ count: Int) async throws {
        for _ in 0..<count { try await playOnce() }
    }

    private func playOnce() async throws {
        let inboxCount = inbox.count
        try await wait { !self.node.central.connectedPeers.isEmpty }
        node.central.sendData(to: peer, data: Data([1]))
        try world.perform { world in
            world.device(Self.peripheral)?.send([2], on: rx)
            world.central(Self.visitor)?.play([.connect, .subscribe(rx), .write(tx, [3])]) { _ in }
        }
        try await wait { !self.node.peripheral.subscribedCentrals.isEmpty }
        let central = node.peripheral.subscribedCentrals[0]
        node.peripheral.sendNotification(to: central, data: Data([4]))
        try await wait { self.inbox.count == inboxCount + 2 }
        // A link that is lost sooner counts as a failed attempt, and delays the next one.
        try await world.clock.sleep(for: .seconds(6))
        try world.perform { world in
            world.device(Self.peripheral)?.dropLink()
            world.central(Self.visitor)?.play([.disconnect]) { _ in }
        }
        try await wait {
            self.node.central.connectedPeers.isEmpty
                && self.node.peripheral.subscribedCentrals.isEmpty
        }
    }

    private func wait(until isSo: () -> Bool) async throws {
        for _ in 0..<6_000 {
            if isSo() { return }
            try await world.clock.sleep(for: .milliseconds(50))
        }
        throw CycleError.timedOut
    }

    func inventory() async throws -> ResourceCount {
        let call = MethodCall(
            to: "org.freedesktop.DBus",
            at: "/org/freedesktop/DBus",
            "org.freedesktop.DBus.Debug.Stats",
            "GetStats",
            []
        )
        let rules: Int = await withCheckedContinuation { continuation in
            world.mainLoop.post { [self] in
                control.call(call, timeout: .seconds(30)) { result in
                    let stats = (try? result.get().first?.namedValues) ?? [:]
                    continuation.resume(returning: stats["MatchRules"]?.integer ?? -1)
                }
            }
        }
        guard rules >= 0 else { throw CycleError.noStatistics }
        return ResourceCount(rules: rules)
    }
}

private enum CycleError: Error {
    case timedOut, noStatistics
}

private let tx = MeshBLEConstants.txCharUUID.uuidString
private let rx = MeshBLEConstants.rxCharUUID.uuidString
private let id = MeshBLEConstants.idCharUUID.uuidString

/// Counts the values that it receives, on the loop of the world.
private final class Inbox: MeshRepository, @unchecked Swift.Sendable {
    private let stored = LockedValue(0)

    var count: Int { stored.value }

    func onBleDataReceived(peerId: String, data: Data) { stored.value += 1 }
    func sendBlePacket(peerId: String, data: Data) {}
}
