import Bluejay
import BluejayGLib
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@testable import BluejayTool

/// Tests `UartSession` and `InputBytes`.
@Suite("bluejay uart", .timeLimit(.minutes(15)))
struct UartTests {
    private static let address = "C4:7C:8D:6A:1F:07"
    private static let transmitter = "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"
    private static let receiver = "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"

    private func stage() async throws -> RecordingStage {
        let stage = try await RecordingStage()
        await stage.system.perform { world in
            let device = SimulatedDevice(address: Self.address, name: "Port")
            device.addService(
                "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
                [
                    ScriptedCharacteristic(
                        Self.receiver,
                        ["write", "write-without-response"],
                        .value([])
                    ),
                    ScriptedCharacteristic(
                        Self.transmitter,
                        ["notify"],
                        .replays([TimedValue(at: .zero, Array("hello\n".utf8))], holding: nil)
                    ),
                ]
            )
            world.add(device)
        }
        return stage
    }

    private func written(_ stage: RecordingStage) async -> [[UInt8]] {
        await stage.system.read { $0.device(Self.address)?.writes.map(\.value) ?? [] } ?? []
    }

    static let cases: [(hex: Bool, crlf: Bool, input: [String?], output: [String])] = [
        (false, false, ["a\nb", "c\n", nil], ["a\n", "bc\n", ""]),
        (false, false, ["a", nil], ["", "a\n"]),
        (false, true, ["a\r\n\n", nil], ["a\r\n\r\n", ""]),
        (true, false, ["41 4", "2\n43", nil], ["", "AB", "C"]),
        (true, false, ["\n", nil], ["", ""]),
    ]

    @Test("Input is converted to bytes at the end of a line or of the input", arguments: cases)
    func lines(_ hex: Bool, _ crlf: Bool, _ input: [String?], _ output: [String]) throws {
        var lines = UartLines(isHexadecimal: hex, hasCarriageReturns: crlf)
        for (one, other) in zip(input, output) {
            let bytes = try lines.bytes(of: one.map { Data($0.utf8) })
            #expect(String(decoding: bytes, as: UTF8.self) == other)
        }
    }

    @Test("Invalid hexadecimal digits are rejected", arguments: ["4\n", "4g\n", "+1\n"])
    func refused(_ text: String) {
        var lines = UartLines(isHexadecimal: true, hasCarriageReturns: false)
        #expect(throws: ToolFailure.self) { try lines.bytes(of: Data(text.utf8)) }
    }

    @Test("Piped lines are written and responses printed until both have ended")
    func pipe() async throws {
        let stage = try await stage()
        let (output, errors, status) = try await stage.piped(
            ["uart", "Port", "--linger", "3"],
            input: Data("one\ntwo".utf8)
        )
        #expect(status == 0)
        #expect(String(decoding: output, as: UTF8.self) == "hello\n")
        #expect(errors == "bluejay: connected to Port (\(Self.address))\n")
        let joined = await written(stage).flatMap(\.self)
        #expect(String(decoding: joined, as: UTF8.self) == "one\ntwo\n")
    }

    @Test("With --hex both directions use hexadecimal digits, and packets fit the MTU")
    func hexadecimal() async throws {
        let stage = try await stage()
        await stage.system.perform { $0.device(Self.address)?.mtu = 23 }
        let (output, _, status) = try await stage.piped(
            ["uart", "Port", "--hex", "--linger", "3"],
            input: Data((String(repeating: "00 ff ", count: 15) + "\n").utf8)
        )
        #expect(status == 0)
        #expect(String(decoding: output, as: UTF8.self) == "68656c6c6f0a\n")
        let bytes = (0..<30).map { $0 % 2 == 0 ? UInt8(0) : 255 }
        let written = await written(stage)
        #expect(written == [Array(bytes.prefix(20)), Array(bytes.dropFirst(20))])
    }

    @Test("A lost link ends the command with exit status 1")
    func lost() async throws {
        let stage = try await stage()
        let program = try await stage.started(["uart", "Port"])
        try await program.wait(for: "hello")
        await stage.system.perform { $0.device(Self.address)?.leaveRange() }
        try await wait { program.status != nil }
        #expect(program.status == 1)
        #expect(program.lines.last?.hasPrefix("bluejay: ") == true)
    }

