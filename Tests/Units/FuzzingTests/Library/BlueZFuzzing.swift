import BluejayCore
import Foundation

@testable import BluejayBlueZ
@testable import BluejayDBus

/// Feeds signals and replies of bluetoothd, with any types, to the object tree of the engine.
///
/// A simple model, and an observer of the reported changes, must have the same objects as the tree.
struct BlueZFuzzing {
    typealias Objects = [ObjectPath: [String: ObjectTree.Properties]]

    static func play(_ bytes: Data) throws {
        var fuzzing = BlueZFuzzing(input: FuzzInput(bytes))
        var steps = 0
        while !fuzzing.input.isEmpty, steps < 64 {
            try fuzzing.step()
            steps += 1
        }
        try fuzzing.check()
    }

    private var input: FuzzInput
    private var tree = ObjectTree()
    private var model: Objects = [:]
    /// The objects as an observer of the changes knows them.
    private var observed: Objects = [:]
    private var table = AttributeTable()

    private init(input: FuzzInput) {
        self.input = input
    }

    // MARK: Input

    static let adapters: [ObjectPath] = ["/org/bluez/hci0", "/org/bluez/hci1"]
    static let devices: [ObjectPath] = [
        "/org/bluez/hci0/dev_00_00_00_00_00_01", "/org/bluez/hci0/dev_00_00_00_00_00_02",
        "/org/bluez/hci1/dev_00_00_00_00_00_01",
    ]
    private static let paths: [ObjectPath] =
        adapters + devices + [
            "/", "/org/bluez", "/org/bluez/hci0/dev_00_00_00_00_00_01/service0001",
            "/org/bluez/hci0/dev_00_00_00_00_00_01/service0001/char0002",
            "/org/bluez/hci0/dev_00_00_00_00_00_01/service0001/char0002/desc0003",
            "/org/bluez/hci0/dev_00_00_00_00_00_01/service0001/char0004",
            "/org/bluez/hci0/dev_00_00_00_00_00_01/service0005",
            "/org/bluez/hci0/dev_00_00_00_00_00_01/service0005/char0006",
            "/org/bluez/hci0/dev_00_00_00_00_00_02/service0001", "/a/b/c/d/e",
        ]
    private static let interfaces = [
        Adapter1.interface, Device1.interface, GattService1.interface,
        GattCharacteristic1.interface, GattDescriptor1.interface, Battery1.interface,
        LEAdvertisingManager1.interface, "org.freedesktop.DBus.Properties", "a.b",
    ]
    private static let ignored = [
        "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Properties",
    ]

    /// An entry of properties: those that the engine reads, with right and wrong types.
    private mutating func properties() -> BusValue {
        if input.number(below: 16) == 0 { return input.value() }
        return .properties((0..<input.number(below: 6)).map { _ in input.property() })
    }

    private mutating func interfacesValue() -> BusValue {
        if input.number(below: 16) == 0 { return input.value() }
        let entries = (0..<input.number(below: 4)).map { _ in
            BusEntry(.string(input.choice(of: Self.interfaces)), properties())
        }
        return uniform(entries, key: "s", otherwise: "a{sv}")
    }

    private mutating func objectsValue() -> BusValue {
        if input.number(below: 16) == 0 { return input.value() }
        let entries = (0..<input.number(below: 8)).map { _ in
            BusEntry(.objectPath(input.choice(of: Self.paths)), interfacesValue())
        }
        return uniform(entries, key: "o", otherwise: "a{sa{sv}}")
    }

    /// A dictionary of the entries whose values have the type of the first one.
    private func uniform(_ entries: [BusEntry], key: String, otherwise: String) -> BusValue {
        let type = entries.first?.value.signature ?? otherwise
        let same = entries.filter { $0.value.signature == type }
        return .dictionary(same, key: key, value: type)
    }

    // MARK: Steps

    private mutating func step() throws {
        let path = input.choice(of: Self.paths)
        switch input.number(below: 8) {
        case 0: replace()
        case 1:
            let content = interfacesValue()
            guard let message = BusMessage.fuzzed([content]) else { return }
            for (name, values) in Self.interfaces(content) {
                model[path, default: [:]][name] = values
            }
            observe(tree.interfacesAdded(path, message.reader))
        case 2:
            let names = (0..<input.number(below: 4)).map { _ in input.choice(of: Self.interfaces) }
            for name in names { model[path]?[name] = nil }
            if model[path]?.isEmpty == true { model[path] = nil }
            observe(tree.interfacesRemoved(path, names))
        case 3, 4: change(path)
        case 5:
            // A lookup builds an index, which later changes update.
            try checkPaths(input.choice(of: Self.interfaces))
            try checkDevices(input.choice(of: Self.adapters))
        case 6: try checkAttributes(of: Self.devices[0])
        default: readAll(path)
        }
    }

