internal import BluejayGLib

/// Kept listens whose characteristic has gone, until it returns or its time is over.
///
/// A peripheral that registers its services anew, as after an update, removes them and adds them a moment
/// later, perhaps under other handles. `Key` names a characteristic. Instants are arguments.
struct MovedListens<Key: Hashable>: Equatable {
    /// How long a characteristic may be gone.
    ///
    /// 20 ms were seen; a peer that registers its services one by one, and whose discovery is slow, takes a
    /// second.
    static var limit: Duration { .seconds(2) }

    private struct Entry: Equatable {
        let key: Key
        let deadline: Duration
    }

    /// In the order in which they went.
    private var entries: [Entry] = []

    /// When `expired` has something to give; nil while nothing is awaited.
    var deadline: Duration? { entries.first?.deadline }

    /// A characteristic has gone.
    mutating func left(_ key: Key, now: Duration) {
        guard !entries.contains(where: { $0.key == key }) else { return }
        entries.append(Entry(key: key, deadline: now + Self.limit))
    }

    /// Takes out those that are there again.
    mutating func returned(where isThere: (Key) -> Bool) -> [Key] {
        let back = entries.filter { isThere($0.key) }.map(\.key)
        entries.removeAll { back.contains($0.key) }
        return back
    }

    /// Takes out those whose time is over.
    mutating func expired(now: Duration) -> [Key] {
        let late = entries.prefix { $0.deadline <= now }.map(\.key)
        entries.removeFirst(late.count)
        return late
    }
}

extension OperationRunner {
    /// The services are settled after a change: a kept listen whose characteristic has gone waits for it,
    /// and is set up again when it returns; the others have ended with it.
    func settleVanishedListens() {
        for characteristic in notifications.takeVanished() {
            guard isKept(characteristic) else {
                let error = link.missing(characteristic)
                for id in listens.endRequested(characteristic) { end(id, error) }
                continue
            }
            awaitReturn(of: characteristic)
        }
        resumeMovedListens()
        remember()
    }

    /// A kept listen could not be set up for want of its characteristic: it waits for that.
    func awaitReturn(of characteristic: CharacteristicIdentifier) {
        notifications.moved.left(characteristic, now: clock.now)
        followMovedListens()
    }

    private func resumeMovedListens() {
        guard let link = link.lease?.link else { return }
        let back = notifications.moved.returned { link.characteristic($0) != nil }
        for characteristic in back where isKept(characteristic) { listenAgain(characteristic) }
        followMovedListens()
    }

    private func followMovedListens() {
        guard let deadline = notifications.moved.deadline else {
            return notifications.moveTimer = nil
        }
        let time = max(deadline - clock.now, .zero)
        notifications.moveTimer = clock.schedule(after: time) { [weak self] in
            guard let self else { return }
            let late = notifications.moved.expired(now: clock.now)
            // One more try says what is missing.
            for characteristic in late where isKept(characteristic) {
                listenAgain(characteristic, mayWait: false)
            }
            followMovedListens()
        }
    }

    /// Whether the listen to a characteristic outlives a lost connection.
    func isKept(_ characteristic: CharacteristicIdentifier) -> Bool {
        listens.receiver(of: characteristic).map { listens.keptIDs.contains($0) } ?? false
    }
}
