import BluejayGLib
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@testable import PocketMesh

@Suite("Restoration after the end of a program", .timeLimit(.minutes(15)))
struct RestorationTests {
    @Test("A program restarted after a kill adopts the link of bluetoothd, without another Connect")
    func killed() async throws {
        try await RadioStage.play { stage in
            let first = try await stage.run([])
            try await first.wait(for: "phase connected")
            #expect(await first.end(SIGKILL) != 0)
            #expect(await stage.isLinked())
            let second = try await stage.run(["--activate"])
            try await second.wait(for: "phase connected")
            await stage.send([7])
            try await second.wait(for: "value [7]")
            // Separate tasks print the debug lines, so their order is undefined.
            let lines = second.lines.filter { !$0.contains(" debug ") }
            #expect(
                lines.filter { $0.hasPrefix("phase") } == [
                    "phase idle", "phase restoringState", "phase autoReconnecting",
                    "phase discoveringServices", "phase discoveringCharacteristics",
                    "phase subscribingToNotifications", "phase discoveryComplete",
                    "phase connected",
                ]
            )
            #expect(lines.filter { !$0.hasPrefix("phase") } == ["lost", "back", "value [7]"])
            #expect(!second.lines.contains { $0.contains("is asked to connect") })
            _ = await second.end(SIGKILL)
        }
    }

    @Test(
        "A program killed while its radio is away reconnects in the next run when the radio returns"
    )
    func killedAway() async throws {
        try await RadioStage.play { stage in
            let first = try await stage.run([])
            try await first.wait(for: "phase connected")
            await stage.on { $0.leaveRange() }
            try await first.wait(for: "lost")
            _ = await first.end(SIGKILL)
            let second = try await stage.run(["--activate"])
            try await second.wait(for: "phase autoReconnecting")
            await stage.on { $0.returnToRange() }
            try await second.wait(for: "phase connected")
            _ = await second.end(SIGKILL)
        }
    }

    @Test("Ctrl-C closes the link of a program on the main loop, and the next run reconnects")
    func interrupted() async throws {
        try await RadioStage.play { stage in
            let first = try await stage.run(["--main"])
            try await first.wait(for: "phase connected")
            #expect(await first.end(SIGINT) == 0)
            #expect(await !stage.isLinked())
            let second = try await stage.run(["--activate", "--main"])
            try await second.wait(for: "phase connected")
            #expect(await second.end(SIGTERM) == 0)
            #expect(await !stage.isLinked())
        }
    }

    @Test("A restored radio waits for Bluetooth, and is connected when it is on")
    func off() async throws {
        try await RadioStage.play { stage in
            try await stage.bring(to: .restoringState)
            await stage.setPowered(true)
            try await stage.journal.wait(for: "back")
            try await stage.wait(for: "connected")
            #expect(stage.journal.count("lost") == 1)
            #expect(stage.journal.count("gone") == 0)
        }
    }

    @Test(
        "A connect to the radio that is being restored returns its stream, without a report"
    )
    func connects() async throws {
        try await RadioStage.play { stage in
            try await stage.bring(to: .restoringState)
            let call = Task { try await stage.radio.connect(to: RadioStage.device) }
            try await wait { await stage.radio.callers.count == 1 }
            await stage.setPowered(true)
            _ = try await call.value
            #expect(stage.journal.count("back") == 0)
        }
    }

    @Test("A connect fails while Bluetooth is off, and the restored radio still waits")
    func connectsOff() async throws {
        try await RadioStage.play { stage in
            try await stage.bring(to: .restoringState)
            let error = await failure { _ = try await stage.radio.connect(to: RadioStage.device) }
            #expect(error as? BLEError == .bluetoothPoweredOff)
            #expect(await stage.radio.currentPhase == .restoringState(RadioStage.device))
            await stage.setPowered(true)
            try await stage.journal.wait(for: "back")
        }
    }

    @Test("A missing, foreign or damaged file restores nothing")
    func nothing() async throws {
        for content in [nil, "{", "[]", #"{"version":9,"identifier":"radio"}"#] as [String?] {
            try await RadioStage.play { stage in
                if let content {
                    try stage.remember(RadioStage.device)
                    try Data(content.utf8)
                        .write(to: stage.stateDirectory.appending(path: "radio.json"))
                }
                await stage.radio.activate()
                await stage.radio.activate()
                try await stage.journal.wait(for: "on")
                #expect(await stage.radio.currentPhase == .idle)
            }
        }
    }

    @Test("A disconnect or a connection to another radio replaces the saved state")
    func forgets() async throws {
        try await RadioStage.play { stage in
            try stage.remember(RadioStage.id(of: "C0:00:00:00:00:09"))
            _ = try await stage.radio.connect(to: RadioStage.device)
            #expect(try stage.remembered() == RadioStage.device)
            await stage.radio.disconnect()
            #expect(try stage.remembered() == nil)
        }
    }
}

extension RadioStage {
    /// Runs the program on this stage's bus; a second run finds the state of the first.
    func run(_ options: [String]) async throws -> RunningProgram {
        try await RunningProgram(
            "radio-program",
            [Self.device.uuidString] + options,
            environment: [
                "DBUS_SYSTEM_BUS_ADDRESS": system.busAddress,
                "XDG_STATE_HOME": stateDirectory.path, "BLUEJAY_LOG": "debug",
            ]
        )
    }
}
