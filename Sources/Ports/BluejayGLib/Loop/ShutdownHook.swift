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
    private var completion: () -> Void = {}
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
    func run(on context: MainContext, within duration: Duration, _ completion: @escaping () -> Void)
    {
        let sorted = hooks.sorted { $0.key < $1.key }
        pendingIDs = Set(sorted.map(\.key))
        self.completion = completion
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
        let completion = completion
        self.completion = {}
        for (_, hook) in hooks.sorted(by: { $0.key < $1.key }) { hook.ended() }
        completion()
    }
}
