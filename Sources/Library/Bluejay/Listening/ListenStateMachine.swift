/// Who listens to which characteristic.
///
/// A new listen takes over only when its set-up has succeeded, so that a failure leaves the working one
/// alone. `Key` names a characteristic.
struct ListenStateMachine<Key: Hashable & Swift.Sendable>: Equatable, Swift.Sendable {
    typealias ID = Int

    private struct Entry: Equatable {
        /// Receives values.
        var installed: ID?
        /// Queued or being set up, oldest first.
        var candidates: [ID] = []
        /// What the newest listen allows.
        var option: MultipleListenOption
        /// Those that outlive a connection that was lost.
        var kept: Set<ID> = []
    }

    private var entries: [Key: Entry] = [:]

    /// A listen is asked for; false when an earlier one does not allow it.
    mutating func requested(
        _ key: Key,
        _ id: ID,
        option: MultipleListenOption,
        isKept: Bool = false
    ) -> Bool {
        var entry = entries[key] ?? Entry(option: .replaceable)
        guard entry.option == .replaceable else { return false }
        entry.candidates.append(id)
        entry.option = option
        if isKept { entry.kept.insert(id) }
        entries[key] = entry
        return true
    }

    /// Whether a queued listen is still wanted.
    func isWanted(_ key: Key, _ id: ID) -> Bool {
        entries[key]?.candidates.contains(id) ?? false
    }

    /// The set-up succeeded; gives the listen that it replaced.
    ///
    /// Nothing happens when it is unwanted.
    mutating func started(_ key: Key, _ id: ID) -> ID? {
        guard isWanted(key, id) else { return nil }
        let replaced = entries[key]?.installed
        entries[key]?.candidates.removeAll { $0 == id }
        entries[key]?.installed = id
        return replaced
    }

    /// The set-up failed or was cancelled.
    mutating func failed(_ key: Key, _ id: ID) {
        guard isWanted(key, id) else { return }
        entries[key]?.candidates.removeAll { $0 == id }
        // The one that stays allowed this one, so it allows the next.
        entries[key]?.option = .replaceable
        removeIfEmpty(key)
    }

    /// The user wants no values any more, from this call on; gives the listens that end.
    mutating func endRequested(_ key: Key) -> [ID] {
        guard let entry = entries.removeValue(forKey: key) else { return [] }
        return (entry.installed.map { [$0] } ?? []) + entry.candidates
    }

    /// One installed listen is not wanted any more; others to the characteristic are left alone.
    mutating func endRequested(_ key: Key, of id: ID) {
        guard receiver(of: key) == id else { return }
        entries[key]?.installed = nil
        entries[key]?.kept.remove(id)
        removeIfEmpty(key)
    }

    /// Who receives the values of a characteristic.
    func receiver(of key: Key) -> ID? { entries[key]?.installed }

    /// Whether a characteristic is listened to, or will be.
    func isListening(to key: Key) -> Bool { entries[key] != nil }

    /// The characteristics that are listened to.
    var installedKeys: [Key] {
        entries.filter { $0.value.installed != nil }
            .sorted { ($0.value.installed ?? 0) < ($1.value.installed ?? 0) }
            .map(\.key)
    }

    /// The listens that outlive a connection that was lost, in the order in which they were made.
    var keptIDs: [ID] {
        entries.values.compactMap { entry in
            entry.installed.flatMap { entry.kept.contains($0) ? $0 : nil }
        }.sorted()
    }

    /// The link has gone, and all installed listens with it, but for the kept ones when it may return.
    ///
    /// Those that are queued or being set up stay: their operations end them.
    ///
    /// - Parameter mayReturn: Whether the link may return.
    /// - Returns: The listens that end, in the order in which they were made.
    mutating func linkEnded(mayReturn: Bool = false) -> [ID] {
        var ended: [ID] = []
        for (key, entry) in entries {
            guard let id = entry.installed, !(mayReturn && entry.kept.contains(id)) else {
                continue
            }
            ended.append(id)
            entries[key]?.installed = nil
            entries[key]?.kept.remove(id)
            removeIfEmpty(key)
        }
        return ended.sorted()
    }

    private mutating func removeIfEmpty(_ key: Key) {
        guard let entry = entries[key], entry.installed == nil, entry.candidates.isEmpty else {
            return
        }
        entries[key] = nil
    }
}
