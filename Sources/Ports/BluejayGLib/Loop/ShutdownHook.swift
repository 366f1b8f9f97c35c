/// Registers work that must finish before a loop ends, until it is released.
///
/// A user of a loop retains it while a resource is open, such as a link.
package final class ShutdownHook {
    private let id: Int
    private let context: MainContext

    init(_ id: Int, on context: MainContext) {
        self.id = id
        self.context = context
    }

    deinit {
        guard !context.isCurrent else { return context.removeShutdownHook(id) }
        let (context, id) = (context, id)
        context.post { context.removeShutdownHook(id) }
    }
}

/// The registered shutdown hooks of a loop.
final class ShutdownHooks {
    typealias Handler = (_ completion: @escaping () -> Void) -> Void

    private var hooks: [Int: (handler: Handler, ended: () -> Void)] = [:]
    private var lastID = 0
    /// The hooks that have not finished, or nil while the loop is not about to end.
    private var pendingIDs: Set<Int>?
    private var completions: [() -> Void] = []
    private var isLoopEnding = false
    private var timeoutTimer: ScheduledTimer?

    func add(_ handler: @escaping Handler, _ ended: @escaping () -> Void) -> Int {
        lastID += 1
        hooks[lastID] = (handler, ended)
        return lastID
    }

    func remove(_ id: Int) {
        // The closures are released after the change: they may hold the last reference to another hook.
        let hook = hooks.removeValue(forKey: id)
        withExtendedLifetime(hook) { finish(id) }
    }

    /// Calls all handlers, then `completion` when all have finished or the time has passed.
    ///
    /// A call during an earlier one calls no handler again, and completes with it.
    ///
    /// - Parameters:
    ///   - context: The context of the hooks.
    ///   - duration: The limit for the handlers.
    ///   - isLoopEnding: Whether the loop ends afterwards, which each hook learns by `ended`.
    ///   - completion: Called once.
    func run(
        on context: MainContext,
        within duration: Duration,
        isLoopEnding: Bool,
        _ completion: @escaping () -> Void
    ) {
        completions.append(completion)
        if isLoopEnding { self.isLoopEnding = true }
        guard pendingIDs == nil else { return }
        let sorted = hooks.sorted { $0.key < $1.key }
        pendingIDs = Set(sorted.map(\.key))
        timeoutTimer = MainContextClock(on: context).schedule(after: duration) { [self] in
            complete()
        }
        for (id, hook) in sorted { hook.handler { [weak self] in self?.finish(id) } }
        completeIfIdle()
    }

    private func finish(_ id: Int) {
        guard pendingIDs?.remove(id) != nil else { return }
        completeIfIdle()
    }

    private func completeIfIdle() {
        if let pendingIDs, pendingIDs.isEmpty { complete() }
    }

    private func complete() {
        guard pendingIDs != nil else { return }
        pendingIDs = nil
        timeoutTimer = nil
        let completions = completions
        self.completions = []
        if isLoopEnding {
            isLoopEnding = false
            for (_, hook) in hooks.sorted(by: { $0.key < $1.key }) { hook.ended() }
        }
        for completion in completions { completion() }
    }
}
