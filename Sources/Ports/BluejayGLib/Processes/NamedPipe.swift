internal import Glibc

/// A pipe with a name in the file system, which other programs write into.
package enum NamedPipe {
    /// Makes a pipe that only its owner can use, and opens it for both ends.
    ///
    /// - Parameter path: Where it is; nothing may be there.
    /// - Returns: A descriptor that does not block, and never reports an end: the caller closes it.
    /// - Throws: `PrivateFile.Failure`.
    package static func open(_ path: String) throws -> Int32 {
        guard unsafe mkfifo(path, 0o600) == 0 else { throw PrivateFile.Failure("mkfifo", path) }
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw PrivateFile.Failure("open", path) }
        return descriptor
    }
}
