/// The loop that everything of Bluejay runs on: a GLib main context.
///
/// A program that has a GLib main loop on its main thread (GTK, for example) needs nothing of it. Any
/// other program builds its objects and then calls ``run()`` on ``main``:
///
/// ```swift
/// let bluejay = Bluejay()
/// bluejay.start()
/// MainLoop.main.run()
/// ```
public final class MainLoop: Swift.Sendable {
    /// The loop of GLib's default context, for the main thread.
    public static let main = MainLoop(.main)

    package let context: MainContext

    private let ownsThread: Bool

    private init(_ context: MainContext, ownsThread: Bool = false) {
        self.context = context
        self.ownsThread = ownsThread
    }

    deinit {
        if ownsThread { context.quit() }
    }

    /// Makes a loop with a thread of its own, which runs at once.
    ///
    /// It ends with ``stop()``, or when nobody holds the loop any more.
    ///
    /// - Parameter threadName: What debuggers show.
    public convenience init(threadName: String) {
        self.init(MainContext(), ownsThread: true)
        context.startThread(named: threadName)
    }

    /// Whether the calling thread is the loop's.
    ///
    /// While nobody runs ``main``, that is the main thread: a program makes its objects first and runs
    /// the loop last.
    public var isCurrent: Bool { context.isCurrent }

    /// Ends the program unless the calling thread is the loop's.
    package func requireCurrent(_ type: StaticString, _ function: StaticString) {
        guard !isCurrent else { return }
        // Misuse by the programmer, who reads the way out in a release build, too.
        fatalError("\(type).\(function) is called off its main loop; call it inside MainLoop.post")
    }

    /// Runs the loop on the calling thread until ``stop()``.
    ///
    /// On the main thread it also serves `DispatchQueue.main` and the main actor. It does not run a
    /// `RunLoop`: Foundation's `Timer` does not fire.
    public func run() {
        context.run()
    }

    /// Ends ``run()`` or the loop's own thread; work posted before is done first.
    ///
    /// Any thread may call it.
    public func stop() {
        context.quit()
    }

    /// Runs `work` on the loop, in the order of the calls.
    ///
    /// Any thread may call it.
    ///
    /// - Parameter work: Called once, in one of the loop's next turns.
    public func post(_ work: @escaping @Sendable () -> Void) {
        context.post(work)
    }
}
