/// The adapters as users were told of them last; a plain value.
struct AdapterList: Equatable {
    /// What is told of a difference, in this order.
    enum Change: Equatable {
        case vanished(BluetoothAdapter)
        case changed(BluetoothAdapter, from: BluetoothAdapter)
        case appeared(BluetoothAdapter)
        /// Another one is used from now on, or none.
        case inUse(BluetoothAdapter?)
    }

    /// In the order of their numbers.
    private(set) var adapters: [BluetoothAdapter] = []
    /// The one that is used, on or not.
    private(set) var used: BluetoothAdapter?
    /// Whether bluetoothd has told of its adapters; without bluetoothd there are none.
    private(set) var isKnown = false

    /// These are the adapters now.
    ///
    /// - Parameters:
    ///   - new: In the order of their numbers.
    ///   - name: That of the one that is used.
    /// - Returns: What is to be told.
    mutating func changed(to new: [BluetoothAdapter], using name: String?) -> [Change] {
        let old = self
        adapters = new
        used = name.flatMap { name in new.first { $0.name == name } }
        isKnown = true
        var changes: [Change] = []
        for adapter in old.adapters where !new.contains(where: { $0.isSame(as: adapter) }) {
            changes.append(.vanished(adapter))
        }
        for adapter in new {
            guard let before = old.adapters.first(where: { $0.isSame(as: adapter) }) else {
                changes.append(.appeared(adapter))
                continue
            }
            if before != adapter { changes.append(.changed(adapter, from: before)) }
        }
        if !old.isKnown || !isUsingSame(as: old) { changes.append(.inUse(used)) }
        return changes
    }

    /// How things are, for somebody who has heard nothing yet.
    var present: [Change] {
        isKnown ? adapters.map { .appeared($0) } + [.inUse(used)] : []
    }

    private func isUsingSame(as old: AdapterList) -> Bool {
        switch (used, old.used) {
        case (nil, nil): true
        case (let new?, let old?): new.isSame(as: old)
        case (nil, _), (_, nil): false
        }
    }
}

extension BluetoothAdapter {
    /// Whether it is the same adapter; one that was plugged in under another's name is not.
    fileprivate func isSame(as other: BluetoothAdapter) -> Bool {
        name == other.name && address == other.address
    }
}