    @Test("Reading the services without a connection is an error, not an empty list")
    func droppedLink() async {
        let bluejay = Bluejay(mainLoop: MainLoop(threadName: "dropped"))
        let failure = await #expect(throws: ToolFailure.self) {
            try await bluejay.connectedServices()
        }
        #expect(failure?.status == .failed)
    }

    @Test("Output on a terminal contains no escape sequences of the peer")
    func printableBytes() {
        var stream = PeerTextStream()
        let text = stream.text(of: Data("\u{1B}[2Jx\r\ny\u{9B}1m".utf8) + [0xFF, 0x0A])
        #expect(text == "\u{FFFD}[2Jx\ny\u{FFFD}1m\u{FFFD}\n")
    }

    static let splits: [(packets: [[UInt8]], text: String)] = [
        ([[0xC3], [0xA9, 0x0A]], "é\n"), ([[0xF0, 0x9F], [0x98], [0x80]], "😀"),
        ([Array("a\r".utf8), Array("\nb".utf8)], "a\nb"),
        ([Array("a\r".utf8), Array("\n".utf8), Array("\n".utf8)], "a\n\n"),
        ([Array("a\r".utf8), [], Array("\nb\r\n".utf8)], "a\nb\n"),
        ([[0xC3], Array("x".utf8)], "\u{FFFD}x"), ([[0xE2, 0x82]], "\u{FFFD}"),
        ([[0x1B], [0x5B]], "\u{FFFD}["), ([[0xA9], [0xC0]], "\u{FFFD}\u{FFFD}"),
    ]

    @Test("A character or line break split over packets is decoded as one", arguments: splits)
    func split(packets: [[UInt8]], text: String) {
        var stream = PeerTextStream()
        let parts = packets.map { stream.text(of: Data($0)) }
        #expect(parts.joined() + stream.end() == text)
    }

    @Test("A device without the Nordic UART service is rejected")
    func foreign() async throws {
        let stage = try await RecordingStage()
        await stage.system.perform { $0.add(.heartRateSensor()) }
        let (lines, status) = try await stage.bluejay(
            ["uart", "Heart Rate Sensor"],
            isErrorOutput: true
        )
        #expect(status == 1)
        #expect(
            lines.last == "bluejay: the device has no Nordic UART service "
                + "(6E400001-B5A3-F393-E0A9-E50E24DCCA9E)"
        )
    }

    @Test(
        "Lines typed after a pairing prompt reach the device",
        .enabled(if: TerminalWindow.canOpen)
    )
    func questionOnTerminal() async throws {
        let device = SimulatedDevice(address: Self.address, name: "Port")
        device.pairing = .passkey(123_456)
        device.addService(
            "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
            [
                ScriptedCharacteristic(Self.receiver, ["encrypt-authenticated-write"], .value([])),
                ScriptedCharacteristic(
                    Self.transmitter,
                    ["notify"],
                    .replays([TimedValue(at: .zero, Array("hello\n".utf8))], holding: nil)
                ),
            ]
        )
        // In short time, pairing waits 1.5 s for the number, which may be too little on a busy machine.
        var options = SimulatorOptions.accelerated()
        options.timeScale = 1
        try await ToolStage.play(options, [device]) { stage in
            let size = TerminalWindow.Size(columns: 80, rows: 24)
            try await TerminalWindow.open("uart Port", size, stage) { window in
                try await window.wait(for: "hello")
                try await window.press("a", "Enter")
                try await window.wait(for: "enter the passkey")
                try await window.press("123456", "Enter")
                for line in ["b", "c", "d", "e"] { try await window.press(line, "Enter") }
                try await wait {
                    await stage.system.read { $0.device(Self.address)?.writeCount ?? 0 } == 5
                }
                try await window.press("C-d")
                try await window.wait(for: "ended with 0")
            }
            let written = await stage.system.read {
                $0.device(Self.address)?.writes.flatMap(\.value) ?? []
            }
            #expect(written.map { String(decoding: $0, as: UTF8.self) } == "a\nb\nc\nd\ne\n")
        }
    }
}
