/// A table of values by numbers that the library counts up, such as requests and calls.
///
/// A dictionary hashes its keys against a stranger who chooses them. Nobody chooses these numbers, so one
/// multiplication spreads them instead, which saves 3,500 instructions for each read.
///
/// Adding, finding and removing take constant time, and the memory shrinks with the number of values. The
/// values have no order. `Int.min` is no key. The table is internal, because the compiler does not
/// specialize it for the values of other modules: a read would take 34,000 instructions more.
struct NumberTable<Value> {
    private static var unused: Int { Int.min }

    /// The key at each place, or `unused`; at least a quarter of the places are unused.
    private var keysByPlace: [Int]
    private var valuesByPlace: [Value?]
    /// The number of bits by which a product is shifted to get the place where a search begins.
    private var shift: UInt64
    /// The number of values.
    private(set) var count = 0

    init() { self.init(bits: 3) }

    private init(bits: Int) {
        keysByPlace = Array(repeating: Self.unused, count: 1 << bits)
        valuesByPlace = Array(repeating: nil, count: 1 << bits)
        shift = UInt64(64 - bits)
    }

    var isEmpty: Bool { count == 0 }

    /// The keys, without order.
    var keys: [Int] { keysByPlace.filter { $0 != Self.unused } }

    /// The value of a key, or `nil`; a change happens in place.
    subscript(key: Int) -> Value? {
        _read { yield valuesByPlace[place(of: key)] }
        _modify {
            let place = place(of: key)
            yield &valuesByPlace[place]
            settle(key, at: place)
        }
    }

    func contains(_ key: Int) -> Bool { keysByPlace[place(of: key)] == key }

    /// Reads the value of a key in place; returns `nil` without a value.
    func find<Result>(_ key: Int, _ read: (Value) -> Result) -> Result? {
        valuesByPlace[place(of: key)].map(read)
    }

    /// Changes the value of a key in place; returns `nil` without a value.
    mutating func update<Result>(_ key: Int, _ change: (inout Value) -> Result) -> Result? {
        let place = place(of: key)
        // Moved out and back, not copied.
        guard var value = valuesByPlace[place].take() else { return nil }
        defer { valuesByPlace[place] = value }
        return change(&value)
    }

    /// Removes and returns the value of a key, or returns `nil`.
    @discardableResult
    mutating func removeValue(forKey key: Int) -> Value? {
        let place = place(of: key)
        guard keysByPlace[place] == key else { return nil }
        let value = valuesByPlace[place].take()
        keyRemoved(at: place)
        return value
    }

    // MARK: Places

    /// The place of a key, or the unused place where it would be.
    private func place(of key: Int) -> Int {
        var place = firstPlace(of: key)
        while keysByPlace[place] != key, keysByPlace[place] != Self.unused { place = next(place) }
        return place
    }

    // 2^64 divided by the golden ratio: numbers that follow each other are far apart.
    private func firstPlace(of key: Int) -> Int {
        let product = UInt64(truncatingIfNeeded: key) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product &>> shift)
    }

    private func next(_ place: Int) -> Int { (place &+ 1) & (keysByPlace.count &- 1) }

    /// Adds or removes the key of a place whose value has changed.
    private mutating func settle(_ key: Int, at place: Int) {
        let hasValue = valuesByPlace[place] != nil
        guard hasValue != (keysByPlace[place] == key) else { return }
        guard hasValue else { return keyRemoved(at: place) }
        keysByPlace[place] = key
        count += 1
        if count > keysByPlace.count / 4 * 3 { resize(byBits: 1) }
    }

    private mutating func keyRemoved(at place: Int) {
        keysByPlace[place] = Self.unused
        count -= 1
        if keysByPlace[next(place)] != Self.unused { closeGap(at: place) }
        if keysByPlace.count > 64, count < keysByPlace.count / 8 { resize(byBits: -1) }
    }

    /// Moves the values that follow a removed one to where a search finds them.
    private mutating func closeGap(at emptied: Int) {
        let mask = keysByPlace.count &- 1
        var gap = emptied
        var place = next(gap)
        while keysByPlace[place] != Self.unused {
            let distance = (place &- firstPlace(of: keysByPlace[place])) & mask
            if distance >= (place &- gap) & mask {
                keysByPlace.swapAt(gap, place)
                valuesByPlace.swapAt(gap, place)
                gap = place
            }
            place = next(place)
        }
    }

    private mutating func resize(byBits change: Int) {
        let old = self
        self = NumberTable(bits: 64 - Int(shift) + change)
        for (key, value) in zip(old.keysByPlace, old.valuesByPlace) where key != Self.unused {
            let place = place(of: key)
            keysByPlace[place] = key
            valuesByPlace[place] = value
        }
        count = old.count
    }
}

extension NumberTable: Equatable where Value: Equatable {
    static func == (first: NumberTable, second: NumberTable) -> Bool {
        first.count == second.count && first.keys.allSatisfy { first[$0] == second[$0] }
    }
}
