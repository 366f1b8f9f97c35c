import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("bluejay channel", .timeLimit(.minutes(15)))
struct ChannelTests {
    private static let address = "C4:7C:8D:6A:1F:08"

    private func stage(_ script: ScriptedChannel) async throws -> RecordingStage {
        let stage = try await RecordingStage()
        await stage.system.perform { world in
            let device = SimulatedDevice(address: Self.address, name: "Pipe")
            device.serveChannels(on: 0x80, script, mtu: 100)
            world.add(device)
        }
        return stage
    }

    /// All byte values, repeated.
    private static let bytes = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 * 7) })

    @Test("An echoing peer returns arbitrary bytes unchanged")
    func echo() async throws {
        let stage = try await stage(.echo)
        let (output, errors, status) = try await stage.piped(
            ["channel", "Pipe", "--psm", "0x80", "--linger", "30"],
            input: Self.bytes
        )
        #expect(status == 0)
        #expect(errors == "")
        #expect(output == Self.bytes)
    }

    @Test("If the peer closes the channel before receiving the input, the exit status is 1")
    func closed() async throws {
        let stage = try await stage(.closes(afterBytes: 1000))
        let (output, errors, status) = try await stage.piped(
            ["channel", "Pipe", "--psm", "128"],
            input: Self.bytes
        )
        #expect(output == Data())
        #expect(status == 1)
        #expect(errors.hasPrefix("bluejay: the peer closed the channel; up to "))
    }

    @Test("If the peer accepts no data for 10 s, the error names the number of lost bytes")
    func stuck() async throws {
        let stage = try await stage(.neverReads)
        let (_, errors, status) = try await stage.piped(
            ["channel", "Pipe", "--psm", "128", "--linger", "0"],
            input: Self.bytes.prefix(3000)
        )
        #expect(status == 1)
        #expect(
            errors == "bluejay: the peer accepts no data; up to 3000 bytes did not reach the peer\n"
        )
    }

    @Test("A lost link is reported with exit status 1")
    func lost() async throws {
        let stage = try await stage(.goesAway(afterBytes: 1000))
        let (_, errors, status) = try await stage.piped(
            ["channel", "Pipe", "--psm", "128"],
            input: Self.bytes
        )
        #expect(status == 1)
        #expect(errors.hasPrefix("bluejay: connection lost "))
    }

    @Test("A PSM without a listener and an invalid PSM are errors")
    func refused() async throws {
        let stage = try await stage(.echo)
        let (_, errors, status) = try await stage.piped(
            ["channel", "Pipe", "--psm", "0x81"],
            input: Data()
        )
        #expect(status == 1)
        #expect(errors.hasPrefix("bluejay: "))
        let wrong = try await stage.bluejay(
            ["channel", "Pipe", "--psm", "256"],
            isErrorOutput: true
        )
        #expect(wrong.status == 64)
    }

    @Test("With --listen the first channel carries all bytes in both directions")
    func listening() async throws {
        let stage = try await RecordingStage()
        try stage.write(#"{"version":1,"name":"Pipe"}"#, to: "pipe.json")
        let server = try await stage.started([
            "serve", stage.path("pipe.json"), "--adapter", "hci1",
        ])
        try await server.wait(for: "advertising")
        async let taken = stage.piped(
            ["channel", "--listen", "--psm", "0x85", "--adapter", "hci1"],
            input: Self.bytes
        )
        let peer = RecordingStage.secondAdapter
        var sent = try await send(stage, peer)
        for _ in 0..<50 where sent.status != 0 { sent = try await send(stage, peer) }
        let received = try await taken
        #expect(sent.output == Self.bytes, "\(sent.errors)")
        #expect(received.output == Self.bytes)
        #expect(received.status == 0, "\(received.errors)")
        let lines = received.errors.split(separator: "\n")
        #expect(lines.first == "bluejay: listening on PSM 133")
        #expect(lines.last?.hasPrefix("bluejay: channel of ") == true)
        _ = await server.end(SIGTERM)
    }

    private func send(_ stage: RecordingStage, _ peer: String) async throws -> (
        output: Data, errors: String, status: Int32
    ) {
        try await stage.piped(
            ["channel", peer, "--psm", "0x85", "--linger", "30", "--adapter", "hci0"],
            input: Self.bytes
        )
    }

    @Test("Ctrl-C stops listening for a channel")
    func interrupted() async throws {
        let stage = try await RecordingStage()
        let program = try await stage.started(["channel", "--listen"])
        try await program.wait(for: "bluejay: listening on PSM ")
        #expect(await program.end(SIGINT) == 130)
    }
}
