internal import CBluejay

/// The main loop that runs Bluejay: a GLib main context.
///
/// A program that has a GLib main loop on its main thread (GTK, for example) runs that one. Any other
/// program creates its objects and then calls ``run(stoppingOn:)`` on ``main``:
///
/// ```swift
/// let bluejay = Bluejay()
/// bluejay.start()
/// MainLoop.main.run()
/// ```
///
/// Or it uses a loop with its own thread, ``init(threadName:)``. If no thread runs a loop that is used, one
/// warning appears on standard error after three seconds.
public final class MainLoop: Swift.Sendable {
    /// The loop of GLib's default context, for the main thread.
    ///
    /// Once Bluejay is used on it, this loop also serves `DispatchQueue.main` and the main actor, whether
    /// ``run(stoppingOn:)``, `g_application_run` or `g_main_loop_run` runs it.
    public static let main: MainLoop = {
        let main = MainLoop(.main)
        // At once: a program may start with a task of the main actor.
        main.context.serveMainQueue()
        return main
    }()

    /// A loop with its own thread, for programs that run none; the process has one, created at its first
    /// use.
    ///
    /// Bluejay does not stop this loop, and a signal closes what is open on it only if the program is in a scope,
    /// such as `BluetoothHost.main` or `withConnection` of `Bluejay`. Otherwise links stay in bluetoothd, where
    /// the next run finds them.
    public static let background = MainLoop(threadName: "Bluejay")

    /// The default signals that end ``run(stoppingOn:)``: SIGINT, which Ctrl-C sends, and SIGTERM.
    public static let terminationSignals: Set<Int32> = [2, 15]

    package let context: MainContext

    private let ownsThread: Bool

    package init(_ context: MainContext, ownsThread: Bool = false) {
        self.context = context
        self.ownsThread = ownsThread
    }

    deinit {
        if ownsThread { context.shutDown() }
    }

    /// Creates a loop with its own thread, which runs at once.
    ///
    /// The loop ends with ``stop()``, or when its last reference is released.
    ///
    /// - Parameter threadName: The name that debuggers show; `ps -L` and `top` show its first 15 bytes.
    public convenience init(threadName: String) {
        self.init(MainContext(), ownsThread: true)
        context.startThread(named: threadName)
    }

    /// Creates a loop for a `GMainContext` that the program itself runs.
    ///
    /// Users of one loop share a connection to the bus: create one loop for a context, and keep it.
    ///
    /// - Parameter context: A valid `GMainContext *`, which the loop retains.
    @unsafe public convenience init(adopting context: OpaquePointer) {
        let isDefault = unsafe context == bluejay_context_default()
        self.init(isDefault ? .main : unsafe MainContext(adopting: context))
    }

    /// Whether the calling thread is the loop's.
    ///
    /// While no thread runs ``main``, its thread is the main thread: a program creates its objects first
    /// and runs the loop last.
    public var isCurrent: Bool { context.isCurrent }

    /// Records that the loop is used and must run; any thread may call it, any number of times.
    package func warnIfNotRun() {
        if !ownsThread { context.warnIfNotRun() }
    }

    /// Runs the loop on the calling thread until ``stop()`` or a signal.
    ///
    /// At a signal, the loop closes its open resources, such as a connection to a peripheral, for five
    /// seconds at most, and returns; another signal, more than 300 ms later, ends the program at once. Signals
    /// that the program handles or ignores at the time of this call are left to the program.
    ///
    /// On the main thread, the loop also serves `DispatchQueue.main` and the main actor. It does not run a
    /// `RunLoop`: Foundation's `Timer` does not fire.
    ///
    /// - Parameter signals: Any of SIGHUP, SIGINT, SIGTERM, SIGUSR1 and SIGUSR2; an empty set leaves all of
    ///   them to the program.
    public func run(stoppingOn signals: Set<Int32> = MainLoop.terminationSignals) {
        let signals = TerminationSignals(signals, of: context) { [context] _ in context.shutDown() }
        withExtendedLifetime(signals) { context.run() }
    }

    /// Ends ``run(stoppingOn:)`` or the loop's own thread.
    ///
    /// Earlier posted work runs first; then the loop closes its open resources, for five seconds at most.
    /// Pending calls and streams of the loop's objects end, and later calls of an object on a loop with its own
    /// thread fail at once. Any thread may call this method.
    public func stop() {
        context.shutDown()
    }

    /// Runs `work` on the loop, in the order of the calls.
    ///
    /// Any thread may call this method.
    ///
    /// - Parameter work: Called once, on a later iteration of the loop.
    public func post(_ work: @escaping @Sendable () -> Void) {
        warnIfNotRun()
        context.post(work)
    }

    /// Runs `work` on the loop, in the order of the calls: at once if possible, otherwise as ``post(_:)``.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        warnIfNotRun()
        context.perform(work)
    }
}
