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
    package var reason: String { unsafe String(cString: strerror(number)) }
}
