import BluejayCore
import BluejayGLib
import BluejaySimulator
import Foundation
import Staging
import Synchronization
import TestSupport
import Testing

@testable import PocketMesh

let tx = NordicUART.txUUID.uuidString
let rx = NordicUART.rxUUID.uuidString

/// The callbacks and stream elements of a state machine, in order, as lines.
final class Journal: Sendable {
    private let stored = Mutex<[String]>([])

    var lines: [String] { stored.withLock { $0 } }

    func note(_ line: String) { stored.withLock { $0.append(line) } }

    func count(_ prefix: String) -> Int { lines.filter { $0.hasPrefix(prefix) }.count }

    func wait(for line: String, count: Int = 1) async throws {
        try await TestSupport.wait { self.count(line) >= count }
    }
}

final class RadioStage: Sendable {
    let system: SimulatedSystem
    let radio: BLEStateMachine
    /// `idle`, `connecting`, … for phases, `lost`, `back`, `gone` for handlers.
    let journal = Journal()
    let stateDirectory: URL
    private let options: SimulatorOptions

    static let address = "C0:00:00:00:00:01"
    static let device = id(of: address)

    static func id(of address: String) -> UUID {
        // Tests use well-formed addresses only.
        guard
            let identifier = try? PeripheralIdentifier(
                address: address,
                isRandomAddress: true,
                name: nil
            )
        else { fatalError("\(address) is not an address") }
        return identifier.uuid
    }

    private init(_ system: SimulatedSystem, _ settings: RadioSettings, _ options: SimulatorOptions)
    {
        self.system = system
        self.options = options
        var settings = settings
        stateDirectory = FileManager.default.temporaryDirectory
            .appendingPathComponent("pocketmesh-\(UUID().uuidString)")
        settings.stateDirectory = stateDirectory
        radio = Self.makeRadio(settings, system)
    }

    static func makeRadio(_ settings: RadioSettings, _ system: SimulatedSystem) -> BLEStateMachine {
        BLEStateMachine(
            settings,
            host: BluetoothHost(
                mainLoop: MainLoop(threadName: "pocket mesh"),
                busAddress: system.busAddress
            )
        )
    }

    /// Time limits long enough for a busy computer and short enough for a test.
    static var settings: RadioSettings {
        var settings = RadioSettings()
        settings.restoreIdentifier = "radio"
        settings.backoff = Backoff(
            initialDelay: .milliseconds(20),
            maximumDelay: .milliseconds(200)
        )
        return settings
    }

    /// Plays with one radio that bluetoothd has discovered.
    ///
    /// - Parameters:
    ///   - kind: The version of bluetoothd.
    ///   - change: Changes the settings and options.
    ///   - device: The radio.
    ///   - holds: Whether requests are held: bluetoothd ends the link 30 s after an unanswered one, and a busy
    ///     computer needs more for the next step than the 1.5 s that are left of them otherwise.
    ///   - body: The test.
    /// - Throws: The error of `body`, or that of the start of the simulated BlueZ.
    static func play(
        _ kind: SimulatedBlueZVersion = .v5_86,
        _ change: (inout RadioSettings, inout SimulatorOptions) -> Void = { _, _ in },
        _ device: SimulatedDevice? = nil,
        holds: Bool = false,
        _ body: (RadioStage) async throws -> Void
    ) async throws {
        var options = SimulatorOptions.accelerated(kind)
        var settings = Self.settings
        if holds { options.timeScale = 0.3 }
        change(&settings, &options)
        let device = UncheckedTransfer(device ?? simulatedRadio())
        try await onSimulatedBlueZ(options) { system in
            let stage = RadioStage(system, settings, options)
            await stage.begin(device)
            do {
                try await body(stage)
            } catch {
                await stage.end()
                throw error
            }
            await stage.end()
        }
    }

    private func begin(_ device: UncheckedTransfer<SimulatedDevice>) async {
        await system.perform { $0.add(device.value) }
        await radio.note(in: journal)
    }

    private func end() async {
        await radio.disconnect()
        await radio.shutdown()
        try? FileManager.default.removeItem(at: stateDirectory)
    }

    // MARK: World

    /// Lets bluetoothd discover the radio, which advertises.
    func see() async throws {
        let seen = Journal()
        await radio.setDeviceDiscoveredHandler { device, _ in seen.note(device.uuidString) }
        await radio.startScanning()
        try await seen.wait(for: Self.device.uuidString)
        await radio.stopScanning()
    }

