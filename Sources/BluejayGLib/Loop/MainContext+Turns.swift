internal import CBluejay

extension MainContext {
    /// Runs turns on the calling thread, one at least, until `isDone`.
    ///
    /// The calling thread is the one where it is current: the loop's own, inside a callback, or the main
    /// thread while nobody runs the default context.
    ///
    /// - Parameter isDone: Asked after each turn. A turn waits until there is something to do.
    package func runTurns(until isDone: () -> Bool) {
        serveMainQueue()
        waitingThreads.loopBegins()
        repeat { _ = unsafe bluejay_context_wait(pointer) } while !isDone()
    }
}
