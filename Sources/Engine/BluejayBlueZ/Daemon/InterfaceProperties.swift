internal import BluejayCore
internal import BluejayDBus

/// The properties of one interface of one object.
///
/// Properties from the reply with all objects stay unparsed in the message until their first use.
enum InterfaceProperties: Equatable {
    case read(ObjectTree.Properties)
    case unread(LazyProperties)

    /// The values by name; unread properties are parsed now.
    var values: ObjectTree.Properties {
        switch self {
        case .read(let values): values
        case .unread(let properties): properties.values
        }
    }

    /// The address of the device that has these properties.
    var address: DeviceAddress? {
        switch self {
        case .read(let values): DeviceAddress(device: values)
        case .unread(let properties): properties.address
        }
    }

    /// Changes the properties in place, without a copy if the storage is uniquely referenced.
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
// Copies of a tree share this object. The sharing is invisible: the properties never change, and the only
// state is whether they are parsed.
final class LazyProperties {
    private enum State {
        /// Next: `read`.
        case lying(BusReader)
        case read(ObjectTree.Properties)
    }

    private var state: State

    /// - Parameter place: A reader at an `a{sv}`; another type yields no properties.
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

    /// The address of the device that has these properties, without parsing the others.
    var address: DeviceAddress? {
        switch state {
        case .lying(let place): Device1.address(place)
        case .read(let values): DeviceAddress(device: values)
        }
    }
}