    private mutating func replace() {
        let content = objectsValue()
        guard let message = BusMessage.fuzzed([content]) else { return }
        model = [:]
        for entry in content.unwrapped.entries ?? [] {
            guard case .objectPath(let path) = entry.key else { continue }
            let interfaces = Self.interfaces(entry.value)
            if !interfaces.isEmpty { model[path] = interfaces }
        }
        observe(tree.replace(with: message.reader))
    }

    /// Receives `PropertiesChanged` like the client of bluetoothd does.
    private mutating func change(_ path: ObjectPath) {
        let interface = input.choice(of: Self.interfaces)
        let names = (0..<input.number(below: 3)).map { _ in input.property().name }
        let arguments: [BusValue] = [.string(interface), properties(), .strings(names)]
        guard let message = BusMessage.fuzzed(arguments, at: path) else { return }
        guard GattCharacteristic1.onlyValue(message.reader) == nil else { return }
        if let update = AdvertisementUpdate(message.reader) {
            let isKnown = tree.advertised(path, update)
            guard isKnown else { return }
            for value in update.values {
                model[path]?[interface]?[value.field.rawValue] = value.value
            }
            observed[path]?[interface] = model[path]?[interface]
            return
        }
        guard let values = arguments[1].namedValues else { return }
        if model[path]?[interface] != nil {
            for (name, value) in values { model[path]?[interface]?[name] = value }
            for name in names { model[path]?[interface]?[name] = nil }
        }
        observe(tree.propertiesChanged(path, interface, values, invalidated: names))
    }

    private mutating func readAll(_ path: ObjectPath) {
        let interface = input.choice(of: Self.interfaces)
        guard let values = properties().namedValues else { return }
        if !values.isEmpty, model[path]?[interface] != nil { model[path]?[interface] = values }
        observe(tree.readAll(path, interface, values))
    }

    private mutating func observe(_ changes: [ObjectTree.Change]) {
        for change in changes {
            let (path, interface) = (change.path, change.interface)
            switch change {
            case .added:
                observed[path, default: [:]][interface] = tree.properties(path, interface)
            case .removed:
                observed[path]?[interface] = nil
                if observed[path]?.isEmpty == true { observed[path] = nil }
            case .changed(_, _, let values, let invalidated):
                for (name, value) in values { observed[path]?[interface]?[name] = value }
                for name in invalidated { observed[path]?[interface]?[name] = nil }
            }
            _ = (change.concernsAdapter, change.concernsAdvertising, change.concernsConnection)
            _ = (change.changesAddress, change.device)
        }
    }

    /// The interfaces of an object by the rules of the tree, for the model.
    private static func interfaces(_ value: BusValue) -> [String: ObjectTree.Properties] {
        var interfaces: [String: ObjectTree.Properties] = [:]
        for entry in value.unwrapped.entries ?? [] {
            guard case .string(let name) = entry.key, !ignored.contains(name) else { continue }
            var properties: ObjectTree.Properties = [:]
            for property in entry.value.unwrapped.entries ?? [] {
                guard case .string(let name) = property.key else {
                    properties = [:]
                    break
                }
                if properties[name] == nil { properties[name] = property.value.unwrapped }
            }
            interfaces[name] = properties
        }
        return interfaces
    }

    // MARK: Checks

    private mutating func check() throws {
        try expect(observed == model, "the observer has \(observed), not \(model)")
        for path in Self.paths {
            for interface in Self.interfaces {
                let (found, expected) = (tree.properties(path, interface), model[path]?[interface])
                try expect(
                    found == expected,
                    "\(interface) of \(path) has \(String(describing: found)),"
                        + " not \(String(describing: expected))"
                )
            }
        }
        for interface in Self.interfaces { try checkPaths(interface) }
        for adapter in Self.adapters { try checkDevices(adapter) }
        try checkAttributes(of: Self.devices[0])
    }

    private func checkPaths(_ interface: String) throws {
        let expected = model.filter { $0.value[interface] != nil }.keys.sorted()
        let found = tree.paths(with: interface)
        try expect(found == expected, "\(interface) is at \(found), not at \(expected)")
        for root in Self.paths {
            let found = tree.paths(with: interface, below: root)
            let below = expected.filter { $0.isBelow(root) }
            try expect(found == below, "\(interface) is at \(found) below \(root), not at \(below)")
        }
    }

