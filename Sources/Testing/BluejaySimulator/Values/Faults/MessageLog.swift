/// The messages between programs and bluetoothd, as triggers of faults.
package struct MessageLog: Swift.Sendable {
    package struct Message: Equatable, Swift.Sendable {
        package let trigger: FaultTrigger
        /// Whether bluetoothd sends another message before a fault at this one can occur.
        package fileprivate(set) var precedesAnother = false
    }

    /// The calls of programs and the signals and calls of bluetoothd, in their order; replies are omitted.
    package private(set) var messages: [Message] = []
    private var counts: [FaultTrigger: Int] = [:]
    /// The position of the last message that bluetoothd has sent since `sendingEnded`.
    private var lastSent: Int?

    package init() {}

    mutating func appendCall(_ member: String) {
        append { .call(member, ordinal: $0) }
    }

    mutating func appendSent(_ member: String) {
        if let lastSent { messages[lastSent].precedesAnother = true }
        lastSent = messages.count
        append { .sent(member, ordinal: $0) }
    }

    /// A fault at the last sent message would occur now.
    mutating func sendingEnded() {
        lastSent = nil
    }

    private mutating func append(_ trigger: (Int) -> FaultTrigger) {
        let count = counts[trigger(0), default: 0] + 1
        counts[trigger(0)] = count
        messages.append(Message(trigger: trigger(count)))
    }
}
