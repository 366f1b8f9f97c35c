@testable import BluejayBlueZ
@testable import BluejayDBus

/// Returns a reader at the arguments of a received message.
func place(of arguments: BusValue...) -> BusReader {
    do {
        let message = try BusMessage.signal(
            path: .root,
            interface: StandardInterfaces.objectManager,
            member: "InterfacesAdded",
            arguments: arguments
        )
        return message.reader
    } catch {
        preconditionFailure("\(error)")
    }
}

/// Returns the content of `InterfacesAdded`.
func content(_ interfaces: [String: ObjectTree.Properties]) -> BusValue {
    let entries = interfaces.sorted { $0.key < $1.key }.map { name, properties in
        let values = properties.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        return BusEntry(.string(name), .properties(values))
    }
    return .dictionary(entries, key: "s", value: "a{sv}")
}

/// Returns the content of `GetManagedObjects`.
func snapshot(_ objects: [ObjectPath: [String: ObjectTree.Properties]]) -> BusValue {
    let entries = objects.sorted { $0.key < $1.key }
        .map { BusEntry(.objectPath($0.key), content($0.value)) }
    return .dictionary(entries, key: "o", value: "a{sa{sv}}")
}

extension ObjectTree {
    /// Creates the tree after a first read.
    init(_ objects: [ObjectPath: [String: Properties]]) {
        self.init()
        _ = replace(with: snapshot(objects))
    }

    mutating func replace(with snapshot: BusValue) -> [Change] {
        replace(with: place(of: snapshot))
    }

    mutating func interfacesAdded(_ path: ObjectPath, _ content: BusValue) -> [Change] {
        interfacesAdded(path, place(of: content))
    }
}
