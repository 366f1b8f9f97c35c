// Public, since what is `package` is not compiled for the types of another module: ten times the time.
public import DequeModule

/// Values by numbers that rise as the values come, such as those of operations.
///
/// They lie in the order of their numbers: what is done to one after the other is done to memory that
/// lies together, also when there are a million. What is removed from the middle leaves its place
/// behind; there are never more of these than values, but for a few, and none at either end.
///
/// Adding and removing take constant time, shared by many. So does finding where no numbers are left
/// out; elsewhere the places are halved between which it must be. The memory follows the number of
/// values, also when that falls. No number is negative.
@frozen public struct RisingTable<Value> {
    // In the order of the keys; a place without a value is left over.
    @usableFromInline var places: Deque<(key: Int, value: Value?)> = []
    /// How many values there are.
    @usableFromInline var count = 0
    /// How many places there have been at once since the memory was made anew.
    @usableFromInline var room = 0

    /// A table without values.
    @inlinable public init() {}

    /// Whether there are no values.
    @inlinable public var isEmpty: Bool { count == 0 }

    /// The numbers with their values, in the order of the numbers.
    @inlinable public var sorted: [(key: Int, value: Value)] {
        places.compactMap { key, value in value.map { (key, $0) } }
    }

    /// The value of a number; nil when there is none.
    @inlinable public subscript(_ key: Int) -> Value? {
        place(of: key).flatMap { places[$0].value }
    }

    /// Adds a value, whose number is higher than those of all that are there.
    @inlinable public mutating func append(_ key: Int, _ value: Value) {
        if let last = places.last { precondition(key > last.key, "the numbers do not rise") }
        places.append((key, value))
        count += 1
        if places.count > room { room = places.count }
    }

    /// Removes a value and gives it; nil when there is none.
    @inlinable @discardableResult
    public mutating func removeValue(forKey key: Int) -> Value? {
        guard let place = place(of: key) else { return nil }
        let value: Value?
        if place == 0 {
            // It moves out, as most do: those that came first go first.
            value = places.removeFirst().value
        } else {
            value = places[place].value
            places[place].value = nil
        }
        guard value != nil else { return nil }
        count -= 1
        if places.count > count { trim() }
        if room > 64 { giveBack() }
        return value
    }

    // MARK: Places

    // The numbers between two places are as many at least as the places: each end of the table says how
    // far from it a number can be.
    @inlinable func place(of key: Int) -> Int? {
        guard let first = places.first?.key, let last = places.last?.key, key >= first, key <= last
        else { return nil }
        if key == first { return 0 }
        var low = Swift.max(0, places.count - 1 - (last - key))
        var high = Swift.min(places.count - 1, key - first)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return places[low].key == key ? low : nil
    }

    @inlinable mutating func trim() {
        while let first = places.first, first.value == nil { places.removeFirst() }
        while let last = places.last, last.value == nil { places.removeLast() }
    }

    // The work is shared by as many removals.
    @inlinable mutating func giveBack() {
        guard places.count > 2 * count + 32 || places.count < room / 8 else { return }
        var kept = Deque<(key: Int, value: Value?)>(minimumCapacity: count)
        while let place = places.popFirst() {
            if place.value != nil { kept.append(place) }
        }
        places = kept
        room = Swift.max(64, count)
    }
}
