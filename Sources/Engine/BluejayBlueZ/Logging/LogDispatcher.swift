internal import BluejayGLib

/// Who hears the lines as text.
package protocol LogSink: AnyObject {
    /// Those who hear at this moment.
    var hearers: [LogSubscriber] { get }

    /// Tells them a line, now or in a later turn.
    func hear(_ line: String)
}

extension LogSink {
    var isListening: Bool { !hearers.isEmpty }
}

/// One who hears lines, named so that nobody hears a line twice.
package struct LogSubscriber {
    let id: ObjectIdentifier
    package let hear: (String) -> Void

    package init(_ object: AnyObject, hear: @escaping (String) -> Void) {
        id = ObjectIdentifier(object)
        self.hear = hear
    }
}

/// The audiences of all who share one connection to bluetoothd: they hear what concerns no one of them.
///
/// The engine may say something in the middle of anything, such as the end of somebody's share in a
/// link, and whoever hears it may call back in: its lines are told in a later turn.
// Confined to the loop, like all of the engine: that is the invariant behind `@unchecked`.
package final class LogDispatcher: LogSink, @unchecked Swift.Sendable {
    private struct Member {
        weak var audience: (any LogSink)?
    }

    private struct Waiting {
        let line: String
        /// Whose it is; nil is everybody's.
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

    /// Takes a line of one audience when others wait, behind which it belongs.
    ///
    /// - Returns: Whether it was taken.
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

    // What is said meanwhile waits for the next turn.
    private func tell() {
        isPosted = false
        for _ in 0..<waiting.count where !waiting.isEmpty {
            let next = waiting.removeFirst()
            // A loop inside a hearer goes on with the others.
            if !waiting.isEmpty { post() }
            for hearer in next.owner?.hearers ?? hearers { hearer.hear(next.line) }
        }
    }
}
