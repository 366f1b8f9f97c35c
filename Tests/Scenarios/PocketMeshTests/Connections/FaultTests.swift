import BluejaySimulator
import Foundation
import TestSupport
import Testing

@testable import PocketMesh

/// A phase, and the way Bluetooth fails in it.
struct Loss: Sendable, CustomTestStringConvertible {
    let stop: Stop
    let way: Absence

    var testDescription: String { "\(stop), \(way)" }

    static let all = Stop.allCases.filter { !$0.isOff }.flatMap { stop in
        Absence.allCases.map { Loss(stop: stop, way: $0) }
    }
}

/// Tests `BluetoothAccess`.
@Suite("A connection that loses Bluetooth", .timeLimit(.minutes(10)))
struct FaultTests {
    @Test(
        "A loss of Bluetooth fails each call at once, and a connected radio returns with Bluetooth",
        arguments: Loss.all
    )
    func goes(loss: Loss) async throws {
        try await RadioStage.play(holds: loss.stop == .subscribingToNotifications) { stage in
            let call = try await stage.bring(to: loss.stop)
            try await stage.takeAway(loss.way)
            if let call {
                let error = await failure { _ = try await call.value }
                #expect(error is BLEError)
            }
            try await stage.wait(for: "idle")
            let wasConnected = loss.stop == .connected || loss.stop == .autoReconnecting
            #expect(stage.journal.count("gone") == (wasConnected ? 1 : 0))
            #expect(stage.journal.count("lost") == (loss.stop == .autoReconnecting ? 1 : 0))
            await stage.letGo(of: loss.stop)
            // A lost link alone ends the call, and may be reported before the state.
            try await wait { await stage.radio.bluetoothState != .poweredOn }
            try await stage.giveBack(loss.way)
            try await wait { await stage.radio.bluetoothState == .poweredOn }
            if wasConnected {
                try await stage.wait(for: "connected")
                try await stage.journal.wait(for: "back")
                #expect(stage.journal.count("gone") == 1)
                // The state change is reported before the machine reacts to it.
                let lines = stage.journal.lines
                let on = try #require(lines.lastIndex(of: "on"))
                #expect(lines[on...].prefix(2) == ["on", "autoReconnecting"])
            } else {
                #expect(await stage.radio.currentPhase == .idle)
                _ = try await stage.radio.connect(to: RadioStage.device)
            }
            try await stage.radio.send(Data([1]))
            #expect(await stage.written() == [[1]])
        }
    }

    @Test("A power cycle without a connection changes only the Bluetooth state")
    func idle() async throws {
        try await RadioStage.play { stage in
            await stage.radio.activate()
            try await stage.journal.wait(for: "on")
            await stage.setPowered(false)
            try await wait { await stage.radio.bluetoothState == .poweredOff }
            await stage.setPowered(true)
            try await stage.journal.wait(for: "on", count: 2)
            #expect(await stage.radio.currentPhase == .idle)
            #expect(stage.journal.lines.allSatisfy { $0 == "on" || $0.hasPrefix("state") })
        }
    }

    @Test("A disconnect while Bluetooth is off prevents the reconnection")
    func disconnectsOff() async throws {
        try await RadioStage.play { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.setPowered(false)
            try await stage.wait(for: "idle")
            #expect(try stage.remembered() == RadioStage.device)
            await stage.radio.disconnect()
            #expect(try stage.remembered() == nil)
            await stage.setPowered(true)
            try await stage.journal.wait(for: "on", count: 2)
            #expect(await stage.radio.currentPhase == .idle)
            _ = try await stage.radio.connect(to: RadioStage.device)
        }
    }

    @Test(
        "A connect while Bluetooth is off fails, and the radio still reconnects"
    )
    func connectsOff() async throws {
        try await RadioStage.play { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            await stage.setPowered(false)
            try await stage.wait(for: "idle")
            let error = await failure { _ = try await stage.radio.connect(to: RadioStage.device) }
            #expect(error as? BLEError == .bluetoothPoweredOff)
            await stage.setPowered(true)
            try await stage.journal.wait(for: "back")
            try await stage.wait(for: "connected")
        }
    }

    @Test("The radio reconnects after each of ten consecutive losses of Bluetooth")
    func again() async throws {
        try await RadioStage.play { stage in
            _ = try await stage.radio.connect(to: RadioStage.device)
            for round in 1...10 {
                let way = Absence.allCases[round % Absence.allCases.count]
                try await stage.takeAway(way)
                try await stage.journal.wait(for: "gone", count: round)
                try await stage.giveBack(way)
                try await stage.journal.wait(for: "back", count: round)
                try await stage.wait(for: "connected")
            }
            #expect(stage.journal.count("gone") == 10)
            #expect(stage.journal.count("back") == 10)
            #expect(stage.journal.count("lost") == 0)
        }
    }
}
