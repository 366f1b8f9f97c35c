extension MainLoop {
    /// Runs the loop on the calling thread until some work is done, and gives what it returned.
    ///
    /// The whole of a program whose `main.swift` is not asynchronous:
    ///
    /// ```swift
    /// let bluejay = Bluejay()
    /// let battery = try MainLoop.main.run {
    ///     await bluejay.start()
    ///     …
    ///     return try await bluejay.read(from: .batteryLevel, as: UInt8.self)
    /// }
    /// ```
    ///
    /// It blocks its thread, so it is not for a thread of Swift's own tasks.
    ///
    /// - Parameters:
    ///   - signals: As for ``run(endingAt:)``. At one of them the work's task is cancelled, and what is open
    ///     on the loop is closed.
    ///   - work: Begun once, when the loop runs; not on the loop, unless it is of the main actor and the loop
    ///     is ``main``.
    /// - Returns: What it returned.
    /// - Throws: What it threw, or `CancellationError` when a signal or ``stop()`` was first.
    public func run<Value: Swift.Sendable>(
        endingAt signals: Set<Int32> = MainLoop.endingSignals,
        _ work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let result = Snapshot<Result<Value, any Error>>(.failure(CancellationError()))
        let task = Task {
            do {
                result.value = .success(try await work())
            } catch {
                result.value = .failure(error)
            }
            stop()
        }
        run(endingAt: signals)
        task.cancel()
        return try result.value.get()
    }
}
