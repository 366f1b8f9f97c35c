package import BluejayDBus

/// One message of a bus, as seen by a monitor.
package struct RecordedMessage: Equatable, Swift.Sendable {
    package enum Kind: Equatable, Swift.Sendable {
        case call, reply, error, signal
    }

    package var kind: Kind
    /// The serial of the sender; 0 for a message that describes the state before the recording.
    package var serial: UInt32
    /// The serial of the call that it answers; otherwise 0.
    package var replySerial: UInt32
    /// A unique name, or `org.freedesktop.DBus`; absent texts are empty.
    package var sender: String
    /// A unique or a well-known name; empty for a broadcast signal.
    package var destination: String
    package var path: String
    package var interface: String
    package var member: String
    package var errorName: String
    /// The arguments, with the text `descriptor` for a file descriptor.
    package var arguments: [BusValue]
    /// The process of the sender, if the bus knows it.
    package var senderProcess: Int?

    package init(
        _ kind: Kind,
        serial: UInt32,
        replySerial: UInt32 = 0,
        sender: String,
        destination: String = "",
        path: String = "",
        interface: String = "",
        member: String = "",
        errorName: String = "",
        arguments: [BusValue] = [],
        senderProcess: Int? = nil
    ) {
        self.kind = kind
        self.serial = serial
        self.replySerial = replySerial
        self.sender = sender
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.errorName = errorName
        self.arguments = arguments
        self.senderProcess = senderProcess
    }

    /// Copies a message without its file descriptors.
    ///
    /// A copy of a descriptor would keep a socket open after its users have closed it.
    init(_ message: BusMessage) {
        let kind: Kind =
            switch message.kind {
            case .methodCall: .call
            case .methodReturn: .reply
            case .error: .error
            case .signal: .signal
            }
        self.init(
            kind,
            serial: message.serial,
            replySerial: message.replySerial,
            sender: message.sender ?? "",
            destination: message.destination ?? "",
            path: message.path?.text ?? "",
            interface: message.interface ?? "",
            member: message.member ?? "",
            errorName: message.errorName ?? "",
            arguments: ((try? message.arguments()) ?? []).map(\.withoutDescriptors)
        )
    }

    /// The new owner of `org.bluez` if this message reports a change; empty if the name has no owner.
    package var newOwnerOfBlueZ: String? {
        guard kind == .signal, sender == Bus.name, member == "NameOwnerChanged",
            arguments.count == 3, arguments.first?.text == Bus.bluez
        else { return nil }
        return arguments.last?.text
    }

    /// Returns the first message of a recording: the owner of `org.bluez` at its start.
    package static func initialOwner(_ owner: String) -> RecordedMessage {
        RecordedMessage(
            .signal,
            serial: 0,
            sender: Bus.name,
            path: Bus.path.text,
            interface: Bus.name,
            member: "NameOwnerChanged",
            arguments: [.string(Bus.bluez), .string(""), .string(owner)]
        )
    }
}

/// The names of the bus itself and of BlueZ on it.
enum Bus {
    static let name = "org.freedesktop.DBus"
    static let path: ObjectPath = "/org/freedesktop/DBus"
    static let bluez = "org.bluez"
}

extension BusValue {
    var withoutDescriptors: BusValue {
        switch self {
        case .fileDescriptor: .string("descriptor")
        case .variant(let inner): .variant(inner.withoutDescriptors)
        case .structure(let fields): .structure(fields.map(\.withoutDescriptors))
        case .array(let elements, let type):
            type.contains("h")
                ? .array(elements.map(\.withoutDescriptors), element: "s") : self
        case .dictionary(let entries, let key, let value):
            .dictionary(
                entries.map { BusEntry($0.key, $0.value.withoutDescriptors) },
                key: key,
                value: value
            )
        default: self
        }
    }
}
