import BluejayCommandLine
import BluejayStreams
import Foundation

/// The output of a subcommand: results on standard output, everything else on standard error.
///
/// No method waits for a reader; a loop that writes a lot awaits ``waitForRoom()``.
@MainActor
final class Console {
    let terminal = Terminal()
    private let reader: Output
    private let output: OutputQueue
    private let encoder = JSONLines()
    private var drawn = 0
    private var peerText = PeerTextStream()
    /// Receives the lines for standard error while the inspector has the screen.
    var errorReceiver: ((String) -> Void)?

    /// Starts watching the reader of standard output.
    ///
    /// - Parameter onEnd: Called when standard output accepts no more, possibly twice: with `nil` if its
    ///   reader has closed it, and otherwise with the failure.
    init(onEnd: @escaping @MainActor (ToolFailure?) -> Void) {
        reader = Output(onClosed: { onEnd(nil) })
        output = OutputQueue { onEnd($0.failure) }
        // A descriptor that is not open has no reader; the first write reports the error.
        if fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE != O_RDONLY { reader.watchReader() }
    }

    /// Whether standard output is a terminal.
    var isInteractive: Bool { terminal.isInteractive }

    /// The maximum width of a line, or `nil` if a program reads the output.
    var columns: Int? { isInteractive ? terminal.size.columns - 1 : nil }

    func line(_ text: String) { output.write(Data((text + "\n").utf8)) }

    /// Writes a line of JSON with the current time.
    func record(_ content: some RecordContent, of device: OutputDevice? = nil) throws {
        line(try encoder.line(OutputRecord(time: Date(), device: device, content: content)))
    }

    func bytes(_ data: Data) { output.write(data) }

    /// Writes bytes of a peer: unchanged to a program, without control characters to a terminal, which would
    /// interpret escape sequences.
    func bytes(ofPeer data: Data) {
        bytes(isInteractive ? Data(peerText.text(of: data).utf8) : data)
    }

    /// Replaces the lines drawn before; does nothing while the terminal is not reading.
    func draw(_ lines: [String]) {
        guard !output.isFull else { return }
        output.write(Data(terminal.redraw(lines, over: drawn).utf8))
        drawn = isInteractive ? lines.count : 0
    }

    /// Writes a line to standard error.
    func writeError(_ text: String) {
        if let errorReceiver { return errorReceiver(text) }
        output.writeError(Self.errorLine(text))
    }

    /// Waits while too much output is pending.
    func waitForRoom() async { await output.waitForRoom() }

    /// Waits until everything is written.
    ///
    /// - Parameter isPatient: Whether to wait longer than a second for a reader that reads nothing.
    func drain(isPatient: Bool) async {
        bytes(Data(peerText.end().utf8))
        await output.drain(untilStalledFor: isPatient ? nil : .seconds(1))
    }

    /// Writes a line to standard error immediately, for subcommands without a console.
    nonisolated static func writeErrorLine(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: errorLine(text))
    }

    private nonisolated static func errorLine(_ text: String) -> Data {
        let width = StandardStreams.terminalSize(of: STDERR_FILENO).map { $0.columns - 1 }
        let text = text.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { String($0).wrapped(to: width) }
            .joined(separator: "\n")
        return Data((text + "\n").utf8)
    }
}
