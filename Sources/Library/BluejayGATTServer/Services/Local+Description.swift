internal import BluejayCore
internal import FoundationEssentials

private typealias Text = DescriptionText

extension LocalDescriptor: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `Characteristic User Description (2901): read`.
    public var description: String { "\(uuid.namedText): \(properties)" }

    /// The description with the value.
    public var debugDescription: String { "\(description), value \(Text.bytes(value))" }
}

extension LocalCharacteristic: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `Heart Rate Measurement (2A37): notify`.
    public var description: String { "\(uuid.namedText): \(properties)" }

    /// The description with the value, the subscription and the descriptors.
    public var debugDescription: String {
        Text.line(
            description,
            "value \(Text.bytes(value))",
            isSubscribed ? "subscribed" : nil,
            Text.list("descriptors", descriptors.map(\.uuid.namedText))
        )
    }
}

extension LocalService: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `Heart Rate (180D), 3 characteristics`.
    public var description: String {
        let count = characteristics.count
        return Text.line(
            uuid.namedText,
            isPrimary ? nil : "secondary",
            "\(count) characteristic\(count == 1 ? "" : "s")"
        )
    }

    /// The description with the characteristics, and whether the service is added.
    public var debugDescription: String {
        let text = Text.line(
            uuid.namedText,
            isPrimary ? nil : "secondary",
            isAdded ? "added" : "not added"
        )
        let list = characteristics.map(\.debugDescription).joined(separator: "; ")
        return list.isEmpty ? text : "\(text) [\(list)]"
    }
}

extension ReadRequest: CustomStringConvertible {
    /// Such as `read by Phone (5C:00:00:00:00:01)`.
    public var description: String { "read by \(central?.description ?? "an unknown central")" }
}

extension WriteRequest: CustomStringConvertible {
    /// Such as `write of 3 bytes by Phone (5C:00:00:00:00:01)`.
    public var description: String {
        "write of \(value.count) bytes by \(central?.description ?? "an unknown central")"
    }
}

extension Subscriber: CustomDebugStringConvertible {
    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension Subscriber: CustomStringConvertible {
    /// Such as `Phone (5C:00:00:00:00:01)`.
    public var description: String { central.description }
}
