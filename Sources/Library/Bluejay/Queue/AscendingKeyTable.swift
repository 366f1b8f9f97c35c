internal import DequeModule

/// A table of values whose keys are added in ascending order, such as operations by number.
///
/// The values are stored contiguously in the order of their keys, so that iterating over a million of them
/// stays fast. A value removed from the middle leaves an empty place. There are at most a few more empty
/// places than values, and none at either end.
///
/// Adding and removing take amortized constant time. Looking up a key takes constant time if no numbers are
/// missing; otherwise it is a binary search. The memory shrinks with the number of values. Keys are not
/// negative.
///
/// With a million waiting reads, a dictionary in its place takes 26 bytes and 214 instructions more for each.
struct AscendingKeyTable<Value> {
    // In the order of the keys; a removed value leaves a place without a value.
    private var entries: Deque<(key: Int, value: Value?)> = []
    /// The number of values.
    private var count = 0
    /// The key that was added last; its value may have been removed.
    private var lastKey = -1
    /// The maximum number of places since the memory was last reallocated.
    private(set) var peakCount = 0

    /// The number of places, empty ones included.
    var placeCount: Int { entries.count }

    /// Whether the table is empty.
    var isEmpty: Bool { count == 0 }

    /// The keys with their values, in the order of the keys.
    var sorted: [(key: Int, value: Value)] {
        entries.compactMap { key, value in value.map { (key, $0) } }
    }

    /// Returns the value of a key, or nil.
    subscript(_ key: Int) -> Value? {
        index(of: key).flatMap { entries[$0].value }
    }

    /// Adds a value, whose key must exceed all keys in the table.
    mutating func append(_ key: Int, _ value: Value) {
        precondition(entries.isEmpty || key > lastKey, "the numbers do not rise")
        lastKey = key
        entries.append((key, value))
        count += 1
        if entries.count > peakCount { peakCount = entries.count }
    }

    /// Removes and returns the value of a key, or returns nil.
    @discardableResult
    mutating func removeValue(forKey key: Int) -> Value? {
        guard let place = index(of: key) else { return nil }
        let value: Value?
        if place == 0 {
            // Most values leave at the front: the oldest ones are removed first.
            value = entries.removeFirst().value
        } else {
            value = entries[place].value
            entries[place].value = nil
        }
        guard value != nil else { return nil }
        count -= 1
        if entries.count > count { removeTombstonesAtEnds() }
        if peakCount > 64 { releaseUnusedMemory() }
        return value
    }

    // MARK: Places

    // The difference between two keys is at least the distance between their places, so each end of the table
    // bounds the possible places of a key.
    private func index(of key: Int) -> Int? {
        guard let first = entries.first?.key, key >= first, key <= lastKey else { return nil }
        if key == first { return 0 }
        var low = Swift.max(0, entries.count - 1 - (lastKey - key))
        var high = Swift.min(entries.count - 1, key - first)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return entries[low].key == key ? low : nil
    }

    private mutating func removeTombstonesAtEnds() {
        while let first = entries.first, first.value == nil { entries.removeFirst() }
        while let last = entries.last, last.value == nil { entries.removeLast() }
    }

    // Each reallocation is amortized over as many removals.
    private mutating func releaseUnusedMemory() {
        guard entries.count > 2 * count + 32 || entries.count < peakCount / 8 else { return }
        var kept = Deque<(key: Int, value: Value?)>(minimumCapacity: count)
        while let place = entries.popFirst() {
            if place.value != nil { kept.append(place) }
        }
        entries = kept
        peakCount = Swift.max(64, count)
    }
}
