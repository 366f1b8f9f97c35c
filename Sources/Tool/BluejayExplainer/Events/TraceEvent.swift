/// An event of a recorded command.
package struct TraceEvent: Equatable, Swift.Sendable {
    package enum Fact: Equatable, Swift.Sendable {
        /// The library added an operation, such as `read of 2A19`, to its queue.
        case enqueued(operation: String, name: String)
        /// The queue started an operation.
        case started(operation: String)
        /// An operation was completed, with an error or `nil`.
        case completed(operation: String, error: String?)
        /// The bus gave a unique name to a connection of this program.
        case connected(busName: String)
        case called(BusCall)
        case replied(BusCall.ID, error: String?)
        /// bluetoothd listed an object, or reported it as new.
        case listed(path: String, BusProperties, isNew: Bool)
        /// bluetoothd reported changed properties.
        case changed(path: String, BusProperties)
        /// bluetoothd reported the first advertisement of a device.
        case advertised(path: String)
        /// bluetoothd removed a device.
        case removed(path: String)
        /// bluetoothd reported why a link ended.
        case disconnected(path: String, reason: String)
        /// bluetoothd joined or left the bus.
        case daemonChanged(isRunning: Bool)
        /// The bus ended the connection of this program.
        case busLost
        /// A connection to the bus belongs to a program.
        case identified(busName: String, program: String)
        /// The recording is full; later events are missing.
        case overflowed
    }

    /// The time since the start of the recording.
    package let time: Duration
    package let fact: Fact

    package init(_ time: Duration, _ fact: Fact) {
        self.time = time
        self.fact = fact
    }
}

/// Properties by interface and name, such as `Device1.Connected`, with their values as text.
package typealias BusProperties = [String: String]

/// A method call on the bus.
package struct BusCall: Equatable, Swift.Sendable {
    /// The identity of a call, which its reply repeats.
    package struct ID: Hashable, Swift.Sendable {
        /// The unique name of the caller; `nil` is this program.
        package let caller: String?
        package let serial: UInt32

        package init(caller: String? = nil, serial: UInt32) {
            self.caller = caller
            self.serial = serial
        }
    }

    package let id: ID
    /// The interface without its prefix and the member, such as `Device1.Connect`.
    package let name: String
    /// The object that the call concerns.
    package let path: String
    /// Whether this program receives the call.
    package let isReceived: Bool

    package init(_ id: ID, _ name: String, path: String, isReceived: Bool = false) {
        self.id = id
        self.name = name
        self.path = path
        self.isReceived = isReceived
    }
}
