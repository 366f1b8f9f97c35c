/// An operation as the queue knows it.
struct QueueEntry: Equatable {
    let id: QueueStateMachine.ID
    let kind: QueueStateMachine.Kind
}

/// A queue whose front is taken off, and whose kinds are counted, in constant time.
struct EntryQueue: Equatable {
    private var entries: [QueueEntry] = []
    private var head = 0
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
            case .characteristic, .endOfListen: break
            }
        }
    }

    static func == (left: EntryQueue, right: EntryQueue) -> Bool {
        left.entries[left.head...].elementsEqual(right.entries[right.head...])
    }

    var isEmpty: Bool { head == entries.count }
    var first: QueueEntry? { isEmpty ? nil : entries[head] }
    /// Whether a connection waits that the user has asked for.
    var hasLinkMaker: Bool { counts.linkMakers > 0 }
    var hasAdopt: Bool { counts.adopts > 0 }
    var hasDisconnect: Bool { counts.disconnects > 0 }

    var scan: QueueEntry? {
        counts.scans > 0 ? entries[head...].first { $0.kind == .scan } : nil
    }

    /// How many entries are before the first disconnect; without one, how many there are.
    var lengthBeforeDisconnect: Int {
        guard hasDisconnect else { return entries.count - head }
        return entries[head...].firstIndex { $0.kind == .disconnect }.map { $0 - head } ?? 0
    }

    mutating func append(_ entry: QueueEntry) {
        entries.append(entry)
        counts.add(entry.kind, 1)
    }

    mutating func removeFirst(_ count: Int) -> [QueueEntry] {
        let end = min(entries.count, head + count)
        let removed = Array(entries[head..<end])
        for entry in removed { counts.add(entry.kind, -1) }
        head = end
        if head == entries.count || head > 64 && head * 2 > entries.count {
            entries.removeFirst(head)
            head = 0
        }
        return removed
    }

    /// Removes one entry; false when it is not there.
    mutating func remove(_ id: QueueStateMachine.ID) -> Bool {
        guard let index = entries[head...].firstIndex(where: { $0.id == id }) else { return false }
        counts.add(entries.remove(at: index).kind, -1)
        return true
    }

    mutating func removeScan() -> QueueEntry? {
        guard let scan, remove(scan.id) else { return nil }
        return scan
    }

    mutating func removeReconnect() -> QueueEntry? {
        guard counts.reconnects > 0,
            let entry = entries[head...].first(where: { $0.kind == .reconnect }), remove(entry.id)
        else { return nil }
        return entry
    }

    /// Removes the disconnects, and gives them in their order.
    mutating func removeDisconnects() -> [QueueStateMachine.ID] {
        guard hasDisconnect else { return [] }
        let ids = entries[head...].filter { $0.kind == .disconnect }.map(\.id)
        for id in ids { _ = remove(id) }
        return ids
    }

    mutating func removeAll() -> [QueueEntry] {
        removeFirst(entries.count)
    }
}
