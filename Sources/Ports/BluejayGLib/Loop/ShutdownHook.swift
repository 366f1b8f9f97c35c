/// Registers work that must finish before a loop ends, until it is released.
///
/// A user of a loop holds it while a resource is open, such as a link.
package final class ShutdownHook {
    private let number: Int
    private let context: MainContext

    init(_ number: Int, on context: MainContext) {
        self.number = number
        self.context = context
    }

    deinit {
        guard !context.isCurrent else { return context.removeCloser(number) }
        let (context, number) = (context, number)
        context.post { context.removeCloser(number) }
    }
}

/// The registered closers of a loop.
final class ShutdownHooks {
    typealias Close = (_ done: @escaping () -> Void) -> Void

    private var known: [Int: Close] = [:]
    private var lastNumber = 0
    /// The closers that have not finished, or nil while the loop is not about to end.
    private var waiting: Set<Int>?
    private var ended: () -> Void = {}
    private var limit: ScheduledTimer?

    func add(_ close: @escaping Close) -> Int {
        lastNumber += 1
        known[lastNumber] = close
        return lastNumber
    }

    func remove(_ number: Int) {
        // The closure is released after the change: it may hold the last reference to another closer.
        let close = known.removeValue(forKey: number)
        withExtendedLifetime(close) { finish(number) }
    }

    /// Calls all closers, then `ended` when all have finished or the limit has passed.
    func close(on context: MainContext, within duration: Duration, _ ended: @escaping () -> Void) {
        let asked = known.sorted { $0.key < $1.key }
        waiting = Set(asked.map(\.key))
        self.ended = ended
        limit = MainContextClock(on: context).schedule(after: duration) { [self] in end() }
        for (number, close) in asked { close { [weak self] in self?.finish(number) } }
        endIfDone()
    }

    private func finish(_ number: Int) {
        guard waiting?.remove(number) != nil else { return }
        endIfDone()
    }

    private func endIfDone() {
        if let waiting, waiting.isEmpty { end() }
    }

    private func end() {
        guard waiting != nil else { return }
        waiting = nil
        limit = nil
        let ended = ended
        self.ended = {}
        ended()
    }
}
