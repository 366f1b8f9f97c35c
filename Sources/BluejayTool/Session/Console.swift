import DemoSupport
import Foundation

/// Where a subcommand writes: what was asked for to standard output, all else to standard error.
@MainActor
final class Console {
    let terminal = Terminal()
    private let output: Output
    private let encoder = JSONLines()
    private var drawn = 0

    /// Begins to look whether somebody reads.
    ///
    /// - Parameter onClosed: Called once, when nobody does any more.
    init(onClosed: @escaping @MainActor () -> Void) {
        output = Output(onClosed: onClosed)
        output.watchReader()
    }

    /// Whether people see the output as it comes.
    var isInteractive: Bool { terminal.isInteractive }

    /// How many columns a line may have; nil is any number, because a program reads it.
    var columns: Int? { isInteractive ? terminal.size.columns - 1 : nil }

    /// Writes a line.
    func line(_ text: String) { output.line(text) }

    /// Writes an object as a line of JSON.
    func object(_ value: some Encodable) throws { line(try encoder.line(value)) }

    /// Writes bytes as they are.
    func bytes(_ data: Data) { output.write(data) }

    /// Writes lines over those that were drawn before.
    func draw(_ lines: [String]) {
        output.write(terminal.redraw(lines, over: drawn))
        drawn = isInteractive ? lines.count : 0
    }

    /// Says something beside what was asked for.
    func note(_ text: String) { Self.say(text) }

    /// Writes a line to standard error; on a terminal in as many as it takes.
    nonisolated static func say(_ text: String) {
        let width = Terminal.size(of: STDERR_FILENO).map { $0.columns - 1 }
        let text = text.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { String($0).wrapped(to: width) }
            .joined(separator: "\n")
        try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }
}
