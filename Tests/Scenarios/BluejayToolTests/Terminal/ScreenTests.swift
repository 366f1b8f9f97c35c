import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite(
    "The screens of bluejay, in tmux",
    .enabled(if: TerminalWindow.canOpen, "tmux is not installed here"),
    .timeLimit(.minutes(15)),
    .serialized
)
struct ScreenTests {
    private static let device = SimulatedDevice.HeartRateSensor.address

    /// Compares the screen with its file.
    ///
    /// Outside of help, no row may wrap: the package that prints help has two lines longer than 40 columns.
    private func check(
        _ name: String,
        _ size: TerminalWindow.Size,
        _ window: TerminalWindow,
        isHelp: Bool = false,
        isResized: Bool = false
    ) async throws {
        // The age and the count of a scan vary.
        let lines = try await window.lines(withPast: isHelp)
            .map { $0.replacing(/-55 +[0-9]+( +[0-9]+)?/, with: "-55    #") }
        if !isHelp, !isResized {
            #expect(try await window.lines(joined: true).count == lines.count)
        }
        try StoredScreen.check(lines, name, size)
    }

    @Test(
        "Commands that end without input match their stored screens",
        arguments: TerminalWindow.Size.all
    )
    func ended(_ size: TerminalWindow.Size) async throws {
        let commands = [
            ("services", "services C4:7C:8D:6A:1F:02"),
            ("plot", "listen C4:7C:8D:6A:1F:02 2A37 --plot --count 5"),
            ("help", "--help"), ("help-of-listen", "help listen"), ("adapters", "adapters"),
            ("nobody", "read Nobody 2A38 --timeout 1"),
        ]
        try await ToolStage.play { stage in
            for (name, command) in commands {
                try await ends(name, command, size, stage)
                try await TestSupport.wait { await !stage.isConnected() }
            }
        }
    }

    @Test("The lines of the doctor fit the terminal", arguments: TerminalWindow.Size.all)
    func doctor(_ size: TerminalWindow.Size) async throws {
        try await ToolStage.play { stage in
            try await TerminalWindow.open("doctor", size, stage) { window in
                try await window.wait(for: "ended with ")
                let lines = try await window.lines(withPast: true)
                #expect(lines.count > 5)
                // Only words longer than a line, such as file paths, may be split.
                let cut = try await window.lines(withPast: true, joined: true)
                    .filter { $0.count > size.columns }
                #expect(cut.allSatisfy { !$0.drop { $0 == " " }.contains(" ") }, "\(cut)")
            }
        }
    }

    @Test("A scan adapts to the size of its window and ends at Ctrl-C")
    func scan() async throws {
        let long = "A lamp with a name that is much longer than its column may be"
        let lamp = SimulatedDevice(address: "C0:00:00:00:00:09", name: long, advertising: ["180F"])
        try await ToolStage.play(.accelerated(), [.heartRateSensor(), lamp]) { stage in
            let sizes = TerminalWindow.Size.all
            try await TerminalWindow.open("scan", sizes[0], stage) { window in
                try await window.wait(for: "A lamp")
                try await window.wait(for: "Heart")
                try await check("scan", sizes[0], window)
                try await window.resize(sizes[1])
                try await TestSupport.wait {
                    try await window.lines().first?.hasSuffix("SIGNAL dBm") == true
                }
                try await check("scan", sizes[1], window, isResized: true)
                try await window.press("C-c")
                try await window.wait(for: "ended with 130")
            }
        }
    }

    @Test("Ctrl-C leaves all devices of a scan on the terminal", arguments: TerminalWindow.Size.all)
    func scanOfMany(_ size: TerminalWindow.Size) async throws {
        let names = (10..<40).map { "Lamp \($0)" }
        let lamps = names.enumerated().map { index, name in
            SimulatedDevice(address: "C0:00:00:00:00:\(10 + index)", name: name)
        }
        try await ToolStage.play(.accelerated(), lamps) { stage in
            try await TerminalWindow.open("scan", size, stage) { window in
                let hidden = names.count - (size.rows - 3)
                try await window.wait(for: "… and \(hidden) more")
                try await window.press("C-c")
                try await window.wait(for: "ended with 130")
                let lines = try await window.lines(withPast: true)
                let shown = lines.filter { $0.hasPrefix("Lamp ") }.map { String($0.prefix(7)) }
                #expect(shown.sorted() == names, "\(lines)")
                #expect(!lines.contains { $0.hasPrefix("… and ") })
            }
        }
    }

    @Test("The listen command disconnects at Ctrl-C", arguments: TerminalWindow.Size.all)
    func listen(_ size: TerminalWindow.Size) async throws {
        try await ToolStage.play { stage in
            try await TerminalWindow.open("listen C4:7C:8D:6A:1F:02 2A37 --plot", size, stage) {
                window in
                try await window.wait(for: "61 ")
                #expect(await stage.isConnected())
                try await window.press("C-c")
                try await window.wait(for: "ended with 130")
                try await TestSupport.wait { await !stage.isConnected() }
            }
        }
    }

