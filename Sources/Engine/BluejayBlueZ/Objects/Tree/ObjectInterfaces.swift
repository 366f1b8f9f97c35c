/// The interfaces of one object, with their properties.
///
/// An object has few interfaces, so a list is cheaper than a dictionary.
struct ObjectInterfaces: Equatable {
    struct Entry: Equatable {
        let name: String
        var properties: InterfaceProperties
    }

    private(set) var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    var sorted: [Entry] {
        entries.count < 2 ? entries : entries.sorted { $0.name < $1.name }
    }

    /// The properties of an interface; assigning nil removes it.
    subscript(name: String) -> InterfaceProperties? {
        get { index(of: name).map { entries[$0].properties } }
        set {
            let index = index(of: name)
            switch (index, newValue) {
            case (let index?, let properties?): entries[index].properties = properties
            case (let index?, nil): entries.remove(at: index)
            case (nil, let properties?):
                if entries.isEmpty { entries.reserveCapacity(4) }
                entries.append(Entry(name: name, properties: properties))
            case (nil, nil): break
            }
        }
    }

    mutating func merge(_ new: ObjectInterfaces) {
        guard !entries.isEmpty else { return self = new }
        for entry in new.entries { self[entry.name] = entry.properties }
    }

    func has(_ name: String) -> Bool { index(of: name) != nil }

    /// Changes the properties of an interface in place; returns false if it is missing.
    mutating func modify(
        _ name: String,
        _ change: (inout ObjectTree.Properties) -> Void
    ) -> Bool {
        guard let index = index(of: name) else { return false }
        entries[index].properties.modify(change)
        return true
    }

    private func index(of name: String) -> Int? { entries.firstIndex { $0.name == name } }

    // The order of the entries is irrelevant.
    static func == (left: ObjectInterfaces, right: ObjectInterfaces) -> Bool {
        left.entries.count == right.entries.count
            && left.entries.allSatisfy { right[$0.name] == $0.properties }
    }
}