    func on(_ work: @escaping @Sendable (SimulatedDevice) -> Void) async {
        await system.perform { $0.device(Self.address).map(work) }
    }

    func ask<R: Sendable>(_ question: @escaping @Sendable (SimulatedDevice) -> R) async -> R? {
        await system.read { $0.device(Self.address).map(question) } ?? nil
    }

    /// The number of requests that the radio has left unanswered.
    func heldCount(_ request: PeerRequest, of characteristic: String) async -> Int {
        await ask { $0.heldCount(request, of: characteristic) } ?? 0
    }

    func written() async -> [[UInt8]] { await ask { $0.writes.map(\.value) } ?? [] }

    func isLinked() async -> Bool { await ask { $0.isConnected } ?? false }

    func send(_ value: [UInt8]) async { await on { $0.send(value, on: rx) } }

    /// Switches the adapter and waits for the change.
    func setPowered(_ isOn: Bool) async {
        await withCheckedContinuation { continuation in
            Task { [system] in
                await system.perform { world in
                    world.setPowered(isOn, ofAdapter: 0) { continuation.resume() }
                }
            }
        }
    }

    func startDaemon() async throws { try await system.startDaemon(options) }

    /// Makes Bluetooth unavailable in the given way.
    func takeAway(_ way: Absence) async throws {
        switch way {
        case .off: await setPowered(false)
        case .blocked: await system.perform { $0.setBlocked(true) }
        case .killed: await system.killDaemon()
        case .unplugged: await system.perform { $0.apply(.adapterUnplugged(0)) }
        }
    }

    func giveBack(_ way: Absence) async throws {
        switch way {
        case .off: await setPowered(true)
        case .blocked: await system.perform { $0.setBlocked(false) }
        case .killed: try await startDaemon()
        case .unplugged: await system.perform { $0.apply(.adapterPlugged(0)) }
        }
    }

    func wait(for phase: String) async throws {
        try await TestSupport.wait { await self.radio.currentPhase.name == phase }
    }
}

extension BLEStateMachine {
    /// Records all callbacks in order.
    func note(in journal: Journal) {
        setDisconnectionHandler { _, error in
            journal.note("gone \((error as? BLEError).map(caseName) ?? "")")
        }
        setAutoReconnectingHandler { _ in journal.note("lost") }
        setReconnectionHandler { _, stream in
            journal.note("back")
            Task { for await value in stream { journal.note("value \(Array(value))") } }
        }
        setBluetoothStateChangeHandler { journal.note("state \("\($0)".prefix(12))") }
        setBluetoothPoweredOnHandler { journal.note("on") }
        observers.onPhase = { journal.note($0.name) }
    }
}

enum Absence: CaseIterable {
    case off, blocked, killed, unplugged
}

func simulatedRadio(
    address: String = RadioStage.address,
    name: String = "Radio",
    flags: (tx: [String], rx: [String]) = (["write", "write-without-response"], ["notify"])
) -> SimulatedDevice {
    let device = SimulatedDevice(
        address: address,
        name: name,
        advertising: [NordicUART.serviceUUID.uuidString]
    )
    device.addService(
        NordicUART.serviceUUID.uuidString,
        [
            ScriptedCharacteristic(tx, flags.tx, .value([])),
            ScriptedCharacteristic(rx, flags.rx, .value([])),
        ]
    )
    return device
}

/// The error of a call.
///
/// Not for use inside `#expect`: the 6.3 compiler may confuse that closure with another one of the same
/// function.
func failure(_ call: () async throws -> Void) async -> (any Error)? {
    do {
        try await call()
        return nil
    } catch {
        return error
    }
}

func caseName(_ error: BLEError) -> String {
    switch error {
    case .connectionTimeout: "connectionTimeout"
    case .operationTimeout: "operationTimeout"
    case .characteristicNotFound: "characteristicNotFound"
    case .pairingFailed: "pairingFailed"
    case .bluetoothUnavailable: "bluetoothUnavailable"
    case .bluetoothUnauthorized: "bluetoothUnauthorized"
    case .bluetoothPoweredOff: "bluetoothPoweredOff"
    case .deviceNotFound: "deviceNotFound"
    case .connectionFailed: "connectionFailed"
    case .notConnected: "notConnected"
    case .writeError: "writeError"
    case .pairingCancelled: "pairingCancelled"
    }
}
