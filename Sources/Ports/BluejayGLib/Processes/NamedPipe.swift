internal import Glibc

package enum NamedPipe {
    /// Creates a pipe that only its owner can use, and opens both ends.
    ///
    /// - Parameter path: The path of the pipe; nothing may exist there.
    /// - Returns: A non-blocking descriptor that never reports an end; the caller closes it.
    /// - Throws: `PrivateFile.Failure`.
    package static func open(_ path: String) throws -> Int32 {
        guard unsafe mkfifo(path, 0o600) == 0 else { throw PrivateFile.Failure("mkfifo", path) }
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw PrivateFile.Failure("open", path) }
        return descriptor
    }
}
