import BluejaySimulator
import Foundation
import TestSupport
import Testing

@testable import PocketMesh

@Suite("The program of the page", .timeLimit(.minutes(15)))
struct PageTests {
    private static let hello = Array(MeshCoreSession.startPacket("MCore"))

    @Test("The program finds a radio, exchanges values, reconnects, and ends when Bluetooth is off")
    func talks() async throws {
        try await RadioStage.play { stage in
            let shown = Journal()
            let program = Task { try await talk(over: stage.radio.host) { shown.note($0) } }
            try await shown.wait(for: "ready")
            await stage.send([9, 9])
            try await shown.wait(for: "< 2 bytes")
            await stage.on { $0.dropLink() }
            try await shown.wait(for: "ready", count: 2)
            await stage.setPowered(false)
            try await program.value
            #expect(
                shown.lines == [
                    "ready", "< 2 bytes", "connecting", "connected", "ready", "disconnected",
                ]
            )
            #expect(await stage.written() == [Self.hello, [5], Self.hello, [5]])
        }
    }

    @Test("A program cancelled at any time ends and leaves no link", arguments: ["", "ready"])
    func cancelled(line: String) async throws {
        try await RadioStage.play { stage in
            let shown = Journal()
            if line.isEmpty { await stage.on { $0.leaveRange() } }
            let program = Task { try await talk(over: stage.radio.host) { shown.note($0) } }
            if line.isEmpty {
                try await Task.sleep(for: .milliseconds(200))
            } else {
                try await shown.wait(for: line)
            }
            program.cancel()
            let error = await failure { try await program.value }
            #expect(error == nil || error is CancellationError)
            try await wait { await !stage.isLinked() }
        }
    }

    @Test("A program started while Bluetooth is off reports the state with its remedy")
    func off() async throws {
        try await RadioStage.play { stage in
            await stage.setPowered(false)
            let error = await failure { try await talk(over: stage.radio.host) { _ in } }
            #expect(error as? BLEError == .bluetoothPoweredOff)
            #expect("\(String(describing: error))".contains("bluetoothctl power on"))
        }
    }

    @Test("A program without a manager reads the stream of the connection")
    func plain() async throws {
        try await RadioStage.play { stage in
            let radio = stage.radio
            let device = try PeripheralIdentifier(
                address: RadioStage.address,
                isRandomAddress: true,
                name: nil
            ).uuid
            let call = Task {
                for await value in try await radio.connect(to: device) {
                    try await radio.send(value)
                    await radio.disconnect()
                }
            }
            try await stage.wait(for: "connected")
            await stage.send([1, 2])
            try await call.value
            #expect(await stage.written() == [[1, 2]])
        }
    }
}
