internal import BluejayDBus

/// Stands between the bus and bluetoothd's objects: calls of some methods wait here.
final class CallGate {
    private var members: Set<String> = []
    private var waiting: [BusMessage] = []
    private let serve: (BusMessage) -> Bool

    init(_ serve: @escaping (BusMessage) -> Bool) {
        self.serve = serve
    }

    func handle(_ message: BusMessage) -> Bool {
        guard let member = message.member, members.contains(member) else { return serve(message) }
        waiting.append(message)
        return true
    }

    func hold(_ member: String) {
        members.insert(member)
    }

    /// Lets the calls of a method through, those that wait first.
    func release(_ member: String) {
        members.remove(member)
        let released = waiting.filter { $0.member == member }
        waiting.removeAll { $0.member == member }
        for message in released { _ = serve(message) }
    }
}
