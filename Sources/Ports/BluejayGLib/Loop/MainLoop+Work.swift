extension MainLoop {
    /// Runs the loop on the calling thread until `work` is done, and returns its result.
    ///
    /// The whole program, if its `main.swift` is not asynchronous:
    ///
    /// ```swift
    /// let bluejay = Bluejay()
    /// let battery = try MainLoop.main.run {
    ///     await bluejay.start()
    ///     try await bluejay.connect(toFirst: .name("Lamp"), within: 20)
    ///     return try await bluejay.read(from: .batteryLevel, as: UInt8.self)
    /// }
    /// ```
    ///
    /// It blocks the calling thread, so do not call it on a thread of Swift concurrency.
    ///
    /// - Parameters:
    ///   - signals: The signals of ``run(stoppingOn:)``. Such a signal cancels the task of the work and
    ///     closes the open resources of the loop.
    ///   - work: Called once, when the loop runs; not on the loop, unless it is isolated to the main actor
    ///     and the loop is ``main``.
    /// - Returns: The result of `work`.
    /// - Throws: The error of `work`, or `CancellationError` if a signal or ``stop()`` ends the loop first.
    public func run<Value: Swift.Sendable>(
        stoppingOn signals: Set<Int32> = MainLoop.terminationSignals,
        _ work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let result = LockedValue<Result<Value, any Error>>(.failure(CancellationError()))
        let task = Task {
            do {
                result.value = .success(try await work())
            } catch {
                result.value = .failure(error)
            }
            stop()
        }
        run(stoppingOn: signals)
        // Read before the task is cancelled, which may let it return a value at once.
        let end = result.value
        task.cancel()
        return try end.get()
    }
}
