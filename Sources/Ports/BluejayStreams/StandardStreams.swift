package import Foundation

/// Standard input, output and error, without the buffers of C.
package enum StandardStreams {
    /// Occupies the descriptors that the parent has closed, so that no other file receives the output.
    ///
    /// Each is opened for the other direction, so that its use is an error.
    package static func reserve() {
        signal(SIGPIPE, SIG_IGN)
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
        widenHelp()
    }

    /// ArgumentParser traps if a screen of help has less room than for its first column.
    private static func widenHelp() {
        let variable = ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) }
        let columns = variable ?? terminalSize(of: STDOUT_FILENO)?.columns ?? 80
        if columns < minimumHelpColumns { _ = unsafe setenv("COLUMNS", "\(minimumHelpColumns)", 1) }
    }

    private static let minimumHelpColumns = 40

    /// Whether a read of standard input returns at once: bytes are available, or the input has ended.
    package static var isInputReady: Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&input, 1, 0) > 0
    }

    /// Blocks the thread until the reader of standard output has closed it.
    package static func waitForEndOfReader() {
        // Without requested events, `poll` reports the end only.
        var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        while unsafe poll(&output, 1, -1) < 0, errno == EINTR {}
    }

    /// Returns the columns and rows of a terminal, or `nil` if the descriptor is not one or does not know them.
    package static func terminalSize(of descriptor: Int32) -> (columns: Int, rows: Int)? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0,
            size.ws_row > 0
        else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Whether standard error shares the terminal of standard output.
    package static var shareTerminal: Bool {
        isatty(STDERR_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
            && device(STDERR_FILENO) == device(STDOUT_FILENO)
    }

    private static func device(_ descriptor: Int32) -> dev_t? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status.st_rdev : nil
    }

    /// Writes all bytes; a descriptor that does not block is waited for.
    ///
    /// - Throws: The `errno` of the write, for example `EPIPE` if the reader has closed a pipe.
    package static func write(_ data: Data, to descriptor: Int32) throws(WriteError) {
        var rest = data[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&output, 1, -1)
            } else if errno != EINTR {
                throw WriteError(number: errno)
            }
        }
    }
}

/// The error of a write to a descriptor.
package struct WriteError: Error, Equatable {
    /// The `errno`.
    package let number: Int32

    /// The system's text for the error.
    package var reason: String { SystemError.text(of: number) }
}
