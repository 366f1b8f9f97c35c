package import BluejayDBus

/// What an observer of bluetoothd wants to hear beside the state of the daemon.
package enum ObservationScope: Hashable {
    /// Every change.
    case everything
    /// The adapters, and what is no device's.
    case adapters
    /// The devices of one adapter with all that they have, and the adapter itself.
    case devices(of: ObjectPath)
    /// One device with all that it has, and its adapter.
    case device(ObjectPath)
}

/// Who hears of what: a change goes to those whom it concerns, in the order in which they began.
///
/// The cost of a change does not depend on how many others observe something else.
struct ClientObservers {
    struct Observer {
        let id: Int
        let handler: (BlueZClient.Event) -> Void
    }

    private var scopes: [Int: ObservationScope] = [:]
    private var observers: [ObservationScope: [Observer]] = [:]
    private var nextID = 0

    mutating func add(
        _ scope: ObservationScope,
        _ handler: @escaping (BlueZClient.Event) -> Void
    ) -> Int {
        nextID += 1
        scopes[nextID] = scope
        observers[scope, default: []].append(Observer(id: nextID, handler: handler))
        return nextID
    }

    mutating func remove(_ id: Int) {
        guard let scope = scopes.removeValue(forKey: id) else { return }
        observers[scope]?.removeAll { $0.id == id }
        if observers[scope]?.isEmpty == true { observers[scope] = nil }
    }

    func isObserving(_ id: Int) -> Bool { scopes[id] != nil }

    /// Everybody.
    var all: [Observer] { observers.values.joined().sorted { $0.id < $1.id } }

    /// Whom an object of bluetoothd concerns.
    func concerned(by path: ObjectPath) -> [Observer] {
        guard let device = path.devicePath, let adapter = device.parent else {
            return concernedByAdapter(path)
        }
        return merged([.everything, .devices(of: adapter), .device(device)])
    }

    /// What of many changes concerns each observer, the changes in their order.
    func split(_ changes: [ObjectTree.Change]) -> [(Observer, [ObjectTree.Change])] {
        var shares: [Int: (observer: Observer, changes: [ObjectTree.Change])] = [:]
        for change in changes {
            for observer in concerned(by: change.path) {
                shares[observer.id, default: (observer, [])].changes.append(change)
            }
        }
        return shares.sorted { $0.key < $1.key }.map { ($0.value.observer, $0.value.changes) }
    }

    // An adapter concerns also those who look at its devices only.
    private func concernedByAdapter(_ path: ObjectPath) -> [Observer] {
        var found = merged([.everything, .adapters, .devices(of: path)])
        for (scope, list) in observers {
            if case .device(let device) = scope, device.parent == path { found += list }
        }
        return found.sorted { $0.id < $1.id }
    }

    private func merged(_ scopes: [ObservationScope]) -> [Observer] {
        let lists = scopes.compactMap { observers[$0] }
        guard lists.count > 1 else { return lists.first ?? [] }
        return lists.joined().sorted { $0.id < $1.id }
    }
}
