internal import FoundationEssentials

/// A call of a distributed method, on its way to a peripheral.
struct OutgoingCall: Swift.Sendable {
    enum Form: Swift.Sendable {
        /// A method without parameters that returns a value: a GATT read where possible.
        case read
        case withReply
        /// The link and the service only.
        case connect
        /// A message without a reply.
        case oneWay
    }

    let service: UUID
    let characteristic: UUID
    let form: Form
    /// The JSON array of the arguments.
    let arguments: Data
    /// The mangled name of a method that the peripheral cannot list.
    let target: String?
    /// Whether a subscription of a central that writes no frames calls the method.
    var isSubscribable = false

    /// A call that only establishes the link and looks for a service.
    static func connect(to service: UUID) -> OutgoingCall {
        OutgoingCall(
            service: service,
            characteristic: service,
            form: .connect,
            arguments: Data(),
            target: nil
        )
    }

    var body: Data {
        guard let target else { return arguments }
        return Data(target.utf8) + [0] + arguments
    }
}
