import TestSupport
import Testing

@testable import Bluejay

@Suite("A table in the order of the last access")
struct RecencyTableTests {
    @Test("An accessed value becomes the most recent one, and a set value is found")
    func touch() {
        var table = RecencyTable<String, Int>()
        for (key, value) in [("a", 1), ("b", 2), ("c", 3), ("a", 4)] { table.touch(key, value) }
        #expect(table.map(\.key) == ["b", "c", "a"])
        #expect(table["a"] == 4)
        #expect(table.oldest?.key == "b")
        #expect(table.count == 3)
    }

    @Test("A removed value is gone, from any position")
    func remove() {
        for gone in ["a", "b", "c"] {
            var table = RecencyTable<String, Int>()
            for key in ["a", "b", "c"] { table.touch(key, 0) }
            #expect(table.remove(gone) == 0)
            #expect(table.remove(gone) == nil)
            #expect(table[gone] == nil)
            #expect(table.map(\.key) == ["a", "b", "c"].filter { $0 != gone })
        }
    }

    @Test("Two tables with the same order and values are equal, whatever their history")
    func equality() {
        var left = RecencyTable<String, Int>()
        var right = RecencyTable<String, Int>()
        for key in ["x", "a", "b"] { left.touch(key, 0) }
        left.remove("x")
        right.touch("a", 0)
        #expect(left != right)
        right.touch("b", 0)
        #expect(left == right)
        right.touch("a", 0)
        #expect(left != right)
    }

    @Test(
        "The table behaves like a plain list in random sequences",
        arguments: 0..<100 as Range<UInt64>
    )
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = RecencyTable<Int, Int>()
        var list: [(key: Int, value: Int)] = []
        for step in 0..<200 {
            let key = Int.random(in: 0..<10, using: &random)
            let old = list.first { $0.key == key }?.value
            list.removeAll { $0.key == key }
            if Bool.random(using: &random) {
                #expect(table.remove(key) == old, "seed \(seed)")
            } else {
                table.touch(key, step)
                list.append((key, step))
            }
            #expect(table.map(\.key) == list.map(\.key), "seed \(seed)")
            #expect(table.map(\.value) == list.map(\.value), "seed \(seed)")
            #expect(table.oldest?.key == list.first?.key, "seed \(seed)")
            #expect(table.count == list.count, "seed \(seed)")
        }
    }
}
