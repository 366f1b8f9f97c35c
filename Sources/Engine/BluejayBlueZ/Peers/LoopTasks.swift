package import BluejayGLib

/// Starts tasks whose results return to the loop.
package struct LoopTasks {
    private let loop: MainLoop
    // A virtual clock waits for the work of its loop, but not for Swift's pool.
    private let executor: ContextExecutor?

    package init(_ loop: MainLoop) {
        self.loop = loop
        let isVirtual = loop.context.environment.value.clock != nil
        executor = isVirtual ? ContextExecutor(loop.context) : nil
    }

    /// Starts a task.
    ///
    /// - Parameters:
    ///   - work: The work of the task.
    ///   - completion: Receives the result on the loop.
    /// - Returns: The task.
    package func start<Value: Swift.Sendable>(
        _ work: @escaping @Sendable () async -> Value,
        completion: @escaping (Value) -> Void
    ) -> Task<Void, Never> {
        let completion = UncheckedTransfer(completion)
        return Task(executorPreference: executor) { [loop] in
            let value = await work()
            loop.post { completion.value(value) }
        }
    }
}
