import BluejaySimulator
import Foundation
import PocketMesh
import TestSupport
import Testing

/// Tests `RadioLink` and its `PeripheralLink`.
@Suite("A connection to a radio", .timeLimit(.minutes(15)))
struct ConnectionTests {
    @Test("A connect passes through the phases in order, and values are exchanged")
    func connects() async throws {
        try await RadioStage.play { stage in
            let stream = try await stage.radio.connect(to: RadioStage.device)
            #expect(await stage.radio.isConnected)
            #expect(await stage.radio.connectedDeviceID == RadioStage.device)
            try await stage.journal.wait(for: "connected")
            #expect(
                stage.journal.lines.filter { !$0.hasPrefix("state") } == [
                    "waitingForBluetooth", "on", "connecting", "discoveringServices",
                    "discoveringCharacteristics", "subscribingToNotifications",
                    "discoveryComplete", "connected",
                ]
            )
            try await stage.radio.send(Data([1, 2]))
            try await stage.radio.send(Data([3]))
            #expect(await stage.written() == [[1, 2], [3]])
            for value in [[4], [], [5, 6]] as [[UInt8]] { await stage.send(value) }
            var values: [[UInt8]] = []
            for await value in stream {
                values.append(Array(value))
                if values.count == 2 { break }
            }
            #expect(values == [[4], [5, 6]])
            await stage.radio.disconnect()
            #expect(await stage.radio.currentPhase == .idle)
            #expect(await !stage.isLinked())
            try await stage.journal.wait(for: "idle")
            #expect(stage.journal.lines.suffix(2) == ["disconnecting", "idle"])
        }
    }

    @Test("A lost radio returns with a new stream, and no disconnect is reported")
    func comesBack() async throws {
        try await RadioStage.play { stage in
            let first = try await stage.radio.connect(to: RadioStage.device)
            await stage.on { $0.dropLink() }
            for await _ in first {}
            try await stage.journal.wait(for: "back")
            try await stage.wait(for: "connected")
            await stage.send([7])
            try await stage.journal.wait(for: "value [7]")
            #expect(stage.journal.count("lost") == 1)
            #expect(stage.journal.count("gone") == 0)
            #expect(
                stage.journal.lines.filter { $0 != "value [7]" }.suffix(8) == [
                    "autoReconnecting", "lost", "discoveringServices",
                    "discoveringCharacteristics", "subscribingToNotifications",
                    "discoveryComplete", "back", "connected",
                ]
            )
        }
    }
}
