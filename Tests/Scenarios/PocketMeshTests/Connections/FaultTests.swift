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
        try await Field.play(holds: loss.stop == .subscribingToNotifications) { field in
            let call = try await field.bring(to: loss.stop)
            try await field.takeAway(loss.way)
            if let call {
                let error = await failure { _ = try await call.value }
                #expect(error is BLEError)
            }
            try await field.wait(for: "idle")
            let wasConnected = loss.stop == .connected || loss.stop == .autoReconnecting
            #expect(field.journal.count("gone") == (wasConnected ? 1 : 0))
            #expect(field.journal.count("lost") == (loss.stop == .autoReconnecting ? 1 : 0))
            await field.letGo(of: loss.stop)
            // A lost link alone ends the call, and may be reported before the state.
            try await wait { await field.radio.bluetoothState != .poweredOn }
            try await field.giveBack(loss.way)
            try await wait { await field.radio.bluetoothState == .poweredOn }
            if wasConnected {
                try await field.wait(for: "connected")
                try await field.journal.wait(for: "back")
                #expect(field.journal.count("gone") == 1)
                // The state change is reported before the machine reacts to it.
                let lines = field.journal.lines
                let on = try #require(lines.lastIndex(of: "on"))
                #expect(lines[on...].prefix(2) == ["on", "autoReconnecting"])
            } else {
                #expect(await field.radio.currentPhase == .idle)
                _ = try await field.radio.connect(to: Field.device)
            }
            try await field.radio.send(Data([1]))
            #expect(await field.written() == [[1]])
        }
    }

    @Test("A power cycle without a connection changes only the Bluetooth state")
    func idle() async throws {
        try await Field.play { field in
            await field.radio.activate()
            try await field.journal.wait(for: "on")
            await field.setPowered(false)
            try await wait { await field.radio.bluetoothState == .poweredOff }
            await field.setPowered(true)
            try await field.journal.wait(for: "on", count: 2)
            #expect(await field.radio.currentPhase == .idle)
            #expect(field.journal.lines.allSatisfy { $0 == "on" || $0.hasPrefix("state") })
        }
    }

    @Test("A disconnect while Bluetooth is off prevents the reconnection")
    func disconnectsOff() async throws {
        try await Field.play { field in
            _ = try await field.radio.connect(to: Field.device)
            await field.setPowered(false)
            try await field.wait(for: "idle")
            #expect(try field.remembered() == Field.device)
            await field.radio.disconnect()
            #expect(try field.remembered() == nil)
            await field.setPowered(true)
            try await field.journal.wait(for: "on", count: 2)
            #expect(await field.radio.currentPhase == .idle)
            _ = try await field.radio.connect(to: Field.device)
        }
    }

    @Test(
        "A connect while Bluetooth is off fails, and the radio still reconnects"
    )
    func connectsOff() async throws {
        try await Field.play { field in
            _ = try await field.radio.connect(to: Field.device)
            await field.setPowered(false)
            try await field.wait(for: "idle")
            let error = await failure { _ = try await field.radio.connect(to: Field.device) }
            #expect(error as? BLEError == .bluetoothPoweredOff)
            await field.setPowered(true)
            try await field.journal.wait(for: "back")
            try await field.wait(for: "connected")
        }
    }

    @Test("The radio reconnects after each of ten consecutive losses of Bluetooth")
    func again() async throws {
        try await Field.play { field in
            _ = try await field.radio.connect(to: Field.device)
            for round in 1...10 {
                let way = Absence.allCases[round % Absence.allCases.count]
                try await field.takeAway(way)
                try await field.journal.wait(for: "gone", count: round)
                try await field.giveBack(way)
                try await field.journal.wait(for: "back", count: round)
                try await field.wait(for: "connected")
            }
            #expect(field.journal.count("gone") == 10)
            #expect(field.journal.count("back") == 10)
            #expect(field.journal.count("lost") == 0)
        }
    }
}
