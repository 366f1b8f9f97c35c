internal import Glibc

/// A file descriptor that came from the bus or goes to it; closed when the last owner lets go.
package final class BusFileDescriptor: Equatable, Swift.Sendable {
    /// The number; valid as long as this object lives.
    package let number: Int32

    /// Takes the descriptor over.
    package init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// What there is to read, blocking until something is; empty at the end, or when it cannot be read.
    package func read(atMost limit: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            var count = 0
            repeat {
                count = unsafe Glibc.read(number, buffer.baseAddress, limit)
            } while count < 0 && errno == EINTR
            filled = max(0, count)
        }
    }

    package static func == (left: BusFileDescriptor, right: BusFileDescriptor) -> Bool {
        left === right
    }
}
