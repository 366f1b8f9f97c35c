internal import Glibc

/// Where programs say what is for a person.
package enum StandardError {
    /// Writes a line, in one piece, so that those of several threads or programs do not mix.
    ///
    /// Nobody is there to be told when it cannot be written.
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
