/// The adapters last reported to observers.
struct AdapterList: Equatable {
    enum Change: Equatable {
        case removed(BluetoothAdapter)
        case changed(BluetoothAdapter, from: BluetoothAdapter)
        case added(BluetoothAdapter)
        /// Another adapter is in use, or `nil` without an adapter.
        case inUse(BluetoothAdapter?)
    }

    /// Ordered by number.
    private(set) var adapters: [BluetoothAdapter] = []
    /// The adapter in use, on or off.
    private(set) var adapterInUse: BluetoothAdapter?
    /// Whether bluetoothd has reported its adapters; without bluetoothd the list is empty.
    private(set) var isKnown = false

    /// Updates the adapters, which are ordered by number, and returns the changes.
    ///
    /// The changes are ordered: removed adapters, then changed and new adapters by number, then the adapter
    /// in use.
    mutating func update(to new: [BluetoothAdapter], using name: String?) -> [Change] {
        let old = self
        adapters = new
        adapterInUse = name.flatMap { name in new.first { $0.name == name } }
        isKnown = true
        var changes: [Change] = []
        for adapter in old.adapters where !new.contains(where: { $0.isSame(as: adapter) }) {
            changes.append(.removed(adapter))
        }
        for adapter in new {
            guard let before = old.adapters.first(where: { $0.isSame(as: adapter) }) else {
                changes.append(.added(adapter))
                continue
            }
            if before != adapter { changes.append(.changed(adapter, from: before)) }
        }
        if !old.isKnown || !isUsingSame(as: old) { changes.append(.inUse(adapterInUse)) }
        return changes
    }

    /// The changes that report the current state to a new observer.
    var initialChanges: [Change] {
        isKnown ? adapters.map { .added($0) } + [.inUse(adapterInUse)] : []
    }

    private func isUsingSame(as old: AdapterList) -> Bool {
        switch (adapterInUse, old.adapterInUse) {
        case (nil, nil): true
        case (let new?, let old?): new.isSame(as: old)
        case (nil, _), (_, nil): false
        }
    }
}

extension BluetoothAdapter {
    /// Returns whether both values are the same adapter; another adapter may reuse a name.
    fileprivate func isSame(as other: BluetoothAdapter) -> Bool {
        name == other.name && address == other.address
    }
}
