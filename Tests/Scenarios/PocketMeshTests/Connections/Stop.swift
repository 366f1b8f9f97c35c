import BluejaySimulator
import Foundation
import TestSupport
import Testing

@testable import PocketMesh

/// A phase in which a connection stays until the test acts.
enum Stop: String, CaseIterable, CustomTestStringConvertible {
    case waitingForBluetooth, connecting, discoveringServices, subscribingToNotifications
    case connected, autoReconnecting, restoringState, disconnecting

    var testDescription: String { rawValue }

    var hasCaller: Bool {
        switch self {
        case .waitingForBluetooth, .connecting, .discoveringServices, .subscribingToNotifications:
            true
        case .connected, .autoReconnecting, .restoringState, .disconnecting: false
        }
    }

    var isOff: Bool { self == .waitingForBluetooth || self == .restoringState }
}

extension RadioStage {
    /// Brings a connection to a phase; returns the call to `connect` that waits there, if any.
    @discardableResult
    func bring(to stop: Stop) async throws -> Task<AsyncStream<Data>, any Error>? {
        switch stop {
        case .waitingForBluetooth:
            await radio.activate()
            try await journal.wait(for: "on")
            await setPowered(false)
            try await TestSupport.wait { await self.radio.bluetoothState == .poweredOff }
        case .connecting:
            try await see()
            await on { $0.leaveRange() }
        case .discoveringServices: await on { $0.answersDiscovery = false }
        case .subscribingToNotifications: await on { $0.hold(.subscription, of: rx) }
        case .connected, .autoReconnecting, .disconnecting:
            _ = try await radio.connect(to: Self.device)
            if stop == .autoReconnecting { await on { $0.leaveRange() } }
            if stop == .disconnecting {
                await system.perform { $0.apply(.callsHeld("Disconnect")) }
                Task { [radio] in await radio.disconnect() }
            }
        case .restoringState:
            await setPowered(false)
            try remember(Self.device)
            await radio.activate()
        }
        var call: Task<AsyncStream<Data>, any Error>?
        if stop.hasCaller {
            call = Task { [radio] in try await radio.connect(to: Self.device) }
        }
        try await wait(for: stop.rawValue)
        if stop == .autoReconnecting { try await journal.wait(for: "lost") }
        return call
    }

    /// Reverts what `bring(to:)` did to the world.
    func letGo(of stop: Stop) async {
        switch stop {
        case .waitingForBluetooth, .restoringState: await setPowered(true)
        case .connecting, .autoReconnecting: await on { $0.returnToRange() }
        case .discoveringServices: await on { $0.answersDiscovery = true }
        case .subscribingToNotifications: await on { $0.release(.subscription, of: rx) }
        case .connected: break
        case .disconnecting: await system.perform { $0.apply(.callsReleased("Disconnect")) }
        }
    }

    func remember(_ device: UUID) throws {
        try FileManager.default.createDirectory(
            at: stateDirectory,
            withIntermediateDirectories: true
        )
        var kept = SavedRadio(identifier: "radio")
        kept.device = device
        try JSONEncoder().encode(kept).write(to: stateDirectory.appending(path: "radio.json"))
    }

    func remembered() throws -> UUID? {
        let data = try Data(contentsOf: stateDirectory.appending(path: "radio.json"))
        return try JSONDecoder().decode(SavedRadio.self, from: data).device
    }
}
