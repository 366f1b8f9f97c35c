// Public, since what is `package` is not compiled for the types of another module: ten times the time.

/// Values by numbers that are counted up, such as serials and identifiers.
///
/// A dictionary hashes its keys against somebody who chooses them, which costs more than the rest of a
/// look-up. Numbers that are given here are scattered by one multiplication.
///
/// Adding, finding and removing take constant time, shared by many; the memory follows the number of
/// values, also when that falls. There is no order. `Int.min` is no number.
@frozen public struct NumberTable<Value> {
    // The number at each place; `free` where nothing is. A quarter of the places at least is free.
    @usableFromInline var keys: [Int]
    @usableFromInline var contents: [Value?]
    /// How far the product of a number is shifted: what is left is the place where its search begins.
    @usableFromInline var shift: UInt64
    /// How many values there are.
    @usableFromInline var count: Int

    @inlinable static var free: Int { Int.min }

    /// A table without values.
    @inlinable public init() { self.init(bits: 3) }

    @inlinable init(bits: Int) {
        keys = Array(repeating: Self.free, count: 1 << bits)
        contents = Array(repeating: nil, count: 1 << bits)
        shift = UInt64(64 - bits)
        count = 0
    }

    /// Whether there are no values.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// The values, in no order.
    @inlinable public var values: [Value] { contents.compactMap { $0 } }

    /// The numbers with their values, in the order of the numbers.
    @inlinable public var sorted: [(key: Int, value: Value)] {
        zip(keys, contents).compactMap { key, value in value.map { (key, $0) } }
            .sorted { $0.0 < $1.0 }
    }

    /// The value of a number; nil when there is none.
    @inlinable public subscript(_ key: Int) -> Value? {
        get { contents[search(key)] }
        set {
            guard let newValue else {
                removeValue(forKey: key)
                return
            }
            let place = search(key)
            contents[place] = newValue
            guard keys[place] != key else { return }
            keys[place] = key
            count += 1
            if count > keys.count / 4 * 3 { resize(bits: 1) }
        }
    }

    /// Changes a value where it lies, and leaves one there; nil when there is none.
    @inlinable public mutating func change<Answer>(
        _ key: Int,
        _ body: (inout Value?) -> Answer?
    ) -> Answer? {
        let place = search(key)
        guard keys[place] == key else { return nil }
        return body(&contents[place])
    }

    /// Removes a value and gives it; nil when there is none.
    @inlinable @discardableResult
    public mutating func removeValue(forKey key: Int) -> Value? {
        let place = search(key)
        guard keys[place] == key, let value = contents[place] else { return nil }
        keys[place] = Self.free
        contents[place] = nil
        count -= 1
        if keys[next(place)] != Self.free { close(place) }
        if keys.count > 64, count < keys.count / 8 { resize(bits: -1) }
        return value
    }

    // MARK: Places

    /// The place of a number, or the free one where it would be.
    @inlinable func search(_ key: Int) -> Int {
        var place = home(key)
        while keys[place] != key, keys[place] != Self.free { place = next(place) }
        return place
    }

    // 2^64 by the golden ratio: numbers that follow each other come to lie far apart.
    @inlinable func home(_ key: Int) -> Int {
        let product = UInt64(truncatingIfNeeded: key) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: product &>> shift)
    }

    @inlinable func next(_ place: Int) -> Int { (place &+ 1) & (keys.count &- 1) }

    // What was put behind the one that has gone, since its own place was taken, moves up.
    @inlinable mutating func close(_ emptied: Int) {
        let mask = keys.count &- 1
        var gap = emptied
        var place = next(gap)
        while keys[place] != Self.free {
            if (place &- home(keys[place])) & mask >= (place &- gap) & mask {
                keys.swapAt(gap, place)
                contents.swapAt(gap, place)
                gap = place
            }
            place = next(place)
        }
    }

    @inlinable mutating func resize(bits change: Int) {
        let old = self
        self = NumberTable(bits: 64 - Int(shift) + change)
        for (key, value) in zip(old.keys, old.contents) where key != Self.free {
            let place = search(key)
            keys[place] = key
            contents[place] = value
        }
        count = old.count
    }
}

extension NumberTable: Equatable where Value: Equatable {
    /// Whether they have the same values for the same numbers.
    @inlinable public static func == (first: NumberTable, second: NumberTable) -> Bool {
        guard first.count == second.count else { return false }
        for (key, value) in zip(first.keys, first.contents)
        where key != free && second[key] != value {
            return false
        }
        return true
    }
}
