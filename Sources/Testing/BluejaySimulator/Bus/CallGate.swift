internal import BluejayDBus

/// Holds or refuses calls of some methods on their way from the bus to bluetoothd's objects.
final class CallGate {
    private var members: Set<String> = []
    private var refusals: [String: BusError] = [:]
    private var waiting: [BusMessage] = []
    private let serve: (BusMessage) -> Bool
    private let answer: (BusMessage, BusError) -> Void

    init(on connection: BusConnection) {
        serve = connection.onMethodCall ?? { _ in false }
        answer = { [weak connection] in connection?.answer($0, $1) }
    }

    func handle(_ message: BusMessage) -> Bool {
        guard let member = message.member else { return serve(message) }
        if let error = refusals[member] {
            answer(message, error)
            return true
        }
        guard members.contains(member) else { return serve(message) }
        waiting.append(message)
        return true
    }

    func hold(_ member: String) {
        members.insert(member)
    }

    func refuse(_ member: String, with error: BusError) {
        refusals[member] = error
    }

    /// Serves the calls of a method again, the held ones first.
    func release(_ member: String) {
        refusals[member] = nil
        members.remove(member)
        let released = waiting.filter { $0.member == member }
        waiting.removeAll { $0.member == member }
        for message in released { _ = serve(message) }
    }
}
