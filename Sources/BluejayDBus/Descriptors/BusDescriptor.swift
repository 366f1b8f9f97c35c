internal import Glibc

/// A file descriptor that came from the bus or goes to it; closed when the last owner lets go.
package final class BusDescriptor: Equatable, Swift.Sendable {
    /// The number; valid as long as this object lives.
    package let number: Int32

    /// Takes the descriptor over.
    package init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    package static func == (left: BusDescriptor, right: BusDescriptor) -> Bool { left === right }
}
