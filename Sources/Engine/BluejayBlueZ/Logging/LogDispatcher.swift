internal import BluejayGLib

package protocol LogSink: AnyObject {
    var hearers: [LogSubscriber] { get }

    /// Delivers a line to the subscribers, now or on a later iteration.
    func hear(_ line: String)
}

extension LogSink {
    var isListening: Bool { !hearers.isEmpty }
}

/// A subscriber of log lines, whose identity prevents duplicate delivery.
package struct LogSubscriber {
    let id: ObjectIdentifier
    package let hear: (String) -> Void

    package init(_ object: AnyObject, hear: @escaping (String) -> Void) {
        id = ObjectIdentifier(object)
        self.hear = hear
    }
}

/// The sinks of all users of one connection to bluetoothd, for lines that concern no single user.
///
/// The engine may log in the middle of any operation, such as the release of a lease, and a subscriber may
/// call the engine. Lines are therefore delivered on a later iteration.
// Confined to the loop, like the whole engine: that invariant justifies `@unchecked`.
package final class LogDispatcher: LogSink, @unchecked Swift.Sendable {
    private struct Member {
        weak var audience: (any LogSink)?
    }

    private struct Waiting {
        let line: String
        /// The owner of the line; nil is all members.
        let owner: (any LogSink)?
    }

    private let context: MainContext
    private var members: [Member] = []
    private var waiting: [Waiting] = []
    private var isPosted = false

    init(on context: MainContext) {
        self.context = context
    }

    package func add(_ audience: any LogSink) {
        remove(audience)
        members.append(Member(audience: audience))
    }

    package func remove(_ audience: any LogSink) {
        members.removeAll { $0.audience == nil || $0.audience === audience }
    }

    package var hearers: [LogSubscriber] {
        var seen: Set<ObjectIdentifier> = []
        return members.flatMap { $0.audience?.hearers ?? [] }.filter { seen.insert($0.id).inserted }
    }

    package func hear(_ line: String) {
        wait(Waiting(line: line, owner: nil))
    }

    /// Queues a line of one sink if others wait; returns whether it did.
    package func takes(_ line: String, of audience: any LogSink) -> Bool {
        guard !waiting.isEmpty else { return false }
        wait(Waiting(line: line, owner: audience))
        return true
    }

    private func wait(_ new: Waiting) {
        waiting.append(new)
        post()
    }

    private func post() {
        guard !isPosted else { return }
        isPosted = true
        context.post { [weak self] in self?.tell() }
    }

    // Lines added meanwhile wait for the next iteration.
    private func tell() {
        isPosted = false
        for _ in 0..<waiting.count where !waiting.isEmpty {
            let next = waiting.removeFirst()
            // A nested main loop inside a subscriber delivers the remaining lines.
            if !waiting.isEmpty { post() }
            for hearer in next.owner?.hearers ?? hearers { hearer.hear(next.line) }
        }
    }
}
