internal import CBluejay
internal import FoundationEssentials

/// A `PropertiesChanged` signal of one `ay` property, for repeated use; its names are checked once.
@safe package final class PropertiesChangedTemplate {
    private let template: BusMessage
    private let property: String

    /// - Throws: `InvalidArgs` for names that the specification does not allow.
    package init(
        _ path: ObjectPath,
        _ interface: String,
        _ property: String
    ) throws(BusError) {
        self.property = property
        template = try BusMessage.signal(
            path: path,
            interface: ObjectServer.propertiesName,
            member: "PropertiesChanged",
            arguments: [.string(interface)]
        )
    }

    func message(_ value: Data) throws(BusError) -> BusMessage {
        guard let copy = unsafe dbus_message_copy(template.pointer) else { throw .noMemory }
        let message = unsafe BusMessage(owning: copy)
        try message.append { writer in
            writer.property(property, value)
            writer.append(.strings([]))
        }
        return message
    }
}
