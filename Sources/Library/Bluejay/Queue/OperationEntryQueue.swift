internal import DequeModule

/// The identifier and the kind of a queued operation.
struct QueueEntry: Equatable {
    let id: QueueStateMachine.ID
    let kind: QueueStateMachine.Kind
}

/// A queue of any length that removes entries by identifier and counts them by kind.
///
/// A removal from the middle leaves a vacant slot; the front is never vacant. Beyond 32, vacant slots never
/// outnumber the entries.
struct OperationEntryQueue: Equatable {
    private struct Slot {
        let entry: QueueEntry
        var isRemoved = false
    }

    private var slots: Deque<Slot> = []
    private var tombstoneCount = 0
    /// Whether the identifiers ascend, which permits binary search; only disconnects that are queued again
    /// break the order.
    private var isSorted = true
    /// The waiting scan; at most one exists.
    private(set) var scan: QueueEntry?
    private var counts = Counts()
    /// The connection that waits after all disconnects, if any.
    private var connectBehind: QueueStateMachine.ID?

    private struct Counts: Equatable {
        var connects = 0
        var reconnects = 0
        var adopts = 0
        var disconnects = 0

        mutating func add(_ kind: QueueStateMachine.Kind, _ change: Int) {
            switch kind {
            case .connect: connects += change
            case .reconnect: reconnects += change
            case .adopt:
                connects += change
                adopts += change
            case .disconnect: disconnects += change
            case .scan, .concurrentScan, .watch, .characteristic, .endOfListen: break
            }
        }
    }

    var isEmpty: Bool { slots.isEmpty }
    var first: QueueEntry? { slots.first?.entry }
    /// Whether a connection requested by the user is waiting.
    var hasConnect: Bool { counts.connects > 0 }
    var hasAdopt: Bool { counts.adopts > 0 }
    var hasDisconnect: Bool { counts.disconnects > 0 }
    /// Whether a connection waits that no disconnect follows.
    var endsConnected: Bool { connectBehind != nil }
    /// The waiting connection that no disconnect follows.
    var lastConnect: QueueStateMachine.ID? { connectBehind }

    static func == (first: OperationEntryQueue, second: OperationEntryQueue) -> Bool {
        first.entries == second.entries
    }

    private var entries: [QueueEntry] { slots.filter { !$0.isRemoved }.map(\.entry) }

    mutating func append(_ entry: QueueEntry) {
        if let last = slots.last, last.entry.id >= entry.id { isSorted = false }
        slots.append(Slot(entry: entry))
        if entry.kind == .scan { scan = entry }
        counts.add(entry.kind, 1)
        switch entry.kind {
        case .connect, .adopt: connectBehind = entry.id
        case .disconnect: connectBehind = nil
        case .reconnect, .scan, .concurrentScan, .watch, .characteristic, .endOfListen: break
        }
    }

    mutating func popFirst() -> QueueEntry? {
        guard let entry = slots.popFirst()?.entry else { return nil }
        entryRemoved(entry)
        compact()
        return entry
    }

    /// Removes the entries before the first disconnect, or all entries.
    mutating func removeBeforeDisconnect() -> [QueueEntry] {
        var removed: [QueueEntry] = []
        removed.reserveCapacity(slots.count - tombstoneCount)
        while let first, first.kind != .disconnect, let entry = popFirst() { removed.append(entry) }
        return removed
    }

    /// Removes one entry, and returns false if it does not exist.
    mutating func remove(_ id: QueueStateMachine.ID) -> Bool {
        guard let index = index(of: id) else { return false }
        entryRemoved(slots[index].entry)
        slots[index].isRemoved = true
        tombstoneCount += 1
        compact()
        // The cost is amortized over as many removals.
        if tombstoneCount > 32, tombstoneCount > slots.count / 2 {
            slots.removeAll { $0.isRemoved }
            tombstoneCount = 0
        }
        return true
    }

    mutating func removeScan() -> QueueEntry? {
        guard let scan, remove(scan.id) else { return nil }
        return scan
    }

    mutating func removeReconnect() -> QueueEntry? {
        guard counts.reconnects > 0,
            let entry = entries.first(where: { $0.kind == .reconnect }), remove(entry.id)
        else { return nil }
        return entry
    }

    /// Removes the disconnects, and returns them in order.
    mutating func removeDisconnects() -> [QueueStateMachine.ID] {
        guard hasDisconnect else { return [] }
        let ids = entries.filter { $0.kind == .disconnect }.map(\.id)
        for id in ids { _ = remove(id) }
        return ids
    }

    mutating func removeAll() -> [QueueEntry] {
        var all: [QueueEntry] = []
        all.reserveCapacity(slots.count - tombstoneCount)
        for slot in slots where !slot.isRemoved { all.append(slot.entry) }
        self = OperationEntryQueue()
        return all
    }

    private mutating func entryRemoved(_ entry: QueueEntry) {
        if entry.kind == .scan { scan = nil }
        if entry.id == connectBehind { connectBehind = nil }
        counts.add(entry.kind, -1)
    }

    private mutating func compact() {
        while let first = slots.first, first.isRemoved {
            slots.removeFirst()
            tombstoneCount -= 1
        }
        if slots.isEmpty { isSorted = true }
    }

    private func index(of id: QueueStateMachine.ID) -> Int? {
        guard isSorted else { return slots.firstIndex { $0.entry.id == id && !$0.isRemoved } }
        var (low, high) = (0, slots.count)
        while low < high {
            let middle = (low + high) / 2
            if slots[middle].entry.id < id { low = middle + 1 } else { high = middle }
        }
        let isThere = low < slots.count && slots[low].entry.id == id && !slots[low].isRemoved
        return isThere ? low : nil
    }
}
