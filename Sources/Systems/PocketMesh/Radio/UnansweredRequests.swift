/// The requests of one link that have no reply yet; distinguishes a silent radio from one that rejects.
///
/// If a request has waited for 30 s, bluetoothd fails all requests with ATT 0x0E, and drops the link two
/// seconds later. Instants are arguments.
struct UnansweredRequests: Equatable {
    /// How long a request may wait (Core Specification, Vol 3, Part F, 3.3.3).
    static let timeout = Duration.seconds(30)
    /// How far the clock of bluetoothd may be ahead.
    private static let tolerance = Duration.seconds(1)

    private var sent: [Int: Duration] = [:]
    /// Whether a request has timed out: later replies on this link are not from the radio.
    private(set) var hasTimedOut = false

    /// Records that a request was sent.
    mutating func started(_ request: Int, now: Duration) {
        sent[request] = now
    }

    /// Records that bluetoothd replied to a request, with an ATT code if it failed with one.
    mutating func ended(_ request: Int, attributeCode: UInt8?, now: Duration) {
        if attributeCode == 0x0E, isOverdue(now: now) { hasTimedOut = true }
        sent[request] = nil
    }

    /// Whether a request has waited for as long as bluetoothd waits.
    func isOverdue(now: Duration) -> Bool {
        sent.values.contains { now - $0 >= Self.timeout - Self.tolerance }
    }
}
