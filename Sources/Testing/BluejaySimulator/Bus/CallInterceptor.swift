internal import BluejayDBus

/// Holds or refuses calls of some methods on their way from the bus to bluetoothd's objects.
final class CallInterceptor {
    private var heldMembers: Set<String> = []
    private var errors: [String: BusError] = [:]
    private var heldMessages: [BusMessage] = []
    private let serve: (BusMessage) -> Bool
    private let sendError: (BusMessage, BusError) -> Void

    init(on connection: BusConnection) {
        serve = connection.onMethodCall ?? { _ in false }
        sendError = { [weak connection] in connection?.sendReply($0, $1) }
    }

    func handle(_ message: BusMessage) -> Bool {
        guard let member = message.member else { return serve(message) }
        if let error = errors[member] {
            sendError(message, error)
            return true
        }
        guard heldMembers.contains(member) else { return serve(message) }
        heldMessages.append(message)
        return true
    }

    func hold(_ member: String) {
        heldMembers.insert(member)
    }

    func fail(_ member: String, with error: BusError) {
        errors[member] = error
    }

    /// Serves the calls of a method again, the held ones first.
    func release(_ member: String) {
        errors[member] = nil
        heldMembers.remove(member)
        let released = heldMessages.filter { $0.member == member }
        heldMessages.removeAll { $0.member == member }
        for message in released { _ = serve(message) }
    }

    /// Discards the held calls of a client.
    func discardCalls(of client: String) {
        heldMessages.removeAll { $0.sender == client }
    }
}
