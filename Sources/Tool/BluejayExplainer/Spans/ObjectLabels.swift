internal import BluejayCore

/// The names of bluetoothd's objects and of programs, as users know them.
struct ObjectLabels {
    /// Names by the path of a device.
    private var names: [String: String] = [:]
    /// UUIDs by the path of an attribute.
    private var uuids: [String: String] = [:]
    /// Programs by the name of their connection.
    private var programs: [String: String] = [:]
    /// The connections of this program.
    private(set) var ownConnections: Set<String> = []

    init(_ events: [TraceEvent]) {
        for event in events {
            switch event.fact {
            case .listed(let path, let properties, _), .changed(let path, let properties):
                learn(path, properties)
            case .connected(let busName): ownConnections.insert(busName)
            case .identified(let busName, let program): programs[busName] = program
            default: break
            }
        }
    }

    private mutating func learn(_ path: String, _ properties: BusProperties) {
        for name in ["Device1.Name", "Device1.Alias"] {
            // The alias of a device without a name is its address with hyphens.
            guard let text = properties[name], !text.isEmpty,
                !path.hasSuffix("/dev_" + text.replacing("-", with: "_"))
            else { continue }
            names[path] = text.displayText
        }
        for interface in ["GattService1", "GattCharacteristic1", "GattDescriptor1"] {
            if let uuid = properties[interface + ".UUID"] {
                uuids[path] = BluetoothUUID(string: uuid).uuidString.displayText
            }
        }
    }

    func program(_ connection: String) -> String {
        (programs[connection] ?? "program \(connection)").displayText
    }

    /// Returns the path of the device that an object belongs to, or else that of its adapter.
    static func owner(of path: String) -> String {
        let parts = path.split(separator: "/")
        let count = parts.count > 3 && parts[3].hasPrefix("dev_") ? 4 : 3
        return parts.prefix(count).map { "/" + $0 }.joined()
    }

    /// Returns a name such as `Sensor`, `hci0` or `2A19 of Sensor`.
    func text(_ path: String) -> String {
        let owner = Self.owner(of: path)
        guard owner == path else {
            return "\(uuids[path] ?? Self.lastPart(path)) of \(text(owner))"
        }
        return names[path] ?? Self.lastPart(path)
    }

    /// Returns the name of a device or an adapter, with the address of a device.
    func owner(_ path: String) -> String {
        let owner = Self.owner(of: path)
        let (name, address) = (text(owner), Self.lastPart(owner))
        return name == address ? name : "\(name) (\(address))"
    }

    // The path of a device contains its address.
    private static func lastPart(_ path: String) -> String {
        let part = path.split(separator: "/").last.map(String.init) ?? ""
        guard part.hasPrefix("dev_") else { return part.displayText }
        return String(part.dropFirst(4)).replacing("_", with: ":").displayText
    }
}
