internal import Glibc

/// The standard error stream, for messages to a person.
package enum StandardError {
    /// Writes a line in one piece, so that lines of several threads or programs do not mix.
    ///
    /// A failure is ignored, because no other channel could report it.
    package static func write(_ line: String) {
        var bytes = Array("\(line)\n".utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count)
            }
            guard count >= 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(0, count))
        }
    }
}
