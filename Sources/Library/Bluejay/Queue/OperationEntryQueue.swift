internal import DequeModule

/// An operation as the queue knows it.
struct QueueEntry: Equatable {
    let id: QueueStateMachine.ID
    let kind: QueueStateMachine.Kind
}

/// A queue whose front is taken off, whose entries are taken out by their numbers and whose kinds are
/// counted, however long it is.
///
/// What is taken out of the middle leaves its place behind; there are never more of these than entries,
/// and none at the front.
struct OperationEntryQueue: Equatable {
    private struct Place {
        let entry: QueueEntry
        var isLeft = false
    }

    private var places: Deque<Place> = []
    private var leftCount = 0
    /// Whether the numbers rise, so that one can be found by halves: they do but for disconnects that
    /// wait anew.
    private var isSorted = true
    /// There is one at most.
    private(set) var scan: QueueEntry?
    private var counts = Counts()
    /// The connection that waits behind every disconnect, if there is one.
    private var connectBehind: QueueStateMachine.ID?

    private struct Counts: Equatable {
        var linkMakers = 0
        var reconnects = 0
        var adopts = 0
        var disconnects = 0

        mutating func add(_ kind: QueueStateMachine.Kind, _ change: Int) {
            switch kind {
            case .connect: linkMakers += change
            case .reconnect: reconnects += change
            case .adopt:
                linkMakers += change
                adopts += change
            case .disconnect: disconnects += change
            case .scan, .besideScan, .watch, .characteristic, .endOfListen: break
            }
        }
    }

    var isEmpty: Bool { places.isEmpty }
    var first: QueueEntry? { places.first?.entry }
    /// Whether a connection waits that the user has asked for.
    var hasLinkMaker: Bool { counts.linkMakers > 0 }
    var hasAdopt: Bool { counts.adopts > 0 }
    var hasDisconnect: Bool { counts.disconnects > 0 }
    /// Whether a connection waits that no disconnect follows.
    var endsConnected: Bool { connectBehind != nil }
    /// The connection that waits and that no disconnect follows.
    var lastConnect: QueueStateMachine.ID? { connectBehind }

    static func == (first: OperationEntryQueue, second: OperationEntryQueue) -> Bool {
        first.entries == second.entries
    }

    private var entries: [QueueEntry] { places.filter { !$0.isLeft }.map(\.entry) }

    mutating func append(_ entry: QueueEntry) {
        if let last = places.last, last.entry.id >= entry.id { isSorted = false }
        places.append(Place(entry: entry))
        if entry.kind == .scan { scan = entry }
        counts.add(entry.kind, 1)
        switch entry.kind {
        case .connect, .adopt: connectBehind = entry.id
        case .disconnect: connectBehind = nil
        case .reconnect, .scan, .besideScan, .watch, .characteristic, .endOfListen: break
        }
    }

    mutating func popFirst() -> QueueEntry? {
        guard let entry = places.popFirst()?.entry else { return nil }
        forget(entry)
        trim()
        return entry
    }

    /// Removes what is before the first disconnect; without one, everything.
    mutating func removeBeforeDisconnect() -> [QueueEntry] {
        var removed: [QueueEntry] = []
        removed.reserveCapacity(places.count - leftCount)
        while let first, first.kind != .disconnect, let entry = popFirst() { removed.append(entry) }
        return removed
    }

    /// Removes one entry; false when it is not there.
    mutating func remove(_ id: QueueStateMachine.ID) -> Bool {
        guard let index = index(of: id) else { return false }
        forget(places[index].entry)
        places[index].isLeft = true
        leftCount += 1
        trim()
        // The work is shared by as many removals.
        if leftCount > 32, leftCount > places.count / 2 {
            places.removeAll { $0.isLeft }
            leftCount = 0
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

    /// Removes the disconnects, and gives them in their order.
    mutating func removeDisconnects() -> [QueueStateMachine.ID] {
        guard hasDisconnect else { return [] }
        let ids = entries.filter { $0.kind == .disconnect }.map(\.id)
        for id in ids { _ = remove(id) }
        return ids
    }

    mutating func removeAll() -> [QueueEntry] {
        var all: [QueueEntry] = []
        all.reserveCapacity(places.count - leftCount)
        for place in places where !place.isLeft { all.append(place.entry) }
        self = OperationEntryQueue()
        return all
    }

    private mutating func forget(_ entry: QueueEntry) {
        if entry.kind == .scan { scan = nil }
        if entry.id == connectBehind { connectBehind = nil }
        counts.add(entry.kind, -1)
    }

    private mutating func trim() {
        while let first = places.first, first.isLeft {
            places.removeFirst()
            leftCount -= 1
        }
        if places.isEmpty { isSorted = true }
    }

    private func index(of id: QueueStateMachine.ID) -> Int? {
        guard isSorted else { return places.firstIndex { $0.entry.id == id && !$0.isLeft } }
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].entry.id < id { low = middle + 1 } else { high = middle }
        }
        let isThere = low < places.count && places[low].entry.id == id && !places[low].isLeft
        return isThere ? low : nil
    }
}
