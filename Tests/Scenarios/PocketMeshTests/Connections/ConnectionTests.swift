import BluejaySimulator
import Foundation
import PocketMesh
import TestSupport
import Testing

/// Tests `RadioLink`.
@Suite("A connection to a radio", .timeLimit(.minutes(15)))
struct ConnectionTests {
    @Test("A connect passes through the phases in order, and values are exchanged")
    func connects() async throws {
        try await Field.play { field in
            let stream = try await field.radio.connect(to: Field.device)
            #expect(await field.radio.isConnected)
            #expect(await field.radio.connectedDeviceID == Field.device)
            try await field.journal.wait(for: "connected")
            #expect(
                field.journal.lines.filter { !$0.hasPrefix("state") } == [
                    "waitingForBluetooth", "on", "connecting", "discoveringServices",
                    "discoveringCharacteristics", "subscribingToNotifications",
                    "discoveryComplete", "connected",
                ]
            )
            try await field.radio.send(Data([1, 2]))
            try await field.radio.send(Data([3]))
            #expect(await field.written() == [[1, 2], [3]])
            for value in [[4], [], [5, 6]] as [[UInt8]] { await field.send(value) }
            var values: [[UInt8]] = []
            for await value in stream {
                values.append(Array(value))
                if values.count == 2 { break }
            }
            #expect(values == [[4], [5, 6]])
            await field.radio.disconnect()
            #expect(await field.radio.currentPhase == .idle)
            #expect(await !field.isLinked())
            try await field.journal.wait(for: "idle")
            #expect(field.journal.lines.suffix(2) == ["disconnecting", "idle"])
        }
    }

    @Test("A lost radio returns with a new stream, and no disconnect is reported")
    func comesBack() async throws {
        try await Field.play { field in
            let first = try await field.radio.connect(to: Field.device)
            await field.on { $0.dropLink() }
            for await _ in first {}
            try await field.journal.wait(for: "back")
            try await field.wait(for: "connected")
            await field.send([7])
            try await field.journal.wait(for: "value [7]")
            #expect(field.journal.count("lost") == 1)
            #expect(field.journal.count("gone") == 0)
            #expect(
                field.journal.lines.filter { $0 != "value [7]" }.suffix(8) == [
                    "autoReconnecting", "lost", "discoveringServices",
                    "discoveringCharacteristics", "subscribingToNotifications",
                    "discoveryComplete", "back", "connected",
                ]
            )
        }
    }
}
