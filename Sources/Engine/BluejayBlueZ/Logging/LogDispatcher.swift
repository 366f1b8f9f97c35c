internal import BluejayGLib

package protocol LogSink: AnyObject {
    var subscribers: [LogSubscriber] { get }

    /// Delivers a line to the subscribers, now or on a later iteration.
    func write(_ line: String)
}

extension LogSink {
    var hasSubscribers: Bool { !subscribers.isEmpty }
}

/// A subscriber of log lines, whose identity prevents duplicate delivery.
package struct LogSubscriber {
    let id: ObjectIdentifier
    package let write: (String) -> Void

    package init(_ object: AnyObject, write: @escaping (String) -> Void) {
        id = ObjectIdentifier(object)
        self.write = write
    }
}

/// The sinks of all users of one connection to bluetoothd, for lines that concern no single user.
///
/// The engine may log in the middle of any operation, such as the release of a lease, and a subscriber may
/// call the engine. Lines are therefore delivered on a later iteration.
// Confined to the loop, like the whole engine: that invariant justifies `@unchecked`.
package final class LogDispatcher: LogSink, @unchecked Swift.Sendable {
    private struct Member {
        weak var sink: (any LogSink)?
    }

    private struct PendingLine {
        let line: String
        /// The owner of the line; nil is all members.
        let owner: (any LogSink)?
    }

    private let context: MainContext
    private var members: [Member] = []
    private var pendingLines: [PendingLine] = []
    private var isPosted = false

    init(on context: MainContext) {
        self.context = context
    }

    package func add(_ sink: any LogSink) {
        remove(sink)
        members.append(Member(sink: sink))
    }

    package func remove(_ sink: any LogSink) {
        members.removeAll { $0.sink == nil || $0.sink === sink }
    }

    package var subscribers: [LogSubscriber] {
        var seen: Set<ObjectIdentifier> = []
        return members.flatMap { $0.sink?.subscribers ?? [] }.filter { seen.insert($0.id).inserted }
    }

    package func write(_ line: String) {
        enqueue(PendingLine(line: line, owner: nil))
    }

    /// Queues a line of one sink if others wait; returns whether it did.
    package func enqueueIfBusy(_ line: String, for sink: any LogSink) -> Bool {
        guard !pendingLines.isEmpty else { return false }
        enqueue(PendingLine(line: line, owner: sink))
        return true
    }

    private func enqueue(_ new: PendingLine) {
        pendingLines.append(new)
        post()
    }

    private func post() {
        guard !isPosted else { return }
        isPosted = true
        context.post { [weak self] in self?.deliver() }
    }

    // Lines added meanwhile wait for the next iteration.
    private func deliver() {
        isPosted = false
        for _ in 0..<pendingLines.count where !pendingLines.isEmpty {
            let next = pendingLines.removeFirst()
            // A nested main loop inside a subscriber delivers the remaining lines.
            if !pendingLines.isEmpty { post() }
            for subscriber in next.owner?.subscribers ?? subscribers { subscriber.write(next.line) }
        }
    }
}
