import TestSupport
import Testing

@testable import BluejayBlueZ

@Suite("The table of values by number")
struct NumberTableTests {
    @Test("An added value is found until its removal")
    func basics() {
        var table = NumberTable<String>()
        #expect(table.isEmpty && table[1] == nil)
        table[1] = "one"
        table[0] = "zero"
        table[-7] = "minus seven"
        table[1] = "ONE"
        #expect(table.keys.sorted() == [-7, 0, 1])
        let removed = [table.removeValue(forKey: 0), table.removeValue(forKey: 0)]
        #expect(removed == ["zero", nil])
        table[1]?.removeFirst()
        table[2]?.removeFirst()
        #expect(table[1] == "NE" && table[2] == nil && table.count == 2)
        for key in [1, -7] { table[key] = nil }
        #expect(table.isEmpty && table == NumberTable())
    }

    @Test("Random changes have the result of a dictionary", arguments: UInt64(1)...20)
    func asDictionary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = NumberTable<Int>()
        var dictionary: [Int: Int] = [:]
        let span = Int.random(in: 4...400, using: &random)
        // Consecutive numbers, and numbers that share the places of a small table.
        let stride = [1, 8, 1 << 20, 1 << 50].randomElement(using: &random) ?? 1
        for round in 0..<4000 {
            let key = Int.random(in: 0..<span, using: &random) &* stride
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                table[key] = round
                dictionary[key] = round
            case 1:
                table[key]? += round
                dictionary[key]? += round
            case 2:
                table[key] = nil
                dictionary[key] = nil
            default:
                let removed = table.removeValue(forKey: key)
                #expect(removed == dictionary.removeValue(forKey: key))
            }
            #expect(table[key] == dictionary[key])
        }
        #expect(table.keys.sorted() == dictionary.keys.sorted())
        #expect(dictionary.allSatisfy { table[$0.key] == $0.value })
        #expect(table.count == dictionary.count)
    }

    @Test("Tables with the same values are equal, regardless of their history")
    func equality() {
        var first = NumberTable<Int>()
        var second = NumberTable<Int>()
        for key in 0..<1000 { first[key] = key }
        for key in 0..<1000 where key % 100 != 0 { first[key] = nil }
        for key in (0..<10).reversed() { second[key * 100] = key * 100 }
        #expect(first == second)
        second[500] = 1
        #expect(first != second)
    }
}
