import TestSupport
import TestTraits
import Testing

@testable import MeshPeer

@Suite("The write queue of a peer")
struct WriteQueueStateMachineTests {
    @Test("One write is in progress, the others wait in order, and a failure starts the next")
    func order() {
        var queue = WriteQueueStateMachine<Int>(capacity: 2)
        #expect(queue.add(1) == 1)
        #expect(queue.add(2) == nil)
        #expect(queue.add(3) == nil)
        #expect(!queue.hasRoom)
        #expect(queue.finished() == 2)
        #expect(queue.hasRoom)
        #expect(queue.finished() == 3)
        #expect(queue.finished() == nil)
        #expect(!queue.isWriting)
    }

    @Test("The end of the link empties the queue")
    func close() {
        var queue = WriteQueueStateMachine<Int>(capacity: 8)
        for value in 1...4 { _ = queue.add(value) }
        #expect(queue.close() == [2, 3, 4])
        #expect(queue.hasRoom && !queue.isWriting)
        #expect(queue.add(5) == 5)
    }

    @Test("A queue with a capacity of 0 accepts one write at a time")
    func noPlaces() {
        var queue = WriteQueueStateMachine<Int>(capacity: 0)
        #expect(queue.hasRoom)
        _ = queue.add(1)
        #expect(!queue.hasRoom)
    }

    @Test(
        "In random sequences, one write is in progress and each write ends once, in order",
        .computing
    )
    func play() {
        for seed in 1...300 as ClosedRange<UInt64> {
            var dice = SeededGenerator(seed: seed)
            let limit = Int(dice.next() % 6)
            var queue = WriteQueueStateMachine<Int>(capacity: limit)
            var (last, out) = (0, Int?.none)
            var (accepted, ended) = ([Int](), [Int]())
            for _ in 0..<500 {
                switch dice.next() % 8 {
                case 0...3:
                    guard queue.hasRoom else { continue }
                    last += 1
                    accepted.append(last)
                    if let next = queue.add(last) {
                        #expect(out == nil, "seed \(seed)")
                        out = next
                    }
                case 4...6:
                    guard let write = out else { continue }
                    ended.append(write)
                    out = queue.finished()
                default:
                    guard dice.next() % 10 == 0 else { continue }
                    if let write = out { ended.append(write) }
                    ended += queue.close()
                    out = nil
                }
                #expect(accepted.count - ended.count <= limit + 1, "seed \(seed)")
                #expect(queue.isWriting == (out != nil), "seed \(seed)")
            }
            while let write = out {
                ended.append(write)
                out = queue.finished()
            }
            #expect(ended == accepted, "seed \(seed)")
        }
    }
}
