internal import CBluejay
internal import Foundation
internal import Synchronization

/// A GLib main context: the one place where everything of an engine, a server or a simulator runs.
///
/// All members may be used only on the thread for which `isCurrent` is true, but for `post`, `quit`
/// and `isCurrent` themselves, which any thread may call. That is the invariant behind
/// `@unchecked Sendable`: the C context is thread-safe, and `attachments` is reached on the context
/// only.
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
    private let isDefault: Bool

    /// Makes a context of its own, which the caller runs on a thread of its choice.
    package convenience init() {
        let fresh = unsafe bluejay_context_new()
        unsafe self.init(adopting: fresh)
        unsafe bluejay_context_unref(fresh)
    }

    /// A second loop over the context of `outer`, as a dialog runs one inside a callback.
    package convenience init(nestedIn outer: MainContext) {
        unsafe self.init(adopting: outer.pointer)
    }

    private init(adopting context: OpaquePointer?) {
        // Both functions end the process when memory is exhausted and never answer NULL.
        guard let context = unsafe context, let loop = unsafe bluejay_loop_new(context) else {
            preconditionFailure("GLib gave no main context")
        }
        unsafe pointer = unsafe bluejay_context_ref(context)
        unsafe self.loop = unsafe loop
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

    private func isHome(_ thread: UInt) -> Bool {
        if isDefault, home.load(ordering: .relaxed) == 0 { return Thread.isMainThread }
        let former = home.compareExchange(expected: 0, desired: thread, ordering: .relaxed).original
        return former == 0 || former == thread
    }

    /// How deep the calling thread is inside the sources of contexts: 0 is none, 1 is one, and each loop
    /// that is run inside a callback adds one.
    package static var depth: Int { Int(g_main_depth()) }

    /// Runs `work` on the context in one of its next turns, in the order of the calls.
    ///
    /// Any thread may call it; this is the only door between threads.
    package func post(_ work: @escaping @Sendable () -> Void) {
        unsafe bluejay_post(
            pointer,
            { unsafe WorkBox.from($0)?.work() },
            WorkBox.retained(work),
            { unsafe WorkBox.release($0) }
        )
    }

    /// Runs the loop on the calling thread until `quit` is called.
    ///
    /// On the process's main thread the loop also serves `DispatchQueue.main` and the main actor.
    package func run() {
        home.store(bluejay_current_thread(), ordering: .relaxed)
        let mainQueue = Thread.isMainThread ? attachMainQueue() : nil
        unsafe bluejay_loop_run(loop)
        mainQueue?.cancel()
    }

    /// Ends `run`; work posted before is done first.
    ///
    /// Does nothing when the loop never runs.
    package func quit() {
        post { [self] in unsafe bluejay_loop_quit(loop) }
    }

    /// Starts a thread that runs this context until `quit`; it has the context when this returns.
    package func startThread(named name: String) {
        let begun = Gate()
        let thread = Thread { [self] in
            unsafe bluejay_context_push_thread_default(pointer)
            home.store(bluejay_current_thread(), ordering: .relaxed)
            hasThread.store(true, ordering: .releasing)
            begun.open()
            unsafe bluejay_loop_run(loop)
            unsafe bluejay_context_pop_thread_default(pointer)
        }
        thread.name = name
        thread.start()
        begun.wait()
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

    private func attachMainQueue() -> DescriptorSource? {
        let descriptor = _dispatch_get_main_queue_handle_4CF()
        guard descriptor >= 0 else { return nil }
        // The queue cannot be drained inside itself.
        return DescriptorSource(descriptor, .readable, on: self, canRecurse: false) { _ in
            var count: UInt64 = 0
            _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
            _dispatch_main_queue_callback_4CF(nil)
        }
    }
}

private final class WeakHolder {
    weak var object: AnyObject?
    init(_ object: AnyObject) { self.object = object }
}

/// What one thread waits for until another opens it, once.
// `isOpen` is reached under the lock of `condition` only: that is the invariant behind `@unchecked`.
private final class Gate: @unchecked Swift.Sendable {
    private let condition = NSCondition()
    private var isOpen = false

    func open() {
        condition.lock()
        isOpen = true
        condition.signal()
        condition.unlock()
    }

    func wait() {
        condition.lock()
        while !isOpen { condition.wait() }
        condition.unlock()
    }
}
