internal import CBluejay
internal import Glibc
internal import Synchronization

/// A GLib main context, on which an engine, a server or a simulator runs.
///
/// All members may be used only on the thread for which `isCurrent` is true. Any thread may use `post`,
/// `quit`, `shutDown`, `warnIfNotRun`, `environment` and `isCurrent`. That invariant justifies `@unchecked
/// Sendable`: the C context is thread-safe, and `sharedObjects`, `mainQueue`, `shutdownHooks` and
/// `callbackQueues` are used only where it is current.
@usableFromInline @safe package final class MainContext: @unchecked Swift.Sendable {
    /// GLib's default context, which a GLib application runs on its main thread.
    package static let main = unsafe MainContext(adopting: bluejay_context_default())

    let pointer: OpaquePointer
    private let loop: OpaquePointer
    private var sharedObjects: [String: AnyObject] = [:]
    /// The thread that may use the context while no thread runs it; 0 until it is known.
    private let owningThread = Atomic<UInt>(0)
    private let hasThread = Atomic(false)
    private let threadHasEnded = Atomic(false)
    /// The number of posts that wait for `drainPostsAfterThreadEnd`.
    private let postsAfterThreadEnd = Atomic(0)
    let posted: PostedWork
    private let isDefault: Bool
    private let blockedThreads = BlockedThreads()
    private var mainQueue: FileDescriptorSource?
    private let servesMainQueue = Atomic(false)
    /// Drives the default context from the main queue, on the main thread.
    private var driver: MainQueueDriver?
    private let shutdownHooks = ShutdownHooks()
    /// The callbacks that wait for their actors; on the context only.
    let callbackQueues = CallbackQueues()
    /// Whether `shutDown` was called for the present run.
    private let isShuttingDown = Atomic(false)
    private let unrunLoopDetector = UnrunLoopDetector()
    /// The clock and the bus address, which a test may replace.
    package let environment = LockedValue(LoopEnvironment())

    /// Creates a new context, which the caller runs on any thread.
    package convenience init() {
        let fresh = unsafe bluejay_context_new()
        unsafe self.init(adopting: fresh)
        unsafe bluejay_context_unref(fresh)
    }

    /// Creates a second loop over the context of `outer`, as a dialog runs one inside a callback.
    package convenience init(nestedIn outer: MainContext) {
        unsafe self.init(adopting: outer.pointer, outer.posted)
    }

    /// - Parameters:
    ///   - context: A `GMainContext`, which is retained.
    ///   - posted: The posted work of another instance over the same context.
    init(adopting context: OpaquePointer?, _ posted: PostedWork? = nil) {
        // Both functions abort when memory is exhausted and never return NULL.
        guard let context = unsafe context, let loop = unsafe bluejay_loop_new(context) else {
            preconditionFailure("GLib gave no main context")
        }
        unsafe pointer = unsafe bluejay_context_ref(context)
        unsafe self.loop = unsafe loop
        self.posted = unsafe posted ?? PostedWork(on: context)
        isDefault = unsafe context == bluejay_context_default()
    }

    deinit {
        unsafe bluejay_loop_unref(loop)
        unsafe bluejay_context_unref(pointer)
    }

    /// Whether the calling thread may use the objects confined to this context.
    ///
    /// True inside the running loop. Before and after, the context is current on one thread, because a
    /// program creates its objects before it runs the loop: the thread that ran it last; otherwise, for
    /// GLib's default context, the main thread, and for another the first thread that reads this property.
    /// A context with a dedicated thread is current only there.
    package var isCurrent: Bool {
        let thread = bluejay_current_thread()
        if hasThread.load(ordering: .acquiring) {
            return owningThread.load(ordering: .relaxed) == thread
        }
        if unsafe bluejay_context_is_owner(pointer) != 0 { return true }
        guard isOwningThread(thread) else { return false }
        // Another thread may still run it.
        guard unsafe bluejay_context_acquire(pointer) != 0 else { return false }
        unsafe bluejay_context_release(pointer)
        return true
    }

    /// Whether the loop is ending, so that a new shutdown hook may not be called, or has ended.
    package var isEnding: Bool { isShuttingDown.load(ordering: .acquiring) || hasEnded }

    /// Whether a dedicated thread runs the context, so that it does not run again after its end.
    package var isDedicated: Bool { hasThread.load(ordering: .acquiring) || hasEnded }

    /// Whether the dedicated thread has ended.
    package var hasEnded: Bool { threadHasEnded.load(ordering: .acquiring) }

    /// Whether the dedicated thread runs the context, or the calling thread is inside the running loop.
    var isRunning: Bool {
        unsafe hasThread.load(ordering: .relaxed) || bluejay_context_is_owner(pointer) != 0
    }

    private func isOwningThread(_ thread: UInt) -> Bool {
        if isDefault, owningThread.load(ordering: .relaxed) == 0 { return NamedThread.isMain }
        let former = owningThread.compareExchange(expected: 0, desired: thread, ordering: .relaxed)
            .original
        return former == 0 || former == thread
    }

    /// The nesting depth of sources on the calling thread: 0 outside of all, 1 inside a callback, and one
    /// more for each loop inside a callback.
    package static var dispatchDepth: Int { Int(bluejay_depth()) }

    /// Runs `work` on the context on a later iteration, in the order of the calls.
    ///
    /// Any thread may call it. If the dedicated thread has ended, the work runs before this method returns,
    /// on the calling thread or on the thread that runs other such work: objects that outlive their loop
    /// can still be released.
    package func post(_ work: @escaping @Sendable () -> Void) {
        posted.add(work)
        // Not before: the thread may end, and run what was posted, between the two.
        guard hasEnded else { return }
        postsAfterThreadEnd.add(1, ordering: .acquiringAndReleasing)
        drainPostsAfterThreadEnd()
    }

    /// Runs `work` at once if the context is current and no posted work waits; otherwise posts it.
    ///
    /// The order of the calls is preserved either way.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        if isCurrent, posted.isEmpty { work() } else { post(work) }
    }

    /// Runs the loop on the calling thread until `quit` is called.
    ///
    /// On the process's main thread the loop also serves `DispatchQueue.main` and the main actor.
    package func run() {
        owningThread.store(bluejay_current_thread(), ordering: .relaxed)
        blockedThreads.loopStarted()
        // A context other than the default one serves the main queue while it runs.
        var temporary: FileDescriptorSource?
        if isDefault {
            serveMainQueue()
        } else if NamedThread.isMain {
            temporary = makeMainQueueSource()
        }
        unsafe bluejay_loop_run(loop)
        temporary?.cancel()
    }

    /// Ends `run` after the work posted before.
    ///
    /// Does nothing if the loop never runs.
    package func quit() {
        post { [self] in
            unsafe bluejay_loop_quit(loop)
            // The end of a dedicated thread runs the later posts.
            if !hasThread.load(ordering: .relaxed) { blockedThreads.loopEnded() }
        }
    }

    /// Starts a dedicated thread that runs this context until `quit`; the thread owns it on return.
    package func startThread(named name: String) {
        let started = OneShotEvent()
        NamedThread.start(name) { [self] in
            unsafe bluejay_context_push_thread_default(pointer)
            owningThread.store(bluejay_current_thread(), ordering: .relaxed)
            hasThread.store(true, ordering: .releasing)
            started.signal()
            unsafe bluejay_loop_run(loop)
            threadHasEnded.store(true, ordering: .releasing)
            hasThread.store(false, ordering: .releasing)
            // Work may have been posted between the quit and the end.
            postsAfterThreadEnd.add(1, ordering: .acquiringAndReleasing)
            unsafe bluejay_context_pop_thread_default(pointer)
            drainPostsAfterThreadEnd()
        }
        started.wait()
    }

    /// Runs the work posted to a context whose dedicated thread has ended, on one thread at a time.
    private func drainPostsAfterThreadEnd() {
        // Inside such work, the outer call runs the new work.
        guard unsafe bluejay_context_is_owner(pointer) == 0 else { return }
        while postsAfterThreadEnd.load(ordering: .acquiring) > 0 {
            guard unsafe bluejay_context_acquire(pointer) != 0 else { return }
            let count = postsAfterThreadEnd.load(ordering: .acquiring)
            // At most a thousand iterations: timers that create timers never end.
            var iterations = 0
            while iterations < 1000, unsafe bluejay_context_iterate(pointer) != 0 {
                iterations += 1
            }
            blockedThreads.cancelStarted()
            unsafe bluejay_context_release(pointer)
            postsAfterThreadEnd.subtract(count, ordering: .acquiringAndReleasing)
        }
    }

    /// Returns the object for a key, which the users of a context share; creates it at the first use.
    package func sharedObject<T: AnyObject>(_ key: String, create: () -> T) -> T {
        if let holder = sharedObjects[key] as? WeakHolder, let object = holder.object as? T {
            return object
        }
        let object = create()
        sharedObjects[key] = WeakHolder(object)
        return object
    }

    // MARK: Nested loops

    /// Runs iterations on the calling thread, at least one, until `isDone`.
    ///
    /// The context must be current: the calling thread is the loop's, inside a callback, or the main thread
    /// while no thread runs the default context.
    ///
    /// - Parameter isDone: Evaluated after each iteration, which waits for an event.
    package func iterate(until isDone: () -> Bool) {
        serveMainQueue()
        blockedThreads.loopStarted()
        // Inside an iteration of the driver, the driver and the main queue already wait for this call.
        let paused = driver.flatMap { $0.isIterating ? nil : $0 }
        paused?.pause()
        let mainQueue = paused == nil ? nil : makeMainQueueSource()
        repeat { _ = unsafe bluejay_context_wait(pointer) } while !isDone()
        mainQueue?.cancel()
        paused?.resume()
    }

    // MARK: The main queue

    /// Drains `DispatchQueue.main`, and with it the main actor, in the iterations of the default context.
    ///
    /// Does nothing off the main thread, or if another thread runs the context. `RunLoop` or another library
    /// may drain the queue as well.
    func serveMainQueue() {
        guard isDefault, !servesMainQueue.load(ordering: .relaxed) else { return }
        guard NamedThread.isMain, isCurrent else { return }
        // With a driver, the main queue serves the context and has to be woken.
        if let driver { return driver.scheduleIteration() }
        servesMainQueue.store(true, ordering: .relaxed)
        mainQueue = makeMainQueueSource()
    }

    /// Creates a source that drains the main queue on the main thread.
    private func makeMainQueueSource() -> FileDescriptorSource? {
        let descriptor = _dispatch_get_main_queue_handle_4CF()
        guard descriptor >= 0 else { return nil }
        // The queue cannot be drained inside itself, so that the source does not recurse.
        return FileDescriptorSource(descriptor, .readable, on: self, canRecurse: false) {
            [weak self] _ in
            guard NamedThread.isMain else { return self?.stopServingMainQueue() ?? () }
            var count: UInt64 = 0
            _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
            _dispatch_main_queue_callback_4CF(nil)
        }
    }

    // A thread other than the main one has started to run the context and must not drain the queue.
    private func stopServingMainQueue() {
        mainQueue?.cancel()
        mainQueue = nil
        servesMainQueue.store(false, ordering: .relaxed)
    }

    /// Lets the main queue run the default context until `stopOnMainQueue`.
    ///
    /// For a main thread that runs a `RunLoop` and no GLib loop, as in XCTest; called on the main thread.
    package func startOnMainQueue() {
        guard isDefault, NamedThread.isMain, driver == nil else { return }
        mainQueue?.cancel()
        mainQueue = nil
        servesMainQueue.store(false, ordering: .relaxed)
        blockedThreads.loopStarted()
        driver = MainQueueDriver(self)
        driver?.scheduleIteration()
    }

    /// Returns the default context to GLib's loops.
    package func stopOnMainQueue() {
        driver?.end()
        driver = nil
        serveMainQueue()
    }

    // MARK: Blocked threads

    /// Runs `work` on the context, and blocks the calling thread until `work` calls `resume`.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for the start of the work; after it the work never starts.
    ///   - work: Calls `resume` at once or later; a second call does nothing.
    /// - Returns: The value, or `nil` if the loop has ended or the limit has passed.
    package func wait<Value>(
        within timeout: Duration? = nil,
        _ work: @escaping (_ resume: @escaping (Value) -> Void) -> Void
    ) -> Value? {
        guard let call = blockedThreads.add({ BlockingCall<Value>($0, work) }) else { return nil }
        post { call.start() }
        let value = call.wait(within: timeout)
        blockedThreads.remove(call)
        return value
    }

    // MARK: Use

    /// Records that the context is used; any thread may call it, any number of times.
    ///
    /// The default context serves the main queue from then on. If no thread runs the context within the
    /// time limit, `report` receives one warning.
    package func warnIfNotRun(
        within timeout: Duration = .seconds(3),
        report: @escaping @Sendable (String) -> Void = StandardError.write
    ) {
        serveMainQueue()
        unrunLoopDetector.start(self, timeout, report)
    }

    // MARK: Ending

    /// Registers a closure that is called before the loop ends: at `shutDown`, at a signal, at the release of
    /// the loop.
    ///
    /// - Parameters:
    ///   - handler: Called on the context each time the loop is about to end, in the order of registration. It
    ///     calls `completion` once, at once or later. The loop waits no longer than the limit passed to
    ///     `shutDown`.
    ///   - ended: Called after the handlers of all hooks have finished, or the time has passed.
    /// - Returns: The registration. Releasing it while the loop waits counts as `completion`.
    package func addShutdownHook(
        _ handler: @escaping (_ completion: @escaping () -> Void) -> Void,
        ended: @escaping () -> Void = {}
    ) -> ShutdownHook {
        ShutdownHook(shutdownHooks.add(handler, ended), on: self)
    }

    func removeShutdownHook(_ id: Int) { shutdownHooks.remove(id) }

    /// Ends `run`, or the dedicated thread, when all registered closures have finished.
    ///
    /// Any thread may call it; a second call before the end does nothing.
    ///
    /// - Parameter timeout: The time limit for the closures.
    package func shutDown(within timeout: Duration = .seconds(5)) {
        guard !isShuttingDown.exchange(true, ordering: .relaxed) else { return }
        post { [self] in
            shutdownHooks.run(on: self, within: timeout, isLoopEnding: true) { [self] in
                // Work that was posted meanwhile runs first.
                // A dedicated thread does not run again.
                post { [self] in
                    if !hasThread.load(ordering: .relaxed) {
                        isShuttingDown.store(false, ordering: .relaxed)
                    }
                }
                quit()
            }
        }
    }

    /// Closes what the registered closures close, such as links, as if the loop were about to end.
    ///
    /// Any thread may call it.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for the closures.
    ///   - completion: Called on the context when they have finished.
    package func closeResources(
        within timeout: Duration = .seconds(5),
        _ completion: @escaping @Sendable () -> Void
    ) {
        post { [self] in
            shutdownHooks.run(on: self, within: timeout, isLoopEnding: false, completion)
        }
    }
}

private final class WeakHolder {
    weak var object: AnyObject?
    init(_ object: AnyObject) { self.object = object }
}
