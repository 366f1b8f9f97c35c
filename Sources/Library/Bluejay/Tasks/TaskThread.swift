internal import BluejayGLib

/// The thread of a background task, the only place where the library blocks.
enum TaskThread {
    /// Whether the calling thread runs a background task.
    static var isCurrent: Bool { NamedThread.isMarked }

    static func start(_ task: @escaping () -> Void) {
        let task = UncheckedTransfer(task)
        // As large as the main thread's, because user code runs here.
        NamedThread.start("bluejay task", stackSize: 8 << 20, isMarked: true) { task.value() }
    }

    /// Runs `work` on the loop and waits for it; returns `nil` if the loop has ended.
    static func call<Value>(_ loop: MainLoop, _ work: @escaping () -> Value) -> Value? {
        loop.context.wait { resume in resume(work()) }
    }

    /// Runs `work` on the loop and waits until it calls `resume`, at once or later.
    ///
    /// - Throws: ``BluejayError/stopped`` when the loop ends, or has ended.
    static func wait<Value>(
        _ loop: MainLoop,
        _ work: @escaping (_ resume: @escaping (Value) -> Void) -> Void
    ) throws -> Value {
        guard let value: Value = loop.context.wait(work) else { throw BluejayError.stopped }
        return value
    }
}
