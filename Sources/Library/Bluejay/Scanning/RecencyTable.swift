/// A dictionary whose keys are ordered by their last use.
///
/// Every step takes constant time: a dictionary maps each key to a slot, and the slots form a chain from the
/// least recently to the most recently touched.
struct RecencyTable<Key: Hashable, Value> {
    private struct Slot {
        var key: Key
        var value: Value
        var older: Int?
        var newer: Int?
    }

    private var indexes: [Key: Int] = [:]
    private var slots: [Slot?] = []
    private var vacant: [Int] = []
    private var oldestIndex: Int?
    private var latestIndex: Int?

    var count: Int { indexes.count }

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
        guard let index = indexes[key] else { return append(key, value) }
        slots[index]?.value = value
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
        }
        indexes[key] = index
        chain(index)
    }

    /// Appends an unchained slot as the most recent.
    private mutating func chain(_ index: Int) {
        slots[index]?.older = latestIndex
        slots[index]?.newer = nil
        if let latestIndex { slots[latestIndex]?.newer = index }
        latestIndex = index
        if oldestIndex == nil { oldestIndex = index }
    }

    private mutating func unchain(_ index: Int) {
        let older = slots[index]?.older
        let newer = slots[index]?.newer
        if let older { slots[older]?.newer = newer } else { oldestIndex = newer }
        if let newer { slots[newer]?.older = older } else { latestIndex = older }
    }
}

extension RecencyTable: Sequence {
    /// Iterates from the least recently to the most recently touched entry.
    func makeIterator() -> AnyIterator<(key: Key, value: Value)> {
        var index = oldestIndex
        return AnyIterator {
            guard let slot = index.flatMap({ slots[$0] }) else { return nil }
            index = slot.newer
            return (slot.key, slot.value)
        }
    }
}

extension RecencyTable: Equatable where Value: Equatable {
    static func == (left: RecencyTable, right: RecencyTable) -> Bool {
        left.elementsEqual(right) { $0.key == $1.key && $0.value == $1.value }
    }
}
