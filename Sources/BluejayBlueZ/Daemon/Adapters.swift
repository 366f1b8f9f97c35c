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

extension ObjectTree {
    /// The adapters, in the order of their numbers.
    package var adapters: [ObjectPath] {
        paths(with: BlueZ.adapter).sorted { left, right in
            let numbers = (Self.adapterNumber(left), Self.adapterNumber(right))
            return numbers.0 == numbers.1 ? left < right : numbers.0 < numbers.1
        }
    }

    /// The adapter that a choice means at present.
    package func adapter(_ choice: AdapterChoice) -> ObjectPath? {
        switch choice {
        case .any:
            return adapters.first { adapterState($0) == .on } ?? adapters.first
        case .named(let name):
            return adapters.first {
                $0.name == name
                    || value($0, BlueZ.adapter, "Address")?.text?.uppercased() == name.uppercased()
            }
        }
    }

    /// Whether the adapter at `path` can be used.
    package func adapterState(_ path: ObjectPath) -> AdapterState {
        guard let properties = properties(path, BlueZ.adapter) else { return .absent }
        // `PowerState` exists since BlueZ 5.66. It tells of a switch-off before the links are cut, and
        // after rfkill it says "on" for a moment too long.
        let powerState = properties["PowerState"]?.text
        if properties["Powered"]?.boolean == true, powerState != "on-disabling" { return .on }
        return powerState == "off-blocked" ? .blocked : .off
    }

    // hci10 comes after hci9.
    private static func adapterNumber(_ path: ObjectPath) -> Int {
        Int(path.name.drop { !$0.isNumber }) ?? .max
    }
}
