internal import BluejayCore
internal import BluejayDBus

/// The properties of one interface of one object.
///
/// Properties from the reply with all objects stay unparsed in the message until their first use.
enum InterfaceProperties: Equatable {
    case parsed(ObjectTree.Properties)
    case unparsed(LazyProperties)

    /// The values by name, parsed now if necessary.
    var values: ObjectTree.Properties {
        switch self {
        case .parsed(let values): values
        case .unparsed(let properties): properties.values
        }
    }

    var address: DeviceAddress? {
        switch self {
        case .parsed(let values): DeviceAddress(device: values)
        case .unparsed(let properties): properties.address
        }
    }

    /// Changes the properties in place.
    mutating func modify(_ change: (inout ObjectTree.Properties) -> Void) {
        var values = values
        self = .parsed([:])
        change(&values)
        self = .parsed(values)
    }

    static func == (left: InterfaceProperties, right: InterfaceProperties) -> Bool {
        if case .unparsed(let first) = left, case .unparsed(let second) = right, first === second {
            return true
        }
        return left.values == right.values
    }
}

/// Properties that stay in a message until their first use; the message is retained until then.
// Copies of a tree share this object, which never changes its properties, only parses them.
final class LazyProperties {
    private enum State {
        /// Next: `parsed`.
        case unparsed(BusReader)
        case parsed(ObjectTree.Properties)
    }

    private var state: State

    /// Creates properties from a reader at an `a{sv}`; another type yields none.
    init(_ reader: BusReader) {
        state = .unparsed(reader)
    }

    var values: ObjectTree.Properties {
        switch state {
        case .unparsed(let reader):
            let values = reader.namedValues() ?? [:]
            state = .parsed(values)
            return values
        case .parsed(let values): return values
        }
    }

    /// The device's address, read without parsing the other properties.
    var address: DeviceAddress? {
        switch state {
        case .unparsed(let reader): Device1.address(reader)
        case .parsed(let values): DeviceAddress(device: values)
        }
    }
}
