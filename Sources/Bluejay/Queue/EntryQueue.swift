internal import DequeModule

/// An operation as the queue knows it.
struct QueueEntry: Equatable {
    let id: QueueStateMachine.ID
    let kind: QueueStateMachine.Kind
}

/// A queue whose front is taken off, and whose kinds are counted, in constant time.
struct EntryQueue: Equatable {
    private var entries: Deque<QueueEntry> = []
    private var counts = Counts()

    private struct Counts: Equatable {
        var scans = 0
        var linkMakers = 0
        var reconnects = 0
        var adopts = 0
        var disconnects = 0

        mutating func add(_ kind: QueueStateMachine.Kind, _ change: Int) {
            switch kind {
            case .scan: scans += change
            case .connect: linkMakers += change
            case .reconnect: reconnects += change
            case .adopt:
                linkMakers += change
                adopts += change
            case .disconnect: disconnects += change
            case .besideScan, .watch, .characteristic, .endOfListen: break
            }
        }
    }

    var isEmpty: Bool { entries.isEmpty }
    var first: QueueEntry? { entries.first }
    /// Whether a connection waits that the user has asked for.
    var hasLinkMaker: Bool { counts.linkMakers > 0 }
    var hasAdopt: Bool { counts.adopts > 0 }
    var hasDisconnect: Bool { counts.disconnects > 0 }

    var scan: QueueEntry? {
        counts.scans > 0 ? entries.first { $0.kind == .scan } : nil
    }

    /// How many entries are before the first disconnect; without one, how many there are.
    var lengthBeforeDisconnect: Int {
        guard hasDisconnect else { return entries.count }
        return entries.firstIndex { $0.kind == .disconnect } ?? entries.count
    }

    mutating func append(_ entry: QueueEntry) {
        entries.append(entry)
        counts.add(entry.kind, 1)
    }

    mutating func removeFirst(_ count: Int) -> [QueueEntry] {
        let removed = Array(entries.prefix(count))
        for entry in removed { counts.add(entry.kind, -1) }
        entries.removeFirst(removed.count)
        return removed
    }

    /// Removes one entry; false when it is not there.
    mutating func remove(_ id: QueueStateMachine.ID) -> Bool {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return false }
        counts.add(entries.remove(at: index).kind, -1)
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

    /// Removes the disconnects, and gives them in their order.
    mutating func removeDisconnects() -> [QueueStateMachine.ID] {
        guard hasDisconnect else { return [] }
        let ids = entries.filter { $0.kind == .disconnect }.map(\.id)
        for id in ids { _ = remove(id) }
        return ids
    }

    mutating func removeAll() -> [QueueEntry] {
        removeFirst(entries.count)
    }
}
