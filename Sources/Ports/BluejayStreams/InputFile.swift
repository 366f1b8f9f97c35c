package import Foundation

/// A file that a user names.
package enum InputFile {
    /// Reads a file to its end; `-` is standard input.
    ///
    /// The limit bounds the memory for a file without an end, such as `/dev/zero`.
    ///
    /// - Parameters:
    ///   - path: The path of a file, a pipe or a device.
    ///   - limit: The most bytes that the file may have, a multiple of 1 MiB.
    /// - Returns: All bytes.
    /// - Throws: ``ReadError``, also for a folder.
    package static func read(_ path: String, upTo limit: Int) throws(ReadError) -> Data {
        let isStandardInput = path == "-"
        let descriptor = isStandardInput ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno) }
        defer { if !isStandardInput { close(descriptor) } }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while data.count <= limit {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count)
            }
            if count == 0 {
                return data
            } else if count > 0 {
                data += buffer.prefix(count)
            } else if errno == EAGAIN {
                var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = unsafe poll(&input, 1, -1)
            } else if errno != EINTR {
                throw .system(errno)
            }
        }
        throw .exceeds(limit)
    }
}

/// The reason why a file cannot be read.
package enum ReadError: Error, Equatable {
    /// An `errno`.
    case system(Int32)
    /// The file has more bytes than this limit.
    case exceeds(Int)

    /// The error as a predicate that follows the name of the file.
    package var predicate: String {
        switch self {
        case .system(let number): "cannot be read: \(SystemError.text(of: number))"
        case .exceeds(let limit): "is too long; the limit is \(limit >> 20) MiB"
        }
    }
}
