import Dispatch
package import Foundation

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
        write(text + "\n")
    }

    /// Writes a text as it is, at once.
    package func write(_ text: String) {
        write(Data(text.utf8))
    }

    /// Writes bytes as they are, at once.
    package func write(_ data: Data) {
        guard !isClosed else { return }
        do {
            try FileHandle.standardOutput.write(contentsOf: data)
        } catch {
            close()
        }
    }

    /// Notices the end of the reader also while nothing is written, from now on.
    package func watchReader() {
        Thread.detachNewThread { [weak self] in
            // Without events to wait for only the end is told.
            var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while unsafe poll(&output, 1, -1) < 0, errno == EINTR {}
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
