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
        // Inside a turn of the driver it waits for this by itself, and the main queue with it.
        let paused = driver.flatMap { $0.isInTurn ? nil : $0 }
        paused?.pause()
        let mainQueue = paused == nil ? nil : makeMainQueueSource()
        repeat { _ = unsafe bluejay_context_wait(pointer) } while !isDone()
        mainQueue?.cancel()
        paused?.resume()
    }
}
