import BluejayGLib
import Foundation
import TestSupport
import Testing

@Suite("A locked value")
struct LockedValueTests {
    @Test("Reading returns the value that was set last")
    func setLast() {
        let snapshot = LockedValue("first")
        #expect(snapshot.value == "first")
        snapshot.value = "second"
        #expect(snapshot.value == "second")
    }

    @Test("Readers on other threads receive complete values, each no older than the previous one")
    func otherThreads() throws {
        struct Pair: Swift.Sendable {
            var first = 0
            var second = 0
        }
        let snapshot = LockedValue(Pair())
        let loop = TestLoop()
        let context = loop.context
        let record = Record<Bool>()
        for _ in 0..<4 {
            Thread {
                var last = 0
                var isWhole = true
                while last < 10_000 {
                    let pair = snapshot.value
                    isWhole = isWhole && pair.first == pair.second && pair.first >= last
                    last = pair.first
                }
                let answer = isWhole
                context.post { record.entries.append(answer) }
            }.start()
        }
        for number in 1...10_000 { snapshot.value = Pair(first: number, second: number) }
        try loop.wait(for: "the readers") { record.entries.count == 4 }
        #expect(record.entries == [true, true, true, true])
    }

    @Test("The deinitializer of the old value may access the locked value")
    func release() {
        final class Held: Swift.Sendable {
            let onRelease: @Sendable () -> Void
            init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
            deinit { onRelease() }
        }
        let other = LockedValue(0)
        let snapshot = LockedValue<Held?>(nil)
        snapshot.value = Held { [weak snapshot] in other.value = snapshot?.value == nil ? 1 : 2 }
        snapshot.value = nil
        #expect(other.value == 1)
    }
}