    @Test("A pairing prompt shows the typed passkey", arguments: TerminalWindow.Size.all)
    func pair(_ size: TerminalWindow.Size) async throws {
        // In short time, pairing waits 1.5 s for the number, which may be too little on a busy machine.
        var options = SimulatorOptions.accelerated()
        options.timeScale = 1
        try await ToolStage.play(options, [.passkeyLock()]) { stage in
            try await TerminalWindow.open("pair Lock", size, stage) { window in
                try await window.wait(for: "bluejay: enter")
                try await window.press("123456", "Enter")
                try await window.wait(for: "ended with 0")
                try await check("pair", size, window)
            }
            try await ends("forget", "forget Lock", size, stage)
        }
    }

    /// A box with a battery and two notifications, which accepts long values.
    private static func box() -> SimulatedDevice {
        let box = SimulatedDevice(address: "C0:00:00:00:00:05", name: "Box", advertising: ["FFE0"])
        box.addService("180F", [ScriptedCharacteristic("2A19", ["read"], .value([80]))])
        let values = [0, 100].map { TimedValue(at: .milliseconds($0), [UInt8($0)]) }
        box.addService(
            "FFE0",
            [
                ScriptedCharacteristic("FFE1", ["write"], .value([])),
                ScriptedCharacteristic("FFE2", ["notify"], .replays(values, holding: nil)),
            ]
        )
        return box
    }

    @Test(
        "Value, recording and serving commands match their stored screens",
        arguments: TerminalWindow.Size.all
    )
    func values(_ size: TerminalWindow.Size) async throws {
        try await ToolStage.play(.accelerated(), [Self.box()]) { stage in
            _ = try await stage.shell(
                "mkdir -p $XDG_STATE_HOME; yes | head -c 1300 >$XDG_STATE_HOME/long"
            )
            try await ends("read", "read Box battery-level", size, stage)
            try await ends("write", "write Box FFE1 @long", size, stage)
            try await ends("battery", "battery Box", size, stage)
            try await ends("info", "info Box", size, stage)
            try await ends("record", "record Box box.json --for 3", size, stage)
            try await ends("replay", "replay box.json -- ls", size, stage)
            try await TerminalWindow.open("serve box.json", size, stage) { window in
                try await window.wait(for: "advertising")
                try await window.press("C-c")
                try await window.wait(for: "ended with 130")
                try await check("serve", size, window)
            }
        }
    }

    @Test(
        "Typed lines are sent over a channel one by one",
        arguments: TerminalWindow.Size.all
    )
    func channel(_ size: TerminalWindow.Size) async throws {
        let pipe = SimulatedDevice(address: "C4:7C:8D:6A:1F:08", name: "Pipe")
        pipe.serveChannels(on: 0x80, .echo)
        try await ToolStage.play(.accelerated(), [pipe]) { stage in
            try await TerminalWindow.open("channel Pipe --psm 0x80", size, stage) { window in
                try await TestSupport.wait { await stage.isConnected("C4:7C:8D:6A:1F:08") }
                try await window.press("hello", "Enter")
                try await window.wait(for: "hello", count: 2)
                try await window.press("C-c")
                try await window.wait(for: "ended with 130")
                try await check("channel", size, window)
            }
        }
    }

    private func ends(
        _ name: String,
        _ command: String,
        _ size: TerminalWindow.Size,
        _ stage: ToolStage
    ) async throws {
        try await TerminalWindow.open(command, size, stage) { window in
            try await window.wait(for: "ended with ")
            try await check(name, size, window, isHelp: name.hasPrefix("help"))
        }
    }

    @Test(
        "Typed lines are sent to a UART, and its lines are printed",
        arguments: TerminalWindow.Size.all
    )
    func uart(_ size: TerminalWindow.Size) async throws {
        let port = SimulatedDevice(address: "C4:7C:8D:6A:1F:07", name: "Port")
        port.addService(
            "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
            [
                ScriptedCharacteristic(
                    "6E400002-B5A3-F393-E0A9-E50E24DCCA9E",
                    ["write"],
                    .value([])
                ),
                ScriptedCharacteristic(
                    "6E400003-B5A3-F393-E0A9-E50E24DCCA9E",
                    ["notify"],
                    .replays(
                        [
                            TimedValue(at: .zero, Array("hello\r".utf8)),
                            TimedValue(at: .milliseconds(50), [0x0A, 0x1B, 0xC3]),
                            TimedValue(at: .milliseconds(100), [0xA9, 0x0A]),
                        ],
                        holding: nil
                    )
                ),
            ]
        )
        try await ToolStage.play(.accelerated(), [port]) { stage in
            try await TerminalWindow.open("uart Port", size, stage) { window in
                try await window.wait(for: "hello")
                try await window.wait(for: "é")
                try await window.press("one", "Enter")
                try await TestSupport.wait {
                    let writes = await stage.system.read {
                        $0.device("C4:7C:8D:6A:1F:07")?.writes.flatMap(\.value)
                    }
                    return writes == Array("one\n".utf8)
                }
                try await window.press("C-c")
                try await window.wait(for: "ended with 130")
                try await check("uart", size, window)
                try await TestSupport.wait { await !stage.isConnected("C4:7C:8D:6A:1F:07") }
            }
        }
    }
}
