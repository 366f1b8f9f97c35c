import Foundation
import Testing

@testable import BluejayGLib

@Suite("A named thread")
struct NamedThreadTests {
    @Test("The kernel shows the first 15 bytes of the name")
    func name() {
        let name = onThread("bluejay: a long name") {
            try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        }
        #expect(name == "bluejay: a long\n")
    }

    @Test("The thread has the requested stack size", arguments: [4 << 20, 32 << 20])
    func stack(size: Int) {
        let used = size / 8 * 7
        #expect(onThread(stackSize: size) { descend(used, from: stackPlace()) } >= used)
    }

    @Test("A marked thread reports its mark, and other threads have none")
    func mark() {
        #expect(onThread(isMarked: true) { NamedThread.isMarked })
        #expect(!onThread { NamedThread.isMarked })
        #expect(!NamedThread.isMarked)
    }

    // The tests may run on another thread than the main one; other tests cover the main thread of a program.
    @Test("A named thread is not the main thread, as Foundation confirms")
    func main() async {
        #expect(!onThread { NamedThread.isMain })
        #expect(await MainActor.run { NamedThread.isMain == Thread.isMainThread })
    }

    @Test("A wait ends when the event is signalled, or at the timeout")
    func event() {
        let event = OneShotEvent()
        #expect(!event.wait(within: .milliseconds(20)))
        NamedThread.start("test") { event.signal() }
        #expect(event.wait(within: .seconds(30)))
        event.wait()
    }
}

/// Returns the approximate address of the stack.
@inline(never) private func stackPlace() -> Int {
    var mark = 0
    return unsafe withUnsafeMutablePointer(to: &mark) { Int(bitPattern: $0) }
}

/// Recurses until this much of the stack is used, and returns the amount.
private func descend(_ length: Int, from top: Int) -> Int {
    let used = top - stackPlace()
    return used < length ? max(used, descend(length, from: top)) : used
}

/// Runs `work` on such a thread, and waits for its result.
private func onThread<Value: Sendable>(
    _ name: String = "test",
    stackSize: Int? = nil,
    isMarked: Bool = false,
    _ work: @escaping @Sendable () -> Value
) -> Value {
    let record = Record<Value>()
    let event = OneShotEvent()
    NamedThread.start(name, stackSize: stackSize, isMarked: isMarked) {
        record.entries.append(work())
        event.signal()
    }
    event.wait()
    return record.entries[0]
}
