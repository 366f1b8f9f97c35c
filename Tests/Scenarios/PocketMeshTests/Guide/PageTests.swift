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
        try await Field.play { field in
            let shown = Journal()
            let program = Task { try await talk(over: field.radio.host) { shown.note($0) } }
            try await shown.wait(for: "ready")
            await field.send([9, 9])
            try await shown.wait(for: "< 2 bytes")
            await field.on { $0.dropLink() }
            try await shown.wait(for: "ready", count: 2)
            await field.setPowered(false)
            try await program.value
            #expect(
                shown.lines == [
                    "ready", "< 2 bytes", "connecting", "connected", "ready", "disconnected",
                ]
            )
            #expect(await field.written() == [Self.hello, [5], Self.hello, [5]])
        }
    }

    @Test("A program cancelled at any time ends and leaves no link", arguments: ["", "ready"])
    func cancelled(line: String) async throws {
        try await Field.play { field in
            let shown = Journal()
            if line.isEmpty { await field.on { $0.leaveRange() } }
            let program = Task { try await talk(over: field.radio.host) { shown.note($0) } }
            if line.isEmpty {
                try await Task.sleep(for: .milliseconds(200))
            } else {
                try await shown.wait(for: line)
            }
            program.cancel()
            let error = await failure { try await program.value }
            #expect(error == nil || error is CancellationError)
            try await wait { await !field.isLinked() }
        }
    }

    @Test("A program started while Bluetooth is off reports the state with its remedy")
    func off() async throws {
        try await Field.play { field in
            await field.setPowered(false)
            let error = await failure { try await talk(over: field.radio.host) { _ in } }
            #expect(error as? BLEError == .bluetoothPoweredOff)
            #expect("\(String(describing: error))".contains("bluetoothctl power on"))
        }
    }

    @Test("A program without a manager reads the stream of the connection")
    func plain() async throws {
        try await Field.play { field in
            let radio = field.radio
            let device = try PeripheralIdentifier(
                address: Field.address,
                isRandomAddress: true,
                name: nil
            ).uuid
            let call = Task {
                for await value in try await radio.connect(to: device) {
                    try await radio.send(value)
                    await radio.disconnect()
                }
            }
            try await field.wait(for: "connected")
            await field.send([1, 2])
            try await call.value
            #expect(await field.written() == [[1, 2]])
        }
    }
}
