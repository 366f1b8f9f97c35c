package import BluejayDBus

package enum AdapterState: Equatable {
    case absent
    case off
    /// Blocked by rfkill.
    case blocked
    case on
}

package struct KnownAdapter: Equatable {
    package var path: ObjectPath
    /// The adapter's own address, which survives replugging.
    package var address: String?
    package var state: AdapterState

    package init(path: ObjectPath, address: String?, state: AdapterState) {
        self.path = path
        self.address = address
        self.state = state
    }

    package func matches(_ name: String) -> Bool {
        path.name == name || address?.uppercased() == name.uppercased()
    }
}

extension ObjectTree {
    /// The paths of the adapters, in the order of their numbers.
    package var adapters: [ObjectPath] {
        paths(with: Adapter1.interface).sorted { left, right in
            let numbers = (Self.adapterNumber(left), Self.adapterNumber(right))
            return numbers.0 == numbers.1 ? left < right : numbers.0 < numbers.1
        }
    }

    package var knownAdapters: [KnownAdapter] {
        adapters.map { path in
            KnownAdapter(
                path: path,
                address: properties(path, Adapter1.interface).flatMap { Adapter1($0).address },
                state: adapterState(path)
            )
        }
    }

    /// The name of another adapter that is connected to a device, which then does not advertise.
    ///
    /// - Parameters:
    ///   - address: The address as text, in capitals.
    ///   - adapter: The adapter that looks for the device.
    /// - Returns: The name, or nil if no other adapter has a connection.
    package func otherAdapter(connectedTo address: String, besides adapter: ObjectPath) -> String? {
        let adapters = paths(with: Adapter1.interface).filter { $0 != adapter }
        return adapters.first { other in
            paths(with: Device1.interface, below: other).contains { device in
                isConnected(device)
                    && value(device, Device1.interface, "Address")?.text == address
            }
        }?.name
    }

    package func adapterState(_ path: ObjectPath) -> AdapterState {
        properties(path, Adapter1.interface).map { Adapter1($0).state } ?? .absent
    }

    // `hci10` follows `hci9`.
    private static func adapterNumber(_ path: ObjectPath) -> Int {
        Int(path.name.drop { !$0.isNumber }) ?? .max
    }
}
