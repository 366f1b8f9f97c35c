import Testing

@testable import BluejaySimulator

/// Tests `CentralPlayer`.
@Suite("Steps and received values of a scripted central")
struct CentralScriptTests {
    private func unrolled(_ steps: [CentralStep], atMost limit: Int = 20) -> [CentralStep] {
        var script = CentralScript(steps)
        var all: [CentralStep] = []
        while all.count < limit, let step = script.next() { all.append(step) }
        return all
    }

    @Test("Steps run in order, with repeated steps in their place")
    func order() {
        let steps: [CentralStep] = [
            .connect, .repeat([.read("A"), .repeat([.read("B")], times: 2)], times: 2), .disconnect,
        ]
        #expect(
            unrolled(steps) == [
                .connect, .read("A"), .read("B"), .read("B"), .read("A"), .read("B"), .read("B"),
                .disconnect,
            ]
        )
    }

    @Test("A forever step repeats without end, and a step repeated zero times is skipped")
    func counts() {
        #expect(unrolled([.forever([.connect, .disconnect]), .pair], atMost: 5).count == 5)
        #expect(unrolled([.repeat([.connect], times: 0), .disconnect]) == [.disconnect])
        #expect(unrolled([.repeat([.connect], times: -1), .disconnect]) == [.disconnect])
    }

    @Test("A repeated step without actions ends")
    func empty() {
        #expect(unrolled([.forever([]), .disconnect]) == [.disconnect])
        #expect(
            unrolled([.forever([.forever([]), .repeat([], times: 9)]), .disconnect]) == [
                .disconnect
            ]
        )
        #expect(unrolled([]) == [])
    }

    @Test("Received values are removed once, the oldest first")
    func taking() {
        var inbox = CentralReceivedValues()
        for value in 1...5 as ClosedRange<UInt8> { inbox.append([value]) }
        #expect(inbox.removeOldest(2) == [[1], [2]])
        #expect(inbox.pendingCount == 3)
        #expect(inbox.removeOldest(9) == [[3], [4], [5]])
        #expect(inbox.removeOldest(1) == [])
        #expect(inbox.history.count == 5)
    }

    @Test("Beyond the limit the oldest received values are dropped")
    func overflow() {
        var inbox = CentralReceivedValues()
        let limit = BoundedHistory<[UInt8]>.capacity
        for _ in 0..<limit { inbox.append([1]) }
        for _ in 0..<limit / 2 { inbox.append([2]) }
        // Half of the values that were not taken are discarded.
        #expect(inbox.removeOldest(limit / 2) == [])
        #expect(inbox.removeOldest(limit).filter { $0 == [2] }.count == limit / 2)
        #expect(inbox.pendingCount == 0)
    }

    @Test("Consecutive pieces form one prepared write; the queue has a maximum length")
    func prepared() {
        var writes = PreparedWrites()
        #expect(writes.add(5, [1, 2], 0) == nil)
        #expect(writes.add(5, [3], 2) == nil)
        #expect(writes.add(7, [4], 3) == nil)
        #expect(writes.writes.map(\.value) == [[1, 2, 3], [4]])
        for number in 0..<28 { #expect(writes.add(7, [0], 100 + 2 * number) == nil) }
        #expect(writes.add(7, [0], 0) == .prepareQueueFull)
        #expect(writes.add(7, [9], 155) == nil)
        #expect(writes.writes.count == PreparedWrites.maximumCount)
    }
}
