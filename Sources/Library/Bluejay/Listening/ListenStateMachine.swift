/// The listens to each characteristic.
///
/// A new listen takes over only after a successful set-up, so that a failure does not affect the working one.
/// `Key` identifies a characteristic.
struct ListenStateMachine<Key: Hashable & Swift.Sendable>: Equatable, Swift.Sendable {
    typealias ID = Int

    private struct Entry: Equatable {
        /// Receives values.
        var installed: ID?
        /// Listens that are queued or being set up, oldest first.
        var candidates: [ID] = []
        /// The option of the newest listen.
        var option: MultipleListenOption
        /// The listens that survive a lost connection.
        var retained: Set<ID> = []
    }

    private var entries: [Key: Entry] = [:]

    /// Adds a listen, and returns false if an earlier listen forbids it.
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
        if isKept { entry.retained.insert(id) }
        entries[key] = entry
        return true
    }

    /// Moves the listens of a key to another one, behind those that it has.
    ///
    /// - Returns: False if one of those forbids it; then nothing changes.
    mutating func move(_ old: Key, to new: Key) -> Bool {
        guard let moved = entries[old] else { return true }
        if let present = entries[new] {
            guard present.option == .replaceable else { return false }
            entries[new] = Entry(
                installed: moved.installed ?? present.installed,
                candidates: present.candidates + moved.candidates,
                option: moved.option,
                retained: present.retained.union(moved.retained)
            )
        } else {
            entries[new] = moved
        }
        entries[old] = nil
        return true
    }

    /// The key of a listen.
    func key(of id: ID) -> Key? {
        entries.first { $0.value.installed == id || $0.value.candidates.contains(id) }?.key
    }

    /// All keys, in any order.
    var keys: some Collection<Key> { entries.keys }

    func isCandidate(_ key: Key, _ id: ID) -> Bool {
        entries[key]?.candidates.contains(id) ?? false
    }

    /// Installs a listen after its set-up, and returns the listen that it replaces.
    ///
    /// An unwanted listen has no effect.
    mutating func started(_ key: Key, _ id: ID) -> ID? {
        guard isCandidate(key, id) else { return nil }
        let replaced = entries[key]?.installed
        entries[key]?.candidates.removeAll { $0 == id }
        entries[key]?.installed = id
        return replaced
    }

    /// Removes a listen whose set-up failed or was cancelled.
    mutating func failed(_ key: Key, _ id: ID) {
        guard isCandidate(key, id) else { return }
        entries[key]?.candidates.removeAll { $0 == id }
        // The remaining listen permitted this one, so it permits the next.
        entries[key]?.option = .replaceable
        removeIfEmpty(key)
    }

    /// Removes all listens to a characteristic, and returns them.
    mutating func endRequested(_ key: Key) -> [ID] {
        guard let entry = entries.removeValue(forKey: key) else { return [] }
        return (entry.installed.map { [$0] } ?? []) + entry.candidates
    }

    /// Removes one installed listen; other listens to the characteristic stay.
    mutating func endRequested(_ key: Key, of id: ID) {
        guard receiverID(for: key) == id else { return }
        entries[key]?.installed = nil
        entries[key]?.retained.remove(id)
        removeIfEmpty(key)
    }

    /// The listen that receives the values of a characteristic.
    func receiverID(for key: Key) -> ID? { entries[key]?.installed }

    /// Returns whether a characteristic has a listen, or will have one.
    func isListening(to key: Key) -> Bool { entries[key] != nil }

    /// The characteristics with installed listens, in the order of the calls.
    var installedKeys: [Key] {
        entries.filter { $0.value.installed != nil }
            .sorted { ($0.value.installed ?? 0) < ($1.value.installed ?? 0) }
            .map(\.key)
    }

    /// The listens that survive a lost connection, in the order of the calls.
    var retainedIDs: [ID] {
        entries.values.compactMap { entry in
            entry.installed.flatMap { entry.retained.contains($0) ? $0 : nil }
        }.sorted()
    }

    /// Removes all installed listens, except kept ones if the link may return, and returns them in the order
    /// of the calls.
    ///
    /// Listens that are queued or being set up stay: their operations end them.
    mutating func linkEnded(mayReconnect: Bool = false) -> [ID] {
        var ended: [ID] = []
        for (key, entry) in entries {
            guard let id = entry.installed, !(mayReconnect && entry.retained.contains(id)) else {
                continue
            }
            ended.append(id)
            entries[key]?.installed = nil
            entries[key]?.retained.remove(id)
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