    private func checkDevices(_ adapter: ObjectPath) throws {
        var devices: [DeviceAddress: [ObjectPath]] = [:]
        for (path, interfaces) in model where path.parent == adapter {
            guard let properties = interfaces[Device1.interface],
                let address = Device1(properties).address
            else { continue }
            devices[address, default: []].append(path)
        }
        for octet in UInt8(0)..<4 {
            for kind in DeviceAddress.Kind.allCases {
                guard let address = DeviceAddress(octets: [0, 0, 0, 0, 0, octet], kind: kind) else {
                    continue
                }
                let found = tree.device(address, of: adapter)
                let expected = devices[address] ?? []
                try expect(
                    found.map { expected.contains($0) } ?? expected.isEmpty,
                    "\(address) is \(String(describing: found)), not of \(expected)"
                )
            }
        }
        _ = (tree.knownPeripherals(of: adapter), tree.connectedDevices(of: adapter))
        _ = (tree.knownAdapters, LEAdvertisingManager1.capabilities(of: adapter, in: tree))
        for device in Self.devices {
            _ = (tree.identifier(ofDevice: device), tree.deviceKey(device))
        }
    }

    private mutating func checkAttributes(of device: ObjectPath) throws {
        let services = tree.services(of: device)
        table.update(services, hasBattery: tree.properties(device, Battery1.interface) != nil)
        let identifiers = table.services.map(\.identifier)
        try expect(Set(identifiers).count == identifiers.count, "\(identifiers) are not unique")
        for characteristic in table.services.flatMap(\.characteristics) {
            let identifier = characteristic.identifier
            try expect(
                table.characteristic(identifier)?.identifier == identifier,
                "\(identifier) is not found"
            )
            _ = (characteristic.handle, characteristic.path.flatMap { tree.mtu(of: $0) })
        }
    }
}

extension FuzzInput {
    private static let texts = [
        "00:00:00:00:00:01", "00:00:00:00:00:02", "random", "public", "Sensor", "180D", "2A37",
        "0000180f-0000-1000-8000-00805f9b34fb", "read", "notify", "on-disabling", "off-blocked", "",
    ]
    private static let names = [
        "Address", "AddressType", "Name", "Alias", "Appearance", "Paired", "Bonded", "Trusted",
        "Connected", "ServicesResolved", "RSSI", "TxPower", "UUIDs", "ManufacturerData",
        "ServiceData", "AdvertisingFlags", "AdvertisingData", "UUID", "Primary", "Includes",
        "Flags", "MTU", "Value", "Notifying", "Percentage", "Powered", "PowerState",
        "Discovering", "Modalias", "Roles", "SupportedInstances", "SupportedFeatures",
    ]

    /// A property of bluetoothd, mostly of the type that BlueZ documents.
    mutating func property() -> (name: String, value: BusValue) {
        let name = choice(of: Self.names)
        return (name, number(below: 8) == 0 ? value() : propertyValue(name))
    }

    private mutating func propertyValue(_ name: String) -> BusValue {
        switch name {
        case "Appearance", "MTU": .uint16(integer())
        case "Paired", "Bonded", "Trusted", "Connected", "ServicesResolved", "Primary",
            "Notifying", "Powered", "Discovering":
            .boolean(flag())
        case "RSSI", "TxPower": .int16(integer())
        case "UUIDs", "Flags", "Roles", "SupportedFeatures":
            .strings((0..<number(below: 4)).map { _ in choice(of: Self.texts) })
        case "Includes": .array([.objectPath(choice(of: BlueZFuzzing.devices))], element: "o")
        case "AdvertisingFlags", "Value": .bytes([UInt8](bytes()))
        case "Percentage", "SupportedInstances": .byte(byte())
        case "ManufacturerData": data(key: "q") { .uint16($0.integer()) }
        case "ServiceData": data(key: "s") { .string($0.choice(of: Self.texts)) }
        case "AdvertisingData": data(key: "y") { .byte($0.byte()) }
        default: .string(number(below: 4) == 0 ? text() : choice(of: Self.texts))
        }
    }

    private mutating func data(key: String, _ make: (inout FuzzInput) -> BusValue) -> BusValue {
        let entries = (0..<number(below: 4)).map { _ in
            BusEntry(make(&self), .variant(.bytes([UInt8](bytes()))))
        }
        return .dictionary(entries, key: key, value: "v")
    }
}
