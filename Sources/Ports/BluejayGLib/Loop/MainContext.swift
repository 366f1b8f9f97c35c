internal import CBluejay
internal import Glibc
internal import Synchronization

/// A GLib main context: the one place where everything of an engine, a server or a simulator runs.
///
/// All members may be used only on the thread for which `isCurrent` is true, but for `post`, `quit`,
/// `end`, `noteUse`, `surroundings` and `isCurrent` themselves, which any thread may call. That is the invariant behind
/// `@unchecked Sendable`: the C context is thread-safe, and `attachments`, `mainQueue` and `closers`
/// are reached where it is current only.
@safe package final class MainContext: @unchecked Swift.Sendable {
    /// GLib's default context, which a GLib application runs on its main thread.
    package static let main = unsafe MainContext(adopting: bluejay_context_default())

    let pointer: OpaquePointer
    private let loop: OpaquePointer
    private var attachments: [String: AnyObject] = [:]
    /// The thread that may use the context while nobody runs it; 0 until that is known.
    private let home = Atomic<UInt>(0)
    /// Whether a thread of its own has the context for good.
    private let hasThread = Atomic(false)
    private let threadHasEnded = Atomic(false)
    /// How many posts wait for `doLateWork`.
    private let lateWork = Atomic(0)
    let posted: PostedWork
    private let isDefault: Bool
    private let waitingThreads = WaitingThreads()
    /// Serves the main queue for good, when this is the default context.
    private var mainQueue: DescriptorSource?
    private let servesMainQueue = Atomic(false)
    /// Drives the default context from the main queue, on the main thread.
    private var driver: MainQueueDriver?
    private let closers = Closers()
    /// Whether `end` was called for the present run.
    private let isEnding = Atomic(false)
    private let useWatch = UseWatch()
    /// Another time and another bus than the machine's, which a test may give it.
    package let surroundings = Snapshot(Surroundings())

    /// Makes a context of its own, which the caller runs on a thread of its choice.
    package convenience init() {
        let fresh = unsafe bluejay_context_new()
        unsafe self.init(adopting: fresh)
        unsafe bluejay_context_unref(fresh)
    }

    /// A second loop over the context of `outer`, as a dialog runs one inside a callback.
    package convenience init(nestedIn outer: MainContext) {
        unsafe self.init(adopting: outer.pointer, outer.posted)
    }

    /// - Parameters:
    ///   - context: A `GMainContext`, of which it keeps a reference.
    ///   - posted: What another one of the same context has for its work.
    init(adopting context: OpaquePointer?, _ posted: PostedWork? = nil) {
        // Both functions end the process when memory is exhausted and never answer NULL.
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

    /// Whether the calling thread may use what is confined to this context.
    ///
    /// True inside the running loop. Before it runs, and when it has run, true on one thread, for a
    /// program builds its objects first and runs the loop last: the thread that ran it last; else, of
    /// GLib's default context, the process's main thread, and of another the first that asked. A
    /// context with a thread of its own is current there only.
    package var isCurrent: Bool {
        let thread = bluejay_current_thread()
        if hasThread.load(ordering: .acquiring) {
            return home.load(ordering: .relaxed) == thread
        }
        if unsafe bluejay_context_is_owner(pointer) != 0 { return true }
        guard isHome(thread) else { return false }
        // Another thread may run it all the same.
        guard unsafe bluejay_context_acquire(pointer) != 0 else { return false }
        unsafe bluejay_context_release(pointer)
        return true
    }

    /// Whether it had a thread of its own that has ended.
    package var hasEnded: Bool { threadHasEnded.load(ordering: .acquiring) }

    /// Whether a thread has it now: its own, or the calling one inside the running loop.
    var isRunning: Bool {
        unsafe hasThread.load(ordering: .relaxed) || bluejay_context_is_owner(pointer) != 0
    }

    private func isHome(_ thread: UInt) -> Bool {
        if isDefault, home.load(ordering: .relaxed) == 0 { return NamedThread.isMain }
        let former = home.compareExchange(expected: 0, desired: thread, ordering: .relaxed).original
        return former == 0 || former == thread
    }

    /// How deep the calling thread is inside the sources of contexts: 0 is none, 1 is one, and each loop
    /// that is run inside a callback adds one.
    package static var depth: Int { Int(bluejay_depth()) }

    /// Runs `work` on the context in one of its next turns, in the order of the calls.
    ///
    /// Any thread may call it; this is the only door between threads. When the context had a thread of
    /// its own that has ended, the work is done before this returns, here or where other such work is
    /// being done: what lives longer than its loop can still be taken apart.
    package func post(_ work: @escaping @Sendable () -> Void) {
        let isLate = hasEnded
        if isLate { lateWork.add(1, ordering: .acquiringAndReleasing) }
        posted.add(work)
        if isLate { doLateWork() }
    }

    /// Runs `work` at once where the calling thread has the context and nothing that was posted waits;
    /// else posts it: the order is that of the calls either way.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        if isCurrent, posted.isEmpty { work() } else { post(work) }
    }

    /// Runs the loop on the calling thread until `quit` is called.
    ///
    /// On the process's main thread the loop also serves `DispatchQueue.main` and the main actor.
    package func run() {
        home.store(bluejay_current_thread(), ordering: .relaxed)
        waitingThreads.loopBegins()
        // Another context than the default one serves the main queue as long as it runs.
        var temporary: DescriptorSource?
        if isDefault {
            serveMainQueue()
        } else if NamedThread.isMain {
            temporary = makeMainQueueSource()
        }
        unsafe bluejay_loop_run(loop)
        temporary?.cancel()
    }

    /// Ends `run`; work posted before is done first.
    ///
    /// Does nothing when the loop never runs.
    package func quit() {
        post { [self] in
            unsafe bluejay_loop_quit(loop)
            waitingThreads.loopEnds(isServed: hasThread.load(ordering: .relaxed))
        }
    }

    /// Starts a thread that runs this context until `quit`; it has the context when this returns.
    package func startThread(named name: String) {
        let begun = Gate()
        NamedThread.start(name) { [self] in
            unsafe bluejay_context_push_thread_default(pointer)
            home.store(bluejay_current_thread(), ordering: .relaxed)
            hasThread.store(true, ordering: .releasing)
            begun.open()
            unsafe bluejay_loop_run(loop)
            threadHasEnded.store(true, ordering: .releasing)
            hasThread.store(false, ordering: .releasing)
            // What was posted between the quit and the end.
            lateWork.add(1, ordering: .acquiringAndReleasing)
            unsafe bluejay_context_pop_thread_default(pointer)
            doLateWork()
        }
        begun.wait()
    }

    /// Does what is posted to a context whose thread has ended, on one thread at a time.
    private func doLateWork() {
        // Inside such work: who does it goes on with what came now.
        guard unsafe bluejay_context_is_owner(pointer) == 0 else { return }
        while lateWork.load(ordering: .acquiring) > 0 {
            guard unsafe bluejay_context_acquire(pointer) != 0 else { return }
            let count = lateWork.load(ordering: .acquiring)
            // A thousand turns: timers that make timers have no end.
            var turns = 0
            while turns < 1000, unsafe bluejay_context_iterate(pointer) != 0 { turns += 1 }
            unsafe bluejay_context_release(pointer)
            lateWork.subtract(count, ordering: .acquiringAndReleasing)
        }
    }

    /// One object per key, made at the first use: how several users of a context share an engine.
    package func attachment<T: AnyObject>(_ key: String, make: () -> T) -> T {
        if let holder = attachments[key] as? WeakHolder, let object = holder.object as? T {
            return object
        }
        let object = make()
        attachments[key] = WeakHolder(object)
        return object
    }

    // MARK: Nested loops

    /// Runs turns on the calling thread, one at least, until `isDone`.
    ///
    /// The calling thread is the one where it is current: the loop's own, inside a callback, or the main
    /// thread while nobody runs the default context.
    ///
    /// - Parameter isDone: Asked after each turn. A turn waits until there is something to do.
    package func runTurns(until isDone: () -> Bool) {
        serveMainQueue()
        waitingThreads.loopBegins()
        // Inside a turn of the driver it waits for this by itself, and the main queue with it.
        let paused = driver.flatMap { $0.isInTurn ? nil : $0 }
        paused?.pause()
        let mainQueue = paused == nil ? nil : makeMainQueueSource()
        repeat { _ = unsafe bluejay_context_wait(pointer) } while !isDone()
        mainQueue?.cancel()
        paused?.resume()
    }

    // MARK: The main queue

    /// Drains `DispatchQueue.main`, and with it the main actor, in the turns of the default context,
    /// whoever runs it.
    ///
    /// Does nothing off the main thread, or when another thread runs the context. Where somebody else
    /// serves the queue as well (`RunLoop`, another library), each finds what is left.
    func serveMainQueue() {
        guard isDefault, !servesMainQueue.load(ordering: .relaxed) else { return }
        guard NamedThread.isMain, isCurrent else { return }
        // The main queue serves the context then, and hears here that it is used.
        if let driver { return driver.kick() }
        servesMainQueue.store(true, ordering: .relaxed)
        mainQueue = makeMainQueueSource()
    }

    /// What drains the main queue on the main thread as long as it is held.
    private func makeMainQueueSource() -> DescriptorSource? {
        let descriptor = _dispatch_get_main_queue_handle_4CF()
        guard descriptor >= 0 else { return nil }
        // The queue cannot be drained inside itself, so the source does not recurse.
        return DescriptorSource(descriptor, .readable, on: self, canRecurse: false) {
            [weak self] _ in
            guard NamedThread.isMain else { return self?.leaveMainQueue() ?? () }
            var count: UInt64 = 0
            _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
            _dispatch_main_queue_callback_4CF(nil)
        }
    }

    // A thread that is not the main one has begun to run the context: the queue is not for it.
    private func leaveMainQueue() {
        mainQueue?.cancel()
        mainQueue = nil
        servesMainQueue.store(false, ordering: .relaxed)
    }

    /// Has the main queue run the default context, where the main thread runs a `RunLoop` and no GLib
    /// loop, as in XCTest; on the main thread, until `endOnMainQueue`.
    package func beginOnMainQueue() {
        guard isDefault, NamedThread.isMain, driver == nil else { return }
        mainQueue?.cancel()
        mainQueue = nil
        servesMainQueue.store(false, ordering: .relaxed)
        waitingThreads.loopBegins()
        driver = MainQueueDriver(self)
        driver?.kick()
    }

    /// Leaves the default context to GLib's loops again.
    package func endOnMainQueue() {
        driver?.end()
        driver = nil
        serveMainQueue()
    }

    // MARK: Waiting threads

    /// Runs `work` on the context, and blocks the calling thread until `work` has called what it is given.
    ///
    /// - Parameters:
    ///   - limit: Until the context has begun the work; work that is given up is never begun.
    ///   - work: Given what resumes the thread, to be called at once or later; a second call does nothing.
    /// - Returns: Nil when the loop ended before, or has ended and is not run again, or the limit is over.
    package func wait<Value>(
        within limit: Duration? = nil,
        _ work: @escaping (_ resume: @escaping (Value) -> Void) -> Void
    ) -> Value? {
        guard let answer = waitingThreads.add({ Answer<Value>($0, work) }) else { return nil }
        post { answer.begin() }
        let value = answer.take(within: limit)
        waitingThreads.remove(answer)
        return value
    }

    // MARK: Use

    /// Says that somebody relies on the context being run; any thread may call it, often.
    ///
    /// The default context serves the main queue from then on. When nobody runs the context within the
    /// limit, `say` gets one sentence, once.
    package func noteUse(
        within limit: Duration = .seconds(3),
        say: @escaping @Sendable (String) -> Void = StandardError.write
    ) {
        serveMainQueue()
        useWatch.begin(self, limit, say)
    }

    // MARK: The end

    /// Has `close` called before the loop ends: at `end`, at a signal, when nobody holds the loop.
    ///
    /// - Parameter close: Called on the context each time the loop is about to end, in the order in which
    ///   they were given. It calls `done` once, at once or later, when the loop may end. The loop does
    ///   not wait for it longer than the limit that was given to `end`.
    /// - Returns: What keeps `close` known. Released while the loop waits for it, it counts as done.
    package func onEnd(_ close: @escaping (_ done: @escaping () -> Void) -> Void) -> LoopCloser {
        LoopCloser(closers.add(close), on: self)
    }

    func removeCloser(_ number: Int) { closers.remove(number) }

    /// Ends `run`, or the thread of its own, when everybody who was asked has closed what is open.
    ///
    /// Any thread may call it; a second call before the end does nothing.
    ///
    /// - Parameter limit: How long the slowest may take.
    package func end(within limit: Duration = .seconds(5)) {
        guard !isEnding.exchange(true, ordering: .relaxed) else { return }
        post { [self] in
            closers.close(on: self, within: limit) { [self] in
                // What was posted meanwhile is done first.
                post { [self] in isEnding.store(false, ordering: .relaxed) }
                quit()
            }
        }
    }
}

private final class WeakHolder {
    weak var object: AnyObject?
    init(_ object: AnyObject) { self.object = object }
}
