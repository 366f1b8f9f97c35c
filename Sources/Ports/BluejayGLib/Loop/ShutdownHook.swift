/// Registers work that must finish before a loop ends, until it is released.
///
/// A user of a loop holds it while a resource is open, such as a link.
package final class ShutdownHook {
    private let id: Int
    private let context: MainContext

    init(_ number: Int, on context: MainContext) {
        self.id = number
        self.context = context
    }

    deinit {
        guard !context.isCurrent else { return context.removeShutdownHook(id) }
        let (context, number) = (context, id)
        context.post { context.removeShutdownHook(number) }
    }
}

/// The registered closers of a loop.
final class ShutdownHooks {
    typealias Handler = (_ done: @escaping () -> Void) -> Void

    private var handlers: [Int: Handler] = [:]
    private var lastID = 0
    /// The closers that have not finished, or nil while the loop is not about to end.
    private var pendingIDs: Set<Int>?
    private var completion: () -> Void = {}
    private var timeoutTimer: ScheduledTimer?

    func add(_ close: @escaping Handler) -> Int {
        lastID += 1
        handlers[lastID] = close
        return lastID
    }

    func remove(_ number: Int) {
        // The closure is released after the change: it may hold the last reference to another closer.
        let close = handlers.removeValue(forKey: number)
        withExtendedLifetime(close) { finish(number) }
    }

    /// Calls all closers, then `ended` when all have finished or the limit has passed.
    func run(on context: MainContext, within duration: Duration, _ ended: @escaping () -> Void) {
        let asked = handlers.sorted { $0.key < $1.key }
        pendingIDs = Set(asked.map(\.key))
        self.completion = ended
        timeoutTimer = MainContextClock(on: context).schedule(after: duration) { [self] in
            complete()
        }
        for (number, close) in asked { close { [weak self] in self?.finish(number) } }
        completeIfIdle()
    }

    private func finish(_ number: Int) {
        guard pendingIDs?.remove(number) != nil else { return }
        completeIfIdle()
    }

    private func completeIfIdle() {
        if let pendingIDs, pendingIDs.isEmpty { complete() }
    }

    private func complete() {
        guard pendingIDs != nil else { return }
        pendingIDs = nil
        timeoutTimer = nil
        let ended = completion
        self.completion = {}
        ended()
    }
}
