internal import CBluejay
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
    let isDefault: Bool
    let waitingThreads = WaitingThreads()
    /// Serves the main queue for good, when this is the default context.
    var mainQueue: DescriptorSource?
    let servesMainQueue = Atomic(false)
    /// Drives the default context from the main queue, on the main thread.
    var driver: MainQueueDriver?
    /// What is to be done before the loop ends.
    let closers = Closers()
    /// Whether `end` was called for the present run.
    let isEnding = Atomic(false)
    /// Looks whether anybody runs the loop.
    let useWatch = UseWatch()
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
}

private final class WeakHolder {
    weak var object: AnyObject?
    init(_ object: AnyObject) { self.object = object }
}
