import Testing

@testable import BluejayTables

@Suite("A table of numbers")
struct NumberTableTests {
    @Test("What was put in is found, and what was taken out is not")
    func basics() {
        var table = IntegerKeyTable<String>()
        #expect(table.isEmpty && table[1] == nil)
        table[1] = "one"
        table[0] = "nought"
        table[-7] = "minus seven"
        table[1] = "ONE"
        #expect(table.sorted.map(\.key) == [-7, 0, 1])
        #expect(table.sorted.map(\.value) == ["minus seven", "nought", "ONE"])
        let removed = [table.removeValue(forKey: 0), table.removeValue(forKey: 0)]
        #expect(removed == ["nought", nil])
        let changed = table.change(1) { $0?.removeFirst() }
        let missing = table.change(2) { $0?.removeFirst() }
        #expect(changed == "O" && missing == nil)
        #expect(table[1] == "NE" && table[0] == nil && table.count == 2)
        table[1] = nil
        table[-7] = nil
        #expect(table.isEmpty && table == IntegerKeyTable())
    }

    @Test("It is a dictionary, whatever is put in and taken out", arguments: UInt64(1)...20)
    func asDictionary(seed: UInt64) {
        var random = Generator(state: seed)
        var table = IntegerKeyTable<Int>()
        var dictionary: [Int: Int] = [:]
        // Consecutive numbers, and numbers that collide in a small table.
        let span = Int.random(in: 4...400, using: &random)
        let stride = [1, 8, 1 << 20, 1 << 50].randomElement(using: &random) ?? 1
        for round in 0..<4000 {
            let key = Int.random(in: 0..<span, using: &random) &* stride
            if Bool.random(using: &random) {
                table[key] = round
                dictionary[key] = round
            } else {
                let removed = table.removeValue(forKey: key)
                #expect(removed == dictionary.removeValue(forKey: key), "seed \(seed)")
            }
            #expect(table[key] == dictionary[key], "seed \(seed)")
        }
        #expect(table.sorted.map(\.key) == dictionary.keys.sorted(), "seed \(seed)")
        #expect(dictionary.allSatisfy { table[$0.key] == $0.value }, "seed \(seed)")
    }

    @Test("Tables with the same values are equal, however they came to it")
    func equality() {
        var first = IntegerKeyTable<Int>()
        var second = IntegerKeyTable<Int>()
        for key in 0..<1000 { first[key] = key }
        for key in 0..<1000 where key % 100 != 0 { first[key] = nil }
        for key in (0..<10).reversed() { second[key * 100] = key * 100 }
        #expect(first == second)
        second[500] = 1
        #expect(first != second)
    }

    @Test("The places of numbers that are counted up stay near their own, and go with the values")
    func places() {
        var table = IntegerKeyTable<Int>()
        // The table keeps half of the inserted keys, and removes one for each new one.
        for key in 0..<100_000 {
            table[key] = key
            if key % 2 == 0 { table[key / 2] = nil }
        }
        let far = table.sorted.map { key, _ in
            (table.findIndex(key) - table.preferredIndex(key)) & (table.keys.count - 1)
        }
        #expect((far.max() ?? 0) < 64)
        for (key, _) in table.sorted { table[key] = nil }
        #expect(table.keys.count <= 64)
    }
}
