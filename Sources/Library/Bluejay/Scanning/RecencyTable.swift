/// A dictionary whose keys are ordered by their last use.
///
/// Every step takes constant time: a dictionary maps each key to a slot, and the slots form a chain from the
/// least recently to the most recently touched.
struct RecencyTable<Key: Hashable, Value> {
    private struct Slot {
        var key: Key
        var value: Value
    }

    // Apart from the values, because a change of the order would copy them.
    private struct Neighbors {
        var older: Int?
        var newer: Int?
    }

    private var indexes: [Key: Int] = [:]
    private var slots: [Slot?] = []
    private var neighbors: [Neighbors] = []
    private var vacant: [Int] = []
    private var oldestIndex: Int?
    private var latestIndex: Int?

    var count: Int { indexes.count }
    var isEmpty: Bool { indexes.isEmpty }

    /// The least recently touched entry.
    var oldest: (key: Key, value: Value)? {
        oldestIndex.flatMap { slots[$0] }.map { ($0.key, $0.value) }
    }

    /// The value of a key; reading does not touch the key.
    subscript(key: Key) -> Value? {
        indexes[key].flatMap { slots[$0]?.value }
    }

    /// Sets the value of a key, which becomes the most recent.
    mutating func touch(_ key: Key, _ value: Value) {
        touch(key) { $0 = value }
    }

    /// Sets the value of a key, which becomes the most recent; `change` sees the former value and sets one.
    mutating func touch(_ key: Key, _ change: (inout Value?) -> Void) {
        guard let index = indexes[key] else {
            var value: Value?
            change(&value)
            if let value { append(key, value) }
            return
        }
        var value = slots[index]?.value
        change(&value)
        if let value { slots[index]?.value = value }
        guard index != latestIndex else { return }
        unchain(index)
        chain(index)
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let index = indexes.removeValue(forKey: key) else { return nil }
        let value = slots[index]?.value
        unchain(index)
        slots[index] = nil
        vacant.append(index)
        return value
    }

    private mutating func append(_ key: Key, _ value: Value) {
        let slot = Slot(key: key, value: value)
        let index: Int
        if let free = vacant.popLast() {
            index = free
            slots[index] = slot
        } else {
            index = slots.count
            slots.append(slot)
            neighbors.append(Neighbors())
        }
        indexes[key] = index
        chain(index)
    }

    /// Appends an unchained slot as the most recent.
    private mutating func chain(_ index: Int) {
        neighbors[index] = Neighbors(older: latestIndex)
        if let latestIndex { neighbors[latestIndex].newer = index }
        latestIndex = index
        if oldestIndex == nil { oldestIndex = index }
    }

    private mutating func unchain(_ index: Int) {
        let (older, newer) = (neighbors[index].older, neighbors[index].newer)
        if let older { neighbors[older].newer = newer } else { oldestIndex = newer }
        if let newer { neighbors[newer].older = older } else { latestIndex = older }
    }
}

extension RecencyTable: Sequence {
    /// Iterates from the least recently to the most recently touched entry.
    func makeIterator() -> AnyIterator<(key: Key, value: Value)> {
        var index = oldestIndex
        return AnyIterator {
            guard let current = index, let slot = slots[current] else { return nil }
            index = neighbors[current].newer
            return (slot.key, slot.value)
        }
    }
}

extension RecencyTable: Equatable where Value: Equatable {
    static func == (left: RecencyTable, right: RecencyTable) -> Bool {
        left.elementsEqual(right) { $0.key == $1.key && $0.value == $1.value }
    }
}
