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
    package static let main = unsafe MainContext(adopting: g_main_context_default())

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
        let fresh = unsafe g_main_context_new()
        unsafe self.init(adopting: fresh)
        unsafe g_main_context_unref(fresh)
    }

    /// A second loop over the context of `outer`, as a dialog runs one inside a callback.
    package convenience init(nestedIn outer: MainContext) {
        unsafe self.init(adopting: outer.pointer)
    }

    private init(adopting context: OpaquePointer?) {
        // Both functions end the process when memory is exhausted and never answer NULL.
        guard let context = unsafe context, let loop = unsafe g_main_loop_new(context, 0) else {
            preconditionFailure("GLib gave no main context")
        }
        unsafe pointer = unsafe g_main_context_ref(context)
        unsafe self.loop = unsafe loop
        isDefault = unsafe context == g_main_context_default()
    }

    deinit {
        unsafe g_main_loop_unref(loop)
        unsafe g_main_context_unref(pointer)
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
        if unsafe g_main_context_is_owner(pointer) != 0 { return true }
        guard isHome(thread) else { return false }
        // Another thread may run it all the same.
        guard unsafe g_main_context_acquire(pointer) != 0 else { return false }
        unsafe g_main_context_release(pointer)
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
        let source = unsafe g_idle_source_new()
        unsafe g_source_set_priority(source, G_PRIORITY_DEFAULT)
        let box = unsafe Unmanaged.passRetained(WorkBox(work)).toOpaque()
        unsafe g_source_set_callback(
            source,
            { data in
                if let data = unsafe data {
                    unsafe Unmanaged<WorkBox>.fromOpaque(data).takeUnretainedValue().work()
                }
                return 0
            },
            box,
            { data in
                if let data = unsafe data {
                    unsafe Unmanaged<WorkBox>.fromOpaque(data).release()
                }
            }
        )
        unsafe g_source_attach(source, pointer)
        unsafe g_source_unref(source)
    }

    /// Runs the loop on the calling thread until `quit` is called.
    ///
    /// On the process's main thread the loop also serves `DispatchQueue.main` and the main actor.
    package func run() {
        home.store(bluejay_current_thread(), ordering: .relaxed)
        let mainQueue = Thread.isMainThread ? attachMainQueue() : nil
        unsafe g_main_loop_run(loop)
        mainQueue?.cancel()
    }

    /// Ends `run`; work posted before is done first.
    ///
    /// Does nothing when the loop never runs.
    package func quit() {
        post { [self] in unsafe g_main_loop_quit(loop) }
    }

    /// Starts a thread that runs this context until `quit`; it has the context when this returns.
    package func startThread(named name: String) {
        let begun = Gate()
        let thread = Thread { [self] in
            unsafe g_main_context_push_thread_default(pointer)
            home.store(bluejay_current_thread(), ordering: .relaxed)
            hasThread.store(true, ordering: .releasing)
            begun.open()
            unsafe g_main_loop_run(loop)
            unsafe g_main_context_pop_thread_default(pointer)
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

private final class WorkBox {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
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
