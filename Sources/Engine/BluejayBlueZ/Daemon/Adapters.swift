package import BluejayDBus

/// Which Bluetooth adapter a user of the library wants.
package enum AdapterChoice: Hashable {
    /// The powered one with the lowest number, or else the lowest.
    case any
    /// By name (`hci1`) or by address (`00:AA:01:01:00:01`), which stays the same when it is plugged
    /// in again.
    case named(String)
}

/// Whether an adapter can be used.
package enum AdapterState: Equatable {
    case absent
    case off
    /// Switched off by rfkill.
    case blocked
    case on
}

/// An adapter as bluetoothd tells of it.
package struct KnownAdapter: Equatable {
    package var path: ObjectPath
    /// The adapter's own, which stays the same when it is plugged in again.
    package var address: String?
    package var state: AdapterState

    package init(path: ObjectPath, address: String?, state: AdapterState) {
        self.path = path
        self.address = address
        self.state = state
    }

    /// Whether this is its name or its address.
    package func isCalled(_ name: String) -> Bool {
        path.name == name || address?.uppercased() == name.uppercased()
    }
}

extension ObjectTree {
    /// The adapters, in the order of their numbers.
    package var adapters: [ObjectPath] {
        paths(with: Adapter1.interface).sorted { left, right in
            let numbers = (Self.adapterNumber(left), Self.adapterNumber(right))
            return numbers.0 == numbers.1 ? left < right : numbers.0 < numbers.1
        }
    }

    /// What an `AdapterSelector` has to know of them, in the order of their numbers.
    package var knownAdapters: [KnownAdapter] {
        adapters.map { path in
            KnownAdapter(
                path: path,
                address: properties(path, Adapter1.interface).flatMap { Adapter1($0).address },
                state: adapterState(path)
            )
        }
    }

    /// Whether the adapter at `path` can be used.
    package func adapterState(_ path: ObjectPath) -> AdapterState {
        properties(path, Adapter1.interface).map { Adapter1($0).state } ?? .absent
    }

    // hci10 comes after hci9.
    private static func adapterNumber(_ path: ObjectPath) -> Int {
        Int(path.name.drop { !$0.isNumber }) ?? .max
    }
}
