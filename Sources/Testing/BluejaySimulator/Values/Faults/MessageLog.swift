/// The messages between programs and bluetoothd, as triggers of faults.
package struct MessageLog: Swift.Sendable {
    /// The calls of programs and the signals and calls of bluetoothd, in their order; replies are omitted.
    package private(set) var messages: [FaultTrigger] = []
    private var counts: [FaultTrigger: Int] = [:]

    package init() {}

    mutating func appendCall(_ member: String) {
        append { .call(member, ordinal: $0) }
    }

    mutating func appendSent(_ member: String) {
        append { .sent(member, ordinal: $0) }
    }

    private mutating func append(_ trigger: (Int) -> FaultTrigger) {
        let count = counts[trigger(0), default: 0] + 1
        counts[trigger(0)] = count
        messages.append(trigger(count))
    }
}
