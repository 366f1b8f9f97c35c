package import BluejayDBus

/// The changes that an observer receives in addition to the daemon's state.
///
/// Signals with only a characteristic's value or only an advertisement have separate routes.
package enum ObservationScope: Hashable {
    case everything
    /// The adapters and all other objects that belong to no device.
    case adapters
    /// The devices of one adapter with their objects, and the adapter itself.
    case devices(of: ObjectPath)
    /// One device with its objects, and its adapter.
    case device(ObjectPath)
}

/// The observers by scope; each change reaches those it concerns, in the order of registration.
///
/// Observers of other objects do not add to the cost of a change.
struct ClientObservers {
    struct Observer {
        let id: Int
        let handler: (BlueZClient.Event) -> Void
    }

    private struct Group {
        let scope: ObservationScope
        var observers: [Observer]
    }

    private var scopes: [Int: ObservationScope] = [:]
    /// All scopes except single devices; a short list, because a machine has few adapters.
    private var groups: [Group] = []
    private var deviceObservers: [ObjectPath: [Observer]] = [:]
    private var nextID = 0

    mutating func add(
        _ scope: ObservationScope,
        _ handler: @escaping (BlueZClient.Event) -> Void
    ) -> Int {
        nextID += 1
        scopes[nextID] = scope
        let observer = Observer(id: nextID, handler: handler)
        if case .device(let device) = scope {
            deviceObservers[device, default: []].append(observer)
        } else if let index = groups.firstIndex(where: { $0.scope == scope }) {
            groups[index].observers.append(observer)
        } else {
            groups.append(Group(scope: scope, observers: [observer]))
        }
        return nextID
    }

    /// Removes an observer, which the caller releases after this call.
    ///
    /// Its handler may hold the last reference to the owner of another observer, which is then removed too.
    mutating func remove(_ id: Int) -> Observer? {
        guard let scope = scopes.removeValue(forKey: id) else { return nil }
        var removed: Observer?
        if case .device(let device) = scope {
            removed = deviceObservers[device]?.first { $0.id == id }
            deviceObservers[device]?.removeAll { $0.id == id }
            if deviceObservers[device]?.isEmpty == true { deviceObservers[device] = nil }
        } else if let index = groups.firstIndex(where: { $0.scope == scope }) {
            removed = groups[index].observers.first { $0.id == id }
            groups[index].observers.removeAll { $0.id == id }
            if groups[index].observers.isEmpty { groups.remove(at: index) }
        }
        return removed
    }

    func isObserving(_ id: Int) -> Bool { scopes[id] != nil }

    var all: [Observer] {
        (groups.flatMap(\.observers) + deviceObservers.values.joined()).sorted { $0.id < $1.id }
    }

    func concerned(by path: ObjectPath) -> [Observer] {
        guard let device = path.devicePath, let adapter = device.parent else {
            return concernedByAdapter(path)
        }
        let own = deviceObservers.isEmpty ? nil : deviceObservers[device]
        return merged([.everything, .devices(of: adapter)], own ?? [])
    }

    /// Returns whether an object has observers, without building a list.
    func hasObservers(of path: ObjectPath) -> Bool {
        guard let device = path.devicePath else { return !concernedByAdapter(path).isEmpty }
        return groups.contains { group in
            switch group.scope {
            case .everything: true
            case .adapters, .device: false
            case .devices(let adapter): device.parent == adapter
            }
        } || !deviceObservers.isEmpty && deviceObservers[device] != nil
    }

    /// Returns each observer with its share of the changes, in their order.
    func split(_ changes: [ObjectTree.Change]) -> [(Observer, [ObjectTree.Change])] {
        var shares: [Int: (observer: Observer, changes: [ObjectTree.Change])] = [:]
        for change in changes {
            for observer in concerned(by: change.path) {
                shares[observer.id, default: (observer, [])].changes.append(change)
            }
        }
        return shares.sorted { $0.key < $1.key }.map { ($0.value.observer, $0.value.changes) }
    }

    // A change of an adapter also concerns the observers of its devices.
    private func concernedByAdapter(_ path: ObjectPath) -> [Observer] {
        let ofDevices = deviceObservers.filter { $0.key.parent == path }.values.joined()
        return merged([.everything, .adapters, .devices(of: path)], Array(ofDevices))
    }

    private func merged(_ scopes: [ObservationScope], _ others: [Observer]) -> [Observer] {
        var found = others
        var isSorted = others.count < 2
        for group in groups where scopes.contains(group.scope) {
            // Usually only one scope has observers, and its list is returned unchanged.
            if found.isEmpty {
                found = group.observers
            } else {
                found += group.observers
                isSorted = false
            }
        }
        return isSorted ? found : found.sorted { $0.id < $1.id }
    }
}

/// Keeps an observation active until its release.
package final class ObservationToken {
    private var onEnd: (() -> Void)?

    package init(onEnd: @escaping () -> Void) {
        self.onEnd = onEnd
    }

    deinit {
        onEnd?()
    }
}
