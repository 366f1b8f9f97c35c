import BluejayCommandLine
import Foundation

/// Where a subcommand writes: results to standard output, everything else to standard error.
///
/// Nothing here waits for a reader; a loop that writes a lot awaits ``room()``.
@MainActor
final class Console {
    let terminal = Terminal()
    private let reader: Output
    private let output: OutputQueue
    private let encoder = JSONLines()
    private var drawn = 0

    /// Begins to watch the reader of standard output.
    ///
    /// - Parameter onClosed: Called when the reader has closed standard output; perhaps twice.
    init(onClosed: @escaping @MainActor () -> Void) {
        reader = Output(onClosed: onClosed)
        output = OutputQueue(onClosed: onClosed)
        reader.watchReader()
    }

    /// Whether people see the output as it comes.
    var isInteractive: Bool { terminal.isInteractive }

    /// How many columns a line may have; nil is any number, because a program reads it.
    var columns: Int? { isInteractive ? terminal.size.columns - 1 : nil }

    /// Writes a line.
    func line(_ text: String) { output.write(Data((text + "\n").utf8)) }

    /// Writes an object as a line of JSON.
    func object(_ value: some Encodable) throws { line(try encoder.line(value)) }

    /// Writes bytes unchanged.
    func bytes(_ data: Data) { output.write(data) }

    /// Writes bytes of a peer: unchanged for a program, without control characters on a terminal, which
    /// would obey escape sequences.
    func bytes(ofPeer data: Data) {
        bytes(isInteractive ? Self.printable(data) : data)
    }

    /// The text of bytes without control characters other than line breaks.
    nonisolated static func printable(_ data: Data) -> Data {
        let text = String(decoding: data, as: UTF8.self)
        let parts = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return Data(parts.map { String($0).printable }.joined(separator: "\n").utf8)
    }

    /// Replaces the lines that were drawn before; does nothing while the terminal takes no output.
    func draw(_ lines: [String]) {
        guard !output.isFull else { return }
        output.write(Data(terminal.redraw(lines, over: drawn).utf8))
        drawn = isInteractive ? lines.count : 0
    }

    /// Writes a line to standard error.
    func note(_ text: String) { output.writeError(Self.errorLine(text)) }

    /// Waits while the reader of standard output is far behind.
    func room() async { await output.room() }

    /// Waits until everything is written.
    ///
    /// - Parameter isPatient: Whether to wait for a reader that reads nothing for a second.
    func drain(isPatient: Bool) async {
        await output.drain(untilStalledFor: isPatient ? nil : .seconds(1))
    }

    /// Writes a line to standard error at once, for subcommands without a console.
    nonisolated static func say(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: errorLine(text))
    }

    /// On a terminal the text has as many lines as it needs.
    private nonisolated static func errorLine(_ text: String) -> Data {
        let width = Terminal.size(of: STDERR_FILENO).map { $0.columns - 1 }
        let text = text.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { String($0).wrapped(to: width) }
            .joined(separator: "\n")
        return Data((text + "\n").utf8)
    }
}
