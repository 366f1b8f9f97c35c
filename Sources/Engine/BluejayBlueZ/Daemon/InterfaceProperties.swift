internal import BluejayCore
internal import BluejayDBus

/// The properties of one interface of one object.
///
/// What bluetoothd tells of everything it knows stays in its message until somebody asks.
enum InterfaceProperties: Equatable {
    case read(ObjectTree.Properties)
    case unread(LazyProperties)

    /// By name; read now when they have not been yet.
    var values: ObjectTree.Properties {
        switch self {
        case .read(let values): values
        case .unread(let properties): properties.values
        }
    }

    /// The address of the device whose properties they are.
    var address: DeviceAddress? {
        switch self {
        case .read(let values): DeviceAddress(device: values)
        case .unread(let properties): properties.address
        }
    }

    /// Changes the properties where they are, without a copy when nobody else has them.
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

/// Properties that lie in a message until somebody asks for them; it keeps the message until then.
// Copies of a tree share it. That is not to be seen: what the properties are never changes, and all that
// is remembered is their reading.
final class LazyProperties {
    private enum State {
        /// Next: `read`.
        case lying(BusReader)
        case read(ObjectTree.Properties)
    }

    private var state: State

    /// - Parameter place: Stands on an `a{sv}`; anything else is no properties.
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

    /// The address of the device whose properties they are, without reading the others.
    var address: DeviceAddress? {
        switch state {
        case .lying(let place): Device1.address(place)
        case .read(let values): DeviceAddress(device: values)
        }
    }
}
