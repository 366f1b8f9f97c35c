internal import BluejayStreams
import Dispatch
package import Foundation

/// Standard output for a program that must clean up when its reader closes.
@MainActor
package final class Output {
    private let onClosed: () -> Void
    /// Whether the reader has closed the output.
    package private(set) var isClosed = false

    /// Calls `onClosed` once when a reader such as `head` closes, instead of ending the program.
    package init(onClosed: @escaping () -> Void) {
        self.onClosed = onClosed
        signal(SIGPIPE, SIG_IGN)
    }

    /// Writes a line without buffering.
    package func writeLine(_ text: String) {
        write(text + "\n")
    }

    /// Writes a text unchanged, without buffering.
    package func write(_ text: String) {
        write(Data(text.utf8))
    }

    /// Writes bytes unchanged, without buffering.
    package func write(_ data: Data) {
        guard !isClosed else { return }
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            close()
        }
    }

    /// Starts to detect the end of the reader while nothing is written, too.
    package func watchReader() {
        Thread.detachNewThread { [weak self] in
            StandardStreams.waitForEndOfReader()
            DispatchQueue.main.async { [weak self] in
                MainActor.assumeIsolated { self?.close() }
            }
        }
    }

    private func close() {
        guard !isClosed else { return }
        isClosed = true
        onClosed()
    }
}
