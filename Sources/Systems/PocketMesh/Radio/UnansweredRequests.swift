/// The requests of one link that have no answer yet; tells a silent radio from a radio that refuses.
///
/// When a request has waited for 30 s, bluetoothd fails all of them with ATT 0x0E, and drops the link two
/// seconds later. Instants are arguments.
struct UnansweredRequests: Equatable {
    /// How long a request may wait (Core Specification, Vol 3, Part F, 3.3.3).
    static let limit = Duration.seconds(30)
    /// How far the clock of bluetoothd may be ahead of ours.
    private static let tolerance = Duration.seconds(1)

    private var sent: [Int: Duration] = [:]
    /// Whether a request has waited for too long: no later answer of the link is the radio's own.
    private(set) var hasTimedOut = false

    /// A request has left.
    mutating func began(_ request: Int, now: Duration) {
        sent[request] = now
    }

    /// bluetoothd has answered a request, with an ATT code if it failed with one.
    mutating func ended(_ request: Int, attributeCode: UInt8?, now: Duration) {
        if attributeCode == 0x0E, isOverdue(now: now) { hasTimedOut = true }
        sent[request] = nil
    }

    /// Whether a request has waited for as long as bluetoothd lets it wait.
    func isOverdue(now: Duration) -> Bool {
        sent.values.contains { now - $0 >= Self.limit - Self.tolerance }
    }
}
