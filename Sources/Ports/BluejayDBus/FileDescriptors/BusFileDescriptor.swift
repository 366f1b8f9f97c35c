internal import Glibc

/// A file descriptor received from the bus or sent to it; closed when the last reference is released.
package final class BusFileDescriptor: Equatable, Swift.Sendable {
    package let number: Int32

    /// Takes ownership of a descriptor.
    package init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Reads the available bytes, blocking until there are some; empty at the end or on an error.
    package func read(atMost maximumLength: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: maximumLength) { buffer, filled in
            var count = 0
            repeat {
                count = unsafe Glibc.read(number, buffer.baseAddress, maximumLength)
            } while count < 0 && errno == EINTR
            filled = max(0, count)
        }
    }

    package static func == (left: BusFileDescriptor, right: BusFileDescriptor) -> Bool {
        left === right
    }
}
