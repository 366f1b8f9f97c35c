import Foundation
import TestSupport
import Testing

/// A tmux terminal that runs the tool as it runs for a user.
struct TerminalWindow {
    /// Whether tmux is installed; `.ci/prepare tests` installs it.
    static let canOpen = isInstalled("tmux")

    /// Whether a program is in PATH.
    static func isInstalled(_ program: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    struct Size: CustomStringConvertible, Swift.Sendable {
        let columns: Int
        let rows: Int
        var description: String { "\(columns)x\(rows)" }
        static let all = [Size(columns: 80, rows: 24), Size(columns: 40, rows: 15)]
    }

    private let stage: ToolStage
    private let socket: String

    /// Runs the tool in a window that closes after the body; the tool keeps its state in the window's folder.
    static func open(
        _ command: String,
        _ size: Size,
        _ stage: ToolStage,
        _ body: (TerminalWindow) async throws -> Void
    ) async throws {
        // The command has a time limit, so no tmux stays behind.
        let script =
            "trap : INT; timeout --foreground 600 '\(programPath("bluejay"))' \(command); "
            + "echo \"ended with $?\"; exec sleep 60"
        try await open(script: script, size, stage, body)
    }

    /// Runs a script of `sh` in a window that closes after the body.
    static func open(
        script: String,
        _ size: Size,
        _ stage: ToolStage,
        _ body: (TerminalWindow) async throws -> Void
    ) async throws {
        let window = TerminalWindow(stage: stage, socket: "/tmp/bluejay-\(UUID().uuidString)")
        let started = try await stage.shell(
            "unset NO_COLOR COLUMNS LINES TMUX; export LC_ALL=C.UTF-8; mkdir -p \"$XDG_STATE_HOME\"; "
                + "cd \"$XDG_STATE_HOME\"; tmux -u -S \(window.socket) "
                + "-f /dev/null new-session -d -x \(size.columns) -y \(size.rows) "
                + "\"\(script.replacing("\"", with: "\\\"").replacing("$", with: "\\$"))\" "
                + "\\; set -g status off \\; resize-window -x \(size.columns) -y \(size.rows)"
        )
        #expect(started == Outcome([]))
        do {
            try await body(window)
        } catch {
            Issue.record("\(error): \(try await window.lines())")
        }
        _ = try await window.tmux("kill-server")
    }

    private func tmux(_ command: String) async throws -> [String] {
        try await stage.shell("tmux -u -S \(socket) \(command)").lines
    }

    /// The rows of the screen, without the empty ones at the bottom.
    ///
    /// - Parameters:
    ///   - withPast: Whether to include the rows that have scrolled away.
    ///   - joined: Whether to join wrapped lines.
    /// - Returns: The rows from the top.
    /// - Throws: An error if tmux does not start.
    func lines(withPast: Bool = false, joined: Bool = false) async throws -> [String] {
        var lines = try await tmux(
            "capture-pane -p" + (withPast ? " -S -" : "") + (joined ? " -J" : "")
        ).map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    /// Waits until `count` lines of the screen contain a text; `^C` may precede it.
    func wait(for text: String, count: Int = 1) async throws {
        let end = ContinuousClock.now + .seconds(120)
        try await TestSupport.wait {
            guard ContinuousClock.now < end else {
                throw WaitedForText(text: text, lines: try await lines())
            }
            return try await lines().count { $0.contains(text) } >= count
        }
    }

    /// Waits until the rows of the screen meet a condition.
    func wait(until isMet: ([String]) -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(120)
        try await TestSupport.wait {
            let lines = try await lines()
            guard ContinuousClock.now < end else {
                throw WaitedForText(text: "another screen", lines: lines)
            }
            return isMet(lines)
        }
    }

    private struct WaitedForText: Error {
        let text: String
        let lines: [String]
    }

    /// Types a text, or presses a key by its tmux name (`Enter`, `C-c`).
    func press(_ keys: String...) async throws {
        for key in keys { _ = try await tmux("send-keys '\(key)'") }
    }

    func resize(_ size: Size) async throws {
        _ = try await tmux("resize-window -x \(size.columns) -y \(size.rows)")
    }
}
