internal import Synchronization

/// Checks once whether any thread runs a context that is used.
package final class UnrunLoopDetector: Swift.Sendable {
    private let hasStarted = Atomic(false)

    /// The warning for a program that never runs its loop.
    package static let warning = """
        Bluejay: its main loop is not running, so no callback arrives; end the program with \
        MainLoop.main.run(), or pass a loop with its own thread: \
        Bluejay(mainLoop: MainLoop(threadName: "bluetooth")). See Documentation/WhichLoop.md.
        """

    // The first iteration of the context signals the event, and the thread ends.
    func start(
        _ context: MainContext,
        _ timeout: Duration,
        _ report: @escaping @Sendable (String) -> Void
    ) {
        guard !hasStarted.load(ordering: .relaxed), !hasStarted.exchange(true, ordering: .relaxed),
            !context.isRunning
        else { return }
        let hasIterated = OneShotEvent()
        context.post { hasIterated.signal() }
        NamedThread.start("bluejay watch") {
            if !hasIterated.wait(within: timeout) { report(Self.warning) }
        }
    }
}
