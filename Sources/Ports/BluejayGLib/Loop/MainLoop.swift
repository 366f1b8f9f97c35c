internal import CBluejay

/// The loop that everything of Bluejay runs on: a GLib main context.
///
/// A program that has a GLib main loop on its main thread (GTK, for example) runs that one. Any other
/// program makes its objects and then calls ``run(endingAt:)`` on ``main``:
///
/// ```swift
/// let bluejay = Bluejay()
/// bluejay.start()
/// MainLoop.main.run()
/// ```
///
/// or it has the loop run on a thread of its own, ``init(threadName:)``. A call on a loop that nobody
/// runs is said on standard error after three seconds, once.
public final class MainLoop: Swift.Sendable {
    /// The loop of GLib's default context, for the main thread.
    ///
    /// As soon as Bluejay is used on it, whoever runs it serves `DispatchQueue.main` and the main actor,
    /// too: ``run(endingAt:)``, `g_application_run`, `g_main_loop_run`.
    public static let main: MainLoop = {
        let main = MainLoop(.main)
        // At once: a program may begin with a task of the main actor.
        main.context.serveMainQueue()
        return main
    }()

    /// A loop with a thread of its own, for programs that run none: one for the process, made when it is
    /// first used.
    ///
    /// Nobody stops it. No signal closes what is open on it: a program that Ctrl-C ends leaves its links to
    /// bluetoothd, where its next run finds them.
    public static let background = MainLoop(threadName: "Bluejay")

    /// The signals that end ``run(endingAt:)`` unless it is told otherwise: SIGINT, which Ctrl-C sends,
    /// and SIGTERM.
    public static let endingSignals: Set<Int32> = [2, 15]

    package let context: MainContext

    private let ownsThread: Bool

    package init(_ context: MainContext, ownsThread: Bool = false) {
        self.context = context
        self.ownsThread = ownsThread
    }

    deinit {
        if ownsThread { context.end() }
    }

    /// Makes a loop with a thread of its own, which runs at once.
    ///
    /// It ends with ``stop()``, or when nobody holds the loop any more.
    ///
    /// - Parameter threadName: What debuggers show, and the first 15 bytes of it `ps -L` and `top`.
    public convenience init(threadName: String) {
        self.init(MainContext(), ownsThread: true)
        context.startThread(named: threadName)
    }

    /// Makes a loop of a `GMainContext` that the program runs by itself.
    ///
    /// What shares a loop shares a connection to the bus: make one for a context, and keep it.
    ///
    /// - Parameter context: A valid `GMainContext *`; the loop keeps a reference to it.
    @unsafe public convenience init(adopting context: OpaquePointer) {
        let isDefault = unsafe context == bluejay_context_default()
        self.init(isDefault ? .main : unsafe MainContext(adopting: context))
    }

    /// Whether the calling thread is the loop's.
    ///
    /// While nobody runs ``main``, that is the main thread: a program makes its objects first and runs
    /// the loop last.
    public var isCurrent: Bool { context.isCurrent }

    /// Says that somebody relies on the loop being run; any thread may call it, often.
    package func noteUse() {
        if !ownsThread { context.noteUse() }
    }

    /// Runs the loop on the calling thread until ``stop()``, or until a signal ends the program.
    ///
    /// At a signal it closes what is open on the loop, such as a connection to a peripheral, for five
    /// seconds at most, and returns; the next signal ends the program at once. A signal that the program
    /// handles or ignores when this is called is left to it.
    ///
    /// On the main thread it also serves `DispatchQueue.main` and the main actor. It does not run a
    /// `RunLoop`: Foundation's `Timer` does not fire.
    ///
    /// - Parameter signals: Some of SIGHUP, SIGINT, SIGTERM, SIGUSR1 and SIGUSR2; empty leaves all of
    ///   them to the program.
    public func run(endingAt signals: Set<Int32> = MainLoop.endingSignals) {
        let ending = TerminationSignals(signals, of: context)
        context.run()
        ending.cancel()
    }

    /// Ends ``run(endingAt:)`` or the loop's own thread; work posted before is done first, then what is
    /// open on the loop is closed, for five seconds at most.
    ///
    /// Any thread may call it.
    public func stop() {
        context.end()
    }

    /// Runs `work` on the loop, in the order of the calls.
    ///
    /// Any thread may call it.
    ///
    /// - Parameter work: Called once, in one of the loop's next turns.
    public func post(_ work: @escaping @Sendable () -> Void) {
        noteUse()
        context.post(work)
    }

    /// Runs `work` on the loop, in the order of the calls: at once where that can be, else as ``post(_:)``.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        noteUse()
        context.perform(work)
    }
}
