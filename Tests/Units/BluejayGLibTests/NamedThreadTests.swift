import Foundation
import Testing

@testable import BluejayGLib

@Suite("A thread of ours")
struct NamedThreadTests {
    @Test("The kernel knows the first 15 bytes of its name")
    func name() {
        let name = onThread("bluejay: a long name") {
            try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
        }
        #expect(name == "bluejay: a long\n")
    }

    @Test("It has the stack that was asked for", arguments: [4 << 20, 32 << 20])
    func stack(size: Int) {
        let used = size / 8 * 7
        #expect(onThread(stackSize: size) { descend(used, from: stackPlace()) } >= used)
    }

    @Test("It knows its mark, and no other thread has it")
    func mark() {
        #expect(onThread(isMarked: true) { NamedThread.isMarked })
        #expect(!onThread { NamedThread.isMarked })
        #expect(!NamedThread.isMarked)
    }

    // The tests may run on another thread than the main one; other tests cover the main thread of a program.
    @Test("It is not the main thread; which that is Foundation says, too")
    func main() async {
        #expect(!onThread { NamedThread.isMain })
        #expect(await MainActor.run { NamedThread.isMain == Thread.isMainThread })
    }

    @Test("What it opens is open; what nobody opens is left when the time is over")
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
