/// A part of a command with a start and an end.
package struct Span: Equatable, Swift.Sendable {
    package enum Kind: Equatable, Swift.Sendable {
        /// Until bluetoothd has listed its objects.
        case start
        /// The wait of an operation for the operations before it.
        case queue
        case scan
        case connect
        /// The discovery of the services of a device.
        case discovery
        case read
        case write
        case subscribe
        /// The time with a subscription.
        case notifications
        case unsubscribe
        case pairing
        /// The wait for the user's answer during pairing.
        case prompt
        case disconnect
        case removal
        /// The registration of services and advertisements.
        case publication
        /// Another call to bluetoothd.
        case call
    }

    package let kind: Kind
    /// The call to bluetoothd, such as `Device1.Connect`; empty for a span without a call.
    package let name: String
    /// The device, the attribute or the operation, safe for a terminal; may be empty.
    package let subject: String
    /// The path of the device or the adapter; empty for the queue.
    package let path: String
    /// The name of the device or the adapter, with the address of a device; empty for the queue.
    package let owner: String
    package let start: Duration
    /// The end, or `nil` if the command ended first.
    package internal(set) var end: Duration?
    /// The error, or `nil`.
    package internal(set) var error: String?

    package init(
        _ kind: Kind,
        _ subject: String = "",
        name: String = "",
        path: String = "",
        owner: String = "",
        from start: Duration,
        to end: Duration? = nil,
        error: String? = nil
    ) {
        self.kind = kind
        self.name = name
        self.subject = subject
        self.path = path
        self.owner = owner
        self.start = start
        self.end = end
        self.error = error
    }
}

extension Span {
    /// The error, `ok`, or a text for a span that lasted until the end of the command.
    package var result: String {
        if let error { return error }
        guard end == nil else { return "ok" }
        return kind == .scan || kind == .notifications ? "until the end" : "unfinished"
    }
}

extension Span.Kind {
    /// The kind of the span of a call to bluetoothd.
    init(callNamed name: String) {
        self =
            switch name {
            case "Adapter1.StartDiscovery": .scan
            case "Device1.Connect": .connect
            case "Device1.Disconnect": .disconnect
            case "Device1.Pair": .pairing
            case "GattCharacteristic1.ReadValue", "GattDescriptor1.ReadValue": .read
            case "GattCharacteristic1.WriteValue", "GattDescriptor1.WriteValue": .write
            case "GattCharacteristic1.StartNotify", "GattCharacteristic1.AcquireNotify": .subscribe
            case "GattCharacteristic1.StopNotify": .unsubscribe
            case "Adapter1.RemoveDevice": .removal
            case "GattManager1.RegisterApplication", "LEAdvertisingManager1.RegisterAdvertisement":
                .publication
            default: .call
            }
    }
}

/// An observation between the start and the end of a command.
package struct Note: Equatable, Swift.Sendable {
    package enum Source: Equatable, Swift.Sendable {
        case bluetoothd
        /// The library, about an operation of its queue.
        case library
        /// Another program, or bluetoothd by itself.
        case other
        /// A program, with its name and process.
        case program(String)
    }

    package let time: Duration
    package let source: Source
    /// The device, the adapter or the attribute; may be empty.
    package let subject: String
    package let text: String

    package init(_ time: Duration, _ source: Source, _ subject: String, _ text: String) {
        self.time = time
        self.source = source
        self.subject = subject
        self.text = text
    }
}

/// An operation of the library's queue.
package struct OperationSpan: Equatable, Swift.Sendable {
    /// The description, such as `read of 2A19`.
    package let name: String
    package let enqueued: Duration
    package internal(set) var started: Duration?
    package internal(set) var end: Duration?
    package internal(set) var error: String?
}

/// A call of another program to bluetoothd.
package struct ForeignCall: Equatable, Swift.Sendable {
    /// The program and its process, or its name on the bus.
    package let program: String
    /// The member with its interface, such as `Device1.Connect`.
    package let name: String
    package let subject: String
    /// The path of the device, or of the adapter.
    package let path: String
    package let start: Duration
    package internal(set) var end: Duration?
    package internal(set) var error: String?
}

/// The first advertisement of a device during a command.
package struct Sighting: Equatable, Swift.Sendable {
    package let time: Duration
    package let subject: String
    package let path: String
}
