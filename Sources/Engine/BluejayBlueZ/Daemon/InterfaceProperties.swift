internal import BluejayCore
internal import BluejayDBus

/// The properties of one interface of one object.
///
/// Properties from the reply with all objects stay unparsed in the message until their first use.
enum InterfaceProperties: Equatable {
    case read(ObjectTree.Properties)
    case unread(LazyProperties)

    /// The values by name, parsed now if unread.
    var values: ObjectTree.Properties {
        switch self {
        case .read(let values): values
        case .unread(let properties): properties.values
        }
    }

    var address: DeviceAddress? {
        switch self {
        case .read(let values): DeviceAddress(device: values)
        case .unread(let properties): properties.address
        }
    }

    /// Changes the properties in place.
    mutating func modify(_ change: (inout ObjectTree.Properties) -> Void) {
        var values = values
        self = .read([:])
        change(&values)
        self = .read(values)
    }

    static func == (left: InterfaceProperties, right: InterfaceProperties) -> Bool {
        if case .unread(let own) = left, case .unread(let other) = right, own === other {
            return true
        }
        return left.values == right.values
    }
}

/// Properties that stay in a message until their first use; the message is retained until then.
// Copies of a tree share this object, which never changes its properties, only parses them.
final class LazyProperties {
    private enum State {
        /// Next: `read`.
        case lying(BusReader)
        case read(ObjectTree.Properties)
    }

    private var state: State

    /// Creates properties from a reader at an `a{sv}`; another type yields none.
    init(_ place: BusReader) {
        state = .lying(place)
    }

    var values: ObjectTree.Properties {
        switch state {
        case .lying(let place):
            let values = place.namedValues() ?? [:]
            state = .read(values)
            return values
        case .read(let values): return values
        }
    }

    /// The device's address, read without parsing the other properties.
    var address: DeviceAddress? {
        switch state {
        case .lying(let place): Device1.address(place)
        case .read(let values): DeviceAddress(device: values)
        }
    }
}
