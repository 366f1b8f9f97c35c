import TestSupport
import TestTraits
import Testing

@testable import Bluejay

@Suite("A table with ascending keys")
struct AscendingKeyTableTests {
    private func table(_ keys: some Sequence<Int>) -> AscendingKeyTable<Int> {
        var table = AscendingKeyTable<Int>()
        for key in keys { table.append(key, key) }
        return table
    }

    @Test("Inserted values are found, and removed values are not")
    func basics() {
        var table = table([1, 2, 5, 9])
        #expect((0...10).map { table[$0] } == [nil, 1, 2, nil, nil, 5, nil, nil, nil, 9, nil])
        let removed = [5, 5, 3, 1, 9, 0, 10].map { table.removeValue(forKey: $0) }
        #expect(removed == [5, nil, nil, 1, 9, nil, nil])
        #expect((0...10).compactMap { table[$0] } == [2])
        #expect(table.sorted.map(\.key) == [2] && !table.isEmpty)
        #expect(table.removeValue(forKey: 2) == 2)
        #expect(table.isEmpty && table.sorted.isEmpty && table[2] == nil)
        table.append(3, 30)
        #expect(table[3] == 30 && table[2] == nil)
    }

    @Test(
        "The table behaves like a dictionary for random insertions and removals",
        arguments: UInt64(1)...20
    )
    func asDictionary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = AscendingKeyTable<Int>()
        var dictionary: [Int: Int] = [:]
        var last = 0
        var keys: [Int] = []
        // Some tables grow long, some stay short; some have no gaps.
        let chance = Int.random(in: 40...60, using: &random)
        let stride = [1, 1, 3, 1 << 40].randomElement(using: &random) ?? 1
        for round in 0..<2000 {
            if Int.random(in: 0..<100, using: &random) < chance {
                last += Int.random(in: 1...stride, using: &random)
                table.append(last, round)
                dictionary[last] = round
                keys.append(last)
            } else {
                let place = keys.indices.randomElement(using: &random)
                let any = Int.random(in: 0...last, using: &random)
                let own = place.map { keys.remove(at: $0) } ?? any
                let key = Bool.random(using: &random) ? own : any
                let removed = table.removeValue(forKey: key)
                #expect(removed == dictionary.removeValue(forKey: key), "seed \(seed)")
                #expect(table[key] == nil, "seed \(seed)")
            }
            #expect(table.isEmpty == dictionary.isEmpty, "seed \(seed)")
        }
        #expect(table.sorted.map(\.key) == dictionary.keys.sorted(), "seed \(seed)")
        #expect(dictionary.allSatisfy { table[$0.key] == $0.value }, "seed \(seed)")
    }

    @Test("The storage follows the number of values, in any order of removal", .computing)
    func places() {
        // The first entry stays, as a scan does during many reads and writes.
        var table = table(0...0)
        for key in 1...30_000 {
            table.append(key, key)
            if key > 10 { table.removeValue(forKey: key - 10) }
        }
        #expect(table.placeCount < 64 && table.peakCount < 128)

        var random = SeededGenerator(seed: 1)
        let shuffled = (1...20_000).shuffled(using: &random)
        for order in [Array(1...20_000), (1...20_000).reversed(), shuffled] {
            var table = self.table(1...20_000)
            for (done, key) in order.enumerated() {
                table.removeValue(forKey: key)
                let left = 20_000 - done - 1
                guard done % 100 == 0 else { continue }
                #expect(table.placeCount <= 2 * left + 32)
                #expect(table.peakCount <= 8 * (2 * left + 32))
            }
            #expect(table.isEmpty && table.peakCount <= 64)
        }
    }
}
