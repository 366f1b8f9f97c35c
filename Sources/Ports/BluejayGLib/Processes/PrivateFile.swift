package import FoundationEssentials
internal import Glibc

/// A file that only its owner can read, in a folder that only its owner can enter.
package struct PrivateFile {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        init(_ call: String, _ path: String, _ number: Int32 = errno) {
            description = "\(call) of \(path): \(unsafe String(cString: strerror(number)))"
        }
    }

    private let path: String
    private let ownsFolder: Bool

    /// Creates a reference to a file, without writing it.
    ///
    /// - Parameters:
    ///   - url: The location of the file.
    ///   - ownsFolder: Whether the folder contains such files only, so that `write` closes it to other
    ///     users. Missing folders get mode 0700 in either case.
    package init(_ url: URL, ownsFolder: Bool) {
        path = url.path
        self.ownsFolder = ownsFolder
    }

    /// Replaces the file; a reader finds the old or the new bytes, and the mode is 0600 from the start.
    package func write(_ data: Data) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        // Another user's folder stays unchanged: writing then fails, or its owner allows it.
        if ownsFolder { _ = unsafe chmod(folder, 0o700) }
        let draft = path + ".\(UUID().uuidString.prefix(8))"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let descriptor = unsafe Glibc.open(draft, flags, 0o600)
        guard descriptor >= 0 else { throw Failure("open", draft) }
        do {
            // The umask may have removed permissions.
            guard fchmod(descriptor, 0o600) == 0 else { throw Failure("fchmod", draft) }
            try Self.write(data, to: descriptor, draft)
            guard unsafe rename(draft, path) == 0 else { throw Failure("rename", path) }
        } catch {
            _ = unsafe unlink(draft)
            close(descriptor)
            throw error
        }
        close(descriptor)
    }

    private static func write(_ data: Data, to descriptor: Int32, _ path: String) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure("write", path) }
            rest = rest.dropFirst(count)
        }
    }
}

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
