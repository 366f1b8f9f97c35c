internal import BluejayGLib
internal import Foundation

/// The thread of a background task: the only place where the library blocks.
enum TaskThread {
    private static let key = "bluejay.background-task"

    /// Whether the calling thread runs a background task.
    static var isCurrent: Bool { Thread.current.threadDictionary[key] != nil }

    /// Runs `task` on a thread of its own.
    static func start(_ task: @escaping () -> Void) {
        let task = Confined(task)
        let thread = Thread {
            Thread.current.threadDictionary[key] = true
            task.value()
        }
        thread.name = "bluejay task"
        // What user code may expect: the main thread has as much.
        thread.stackSize = 8 << 20
        thread.start()
    }

    /// Runs `work` on the loop and waits for it.
    static func call<Value>(_ loop: MainLoop, _ work: @escaping () -> Value) -> Value {
        wait(loop) { resume in resume(work()) }
    }

    /// Runs `work` on the loop and waits until it has called what it is given, at once or later.
    static func wait<Value>(
        _ loop: MainLoop,
        _ work: @escaping (_ resume: @escaping (Value) -> Void) -> Void
    ) -> Value {
        let answer = Answer<Value>()
        let confined = Confined(work)
        loop.post { confined.value { answer.give($0) } }
        return answer.take()
    }
}

/// One value that goes from the loop to the thread that waits for it.
// Written before the waiting loop is told to quit, and read after it has: that is the invariant behind
// `@unchecked`.
private final class Answer<Value>: @unchecked Swift.Sendable {
    private let waiting = MainContext()
    private var value: Value?

    func give(_ value: Value) {
        guard self.value == nil else { return }
        self.value = value
        waiting.quit()
    }

    func take() -> Value {
        while true {
            waiting.run()
            if let value { return value }
        }
    }
}
