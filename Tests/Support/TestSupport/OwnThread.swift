import BluejayGLib

/// Runs `work` on a new thread, which belongs to no loop and no task.
package func onOwnThread<Value: Swift.Sendable>(
    _ work: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        NamedThread.start("elsewhere") { continuation.resume(with: Result { try work() }) }
    }
}

/// Runs `work` on this many threads at the same time, each with its number.
package func onOwnThreads(
    _ count: Int,
    _ work: @escaping @Sendable (Int) throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count {
            group.addTask { try await onOwnThread { try work(number) } }
        }
        try await group.waitForAll()
    }
}
