// Public, because `package` generics are not specialized for types of another module, which makes them ten
// times slower.

/// A hash table for consecutive numbers, such as serials and identifiers.
///
/// A dictionary protects its hash from an attacker who chooses the keys, which costs more than the rest of a
/// lookup. The program itself assigns these numbers, so one multiplication scatters them.
///
/// Adding, finding and removing take amortized constant time; the memory shrinks with the number of values.
/// The table is unordered. `Int.min` is not a valid key.
@frozen public struct IntegerKeyTable<Value> {
    // The key at each place, or `free`. At least a quarter of the places are free.
    @usableFromInline var keys: [Int]
    @usableFromInline var contents: [Value?]
    /// The shift of a key's product; the remaining bits are the place where its search begins.
    @usableFromInline var shift: UInt64
    /// The number of values.
    @usableFromInline var count: Int

    @inlinable static var free: Int { Int.min }

    /// Creates an empty table.
    @inlinable public init() { self.init(bits: 3) }

    @inlinable init(bits: Int) {
        keys = Array(repeating: Self.free, count: 1 << bits)
        contents = Array(repeating: nil, count: 1 << bits)
        shift = UInt64(64 - bits)
        count = 0
    }

    /// Whether the table is empty.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// The values, in no particular order.
    @inlinable public var values: [Value] { contents.compactMap { $0 } }

    /// The keys with their values, in the order of the keys.
    @inlinable public var sorted: [(key: Int, value: Value)] {
        zip(keys, contents).compactMap { key, value in value.map { (key, $0) } }
            .sorted { $0.0 < $1.0 }
    }

    /// The value of a key, or nil.
    @inlinable public subscript(_ key: Int) -> Value? {
        get { contents[findIndex(key)] }
        set {
            guard let newValue else {
                removeValue(forKey: key)
                return
            }
            let place = findIndex(key)
            contents[place] = newValue
            guard keys[place] != key else { return }
            keys[place] = key
            count += 1
            if count > keys.count / 4 * 3 { resize(bits: 1) }
        }
    }

    /// Changes the value of a key in place, or returns nil without a value.
    ///
    /// `body` must leave a value in place.
    @inlinable public mutating func change<Output>(
        _ key: Int,
        _ body: (inout Value?) -> Output?
    ) -> Output? {
        let place = findIndex(key)
        guard keys[place] == key else { return nil }
        return body(&contents[place])
    }

    /// Removes and returns the value of a key, or returns nil.
    @inlinable @discardableResult
    public mutating func removeValue(forKey key: Int) -> Value? {
        let place = findIndex(key)
        guard keys[place] == key, let value = contents[place] else { return nil }
        keys[place] = Self.free
        contents[place] = nil
        count -= 1
        if keys[nextIndex(place)] != Self.free { closeGap(place) }
        if keys.count > 64, count < keys.count / 8 { resize(bits: -1) }
        return value
    }

    // MARK: Places

    /// Returns the place of a key, or the free place where it belongs.
    @inlinable func findIndex(_ key: Int) -> Int {
        var place = preferredIndex(key)
        while keys[place] != key, keys[place] != Self.free { place = nextIndex(place) }
        return place
    }

    // 2^64 divided by the golden ratio: consecutive keys are placed far apart.
    @inlinable func preferredIndex(_ key: Int) -> Int {
        let product = UInt64(truncatingIfNeeded: key) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product &>> shift)
    }

    @inlinable func nextIndex(_ place: Int) -> Int { (place &+ 1) & (keys.count &- 1) }

    // Moves up the entries after the removed one that were displaced from their own places.
    @inlinable mutating func closeGap(_ emptied: Int) {
        let mask = keys.count &- 1
        var gap = emptied
        var place = nextIndex(gap)
        while keys[place] != Self.free {
            if (place &- preferredIndex(keys[place])) & mask >= (place &- gap) & mask {
                keys.swapAt(gap, place)
                contents.swapAt(gap, place)
                gap = place
            }
            place = nextIndex(place)
        }
    }

    @inlinable mutating func resize(bits change: Int) {
        let old = self
        self = IntegerKeyTable(bits: 64 - Int(shift) + change)
        for (key, value) in zip(old.keys, old.contents) where key != Self.free {
            let place = findIndex(key)
            keys[place] = key
            contents[place] = value
        }
        count = old.count
    }
}

extension IntegerKeyTable: Equatable where Value: Equatable {
    /// Returns whether both tables hold the same values for the same keys.
    @inlinable public static func == (first: IntegerKeyTable, second: IntegerKeyTable) -> Bool {
        guard first.count == second.count else { return false }
        for (key, value) in zip(first.keys, first.contents)
        where key != free && second[key] != value {
            return false
        }
        return true
    }
}
