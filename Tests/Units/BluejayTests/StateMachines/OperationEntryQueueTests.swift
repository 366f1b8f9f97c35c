import TestTraits
import Testing

@testable import Bluejay

/// The number of entries; they are numbered from 1.
private let million = 1_000_000

@Suite("The entries of the operation queue")
struct OperationEntryQueueTests {
    private func queue(_ ids: some Sequence<Int>) -> OperationEntryQueue {
        var queue = OperationEntryQueue()
        for id in ids { queue.append(QueueEntry(id: id, kind: .characteristic)) }
        return queue
    }

    @Test("An entry removed from the middle is gone, also after removals around it")
    func middle() {
        var queue = queue(1...5)
        #expect([3, 3, 6].map { queue.remove($0) } == [true, false, false])
        #expect(queue.popFirst()?.id == 1)
        #expect(queue.remove(2) == true)
        #expect(queue.first?.id == 4)
        #expect([5, 4, 4].map { queue.remove($0) } == [true, true, false])
        #expect(queue.isEmpty)
        #expect(queue.popFirst() == nil)
    }

    @Test("An entry with a lower number than the last one is found")
    func unsorted() {
        var queue = queue([5, 9, 2, 7])
        #expect([2, 5, 7, 1].map { queue.remove($0) } == [true, true, true, false])
        #expect(queue.removeAll().map(\.id) == [9])
    }

    @Test("Queues with the same entries are equal, whatever was removed between them")
    func equality() {
        var first = queue(1...4)
        _ = first.remove(2)
        #expect(first == queue([1, 3, 4]))
    }

    @Test("All entries before the first disconnect are removed, and the disconnect stays")
    func beforeDisconnect() {
        var queue = queue(1...3)
        queue.append(QueueEntry(id: 4, kind: .disconnect))
        queue.append(QueueEntry(id: 5, kind: .scan))
        _ = queue.remove(2)
        #expect(queue.removeBeforeDisconnect().map(\.id) == [1, 3])
        #expect(queue.hasDisconnect && queue.scan?.id == 5)
        #expect(queue.removeDisconnects() == [4])
        #expect(queue.removeScan()?.id == 5)
        #expect(queue.isEmpty && queue.scan == nil)
    }

    // A linear search for each entry would take hours.
    @Test(
        "A million entries are removed by number, from both ends and the middle",
        .computing
    )
    func takenOut() {
        var queue = queue(1...million)
        var left = 0
        for id in 1...million where id % 3 != 0 {
            let other = id % 3 == 1 ? id : million + 1 - id
            if queue.remove(other) { left += 1 }
        }
        let all = queue.removeAll()
        #expect(all.count == million - left)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.id < $1.id })
    }

    @Test("A million cancelled reads complete once, in order", .computing)
    func cancelledOnce() {
        var queue = QueueStateMachine.connected()
        #expect(queue.enqueue(1, .characteristic) == [.start(1)])
        let taken = (2...million).filter { queue.enqueue($0, .characteristic) == [] }
        #expect(taken.count == million - 1)
        let cancelled = stride(from: million, to: 1, by: -2).filter {
            queue.cancel($0, .operationTimedOut) == [.complete($0, .operationTimedOut)]
        }
        #expect(cancelled.count == million / 2)
        let odd = stride(from: 1, to: million, by: 2)
        #expect(
            queue.cancelAll(.cancelled) == [.abort(1)] + odd.map { .complete($0, .cancelled) }
        )
        #expect(queue.cancelAll(.cancelled) == [])
    }
}
