import TestSupport
import Testing

@testable import Bluejay

@Suite("The list of a scan")
struct ScanListTests {
    @Test("The list is in the order of discovery, each peripheral with its last report")
    func order() {
        var list = ScanList<String, Int, Int> { $0 }
        for (key, report) in [("a", 1), ("b", 2), ("a", 3), ("c", 4)] { list.set(key, report) }
        #expect(list.all() == [3, 2, 4])
        #expect(list.remove("b") == 2)
        #expect(list.all() == [3, 4])
        list.set("b", 5)
        list.set("c", 6)
        #expect(list.remove("c") == 6)
        #expect(list.all() == [3, 5])
    }

    @Test("An element read at once is in the list, and no older one replaces it")
    func looked() {
        var list = ScanList<String, Int, Int> { $0 }
        var looks = [list.update("a", 1)]
        list.set("b", 2)
        list.set("a", 3)
        list.set("b", 4)
        looks.append(list.update("a", 5))
        #expect(looks == [1, 5])
        #expect(list.all() == [5, 4])
        #expect(list.remove("a") == 5)
        #expect(list.update("a", 6) == 6)
        #expect(list.all() == [4, 6])
    }

    @Test("Elements are created when they are read, not for each report")
    func lazy() {
        var made = 0
        var list = ScanList<String, Int, Int> {
            made += 1
            return $0
        }
        for report in 0..<100 { list.set("a", report) }
        #expect(list.all() == [99])
        #expect(made == 2)
    }

    @Test(
        "The list behaves like a plain one in random sequences",
        arguments: 0..<100 as Range<UInt64>
    )
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var list = ScanList<Int, Int, Int> { $0 }
        var plain: [(key: Int, value: Int)] = []
        for step in 0..<300 {
            let key = Int.random(in: 0..<10, using: &random)
            let place = plain.firstIndex { $0.key == key }
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                let gone = place.map { plain.remove(at: $0).value }
                #expect(list.remove(key) == gone, "seed \(seed)")
            case 1:
                #expect(list.all() == plain.map(\.value), "seed \(seed)")
            case 2:
                #expect(list.update(key, step) == step, "seed \(seed)")
                if let place { plain[place].value = step } else { plain.append((key, step)) }
            default:
                list.set(key, step)
                if let place { plain[place].value = step } else { plain.append((key, step)) }
            }
        }
        #expect(list.all() == plain.map(\.value), "seed \(seed)")
    }
}
