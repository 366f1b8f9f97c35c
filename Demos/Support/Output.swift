import Foundation

/// Lines on standard output, for a program that has something to close when nobody reads them any more.
@MainActor
package final class Output {
    private let onClosed: () -> Void
    /// Whether nobody reads any more.
    package private(set) var isClosed = false

    /// Has the end of a reader, such as `head`, call `onClosed` once instead of ending the program.
    package init(onClosed: @escaping () -> Void) {
        self.onClosed = onClosed
        signal(SIGPIPE, SIG_IGN)
    }

    /// Writes a line at once.
    package func line(_ text: String) {
        guard !isClosed else { return }
        do {
            try FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
        } catch {
            isClosed = true
            onClosed()
        }
    }
}
