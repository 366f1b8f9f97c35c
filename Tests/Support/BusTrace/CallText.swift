internal import BluejayDBus

/// Formats calls and their results.
enum CallText {
    /// Returns the member, with its interface unless the kind of the object implies it.
    static func member(_ message: RecordedMessage) -> String {
        let standard = [Bus.name + ".Properties", Bus.name + ".ObjectManager", ""]
        guard !standard.contains(message.interface),
            let prefix = interfacePrefix(message.interface, message.path)
        else { return message.member }
        return "\(prefix).\(message.member)"
    }

    /// Returns the short name of an interface, or `nil` if the path implies it.
    static func interfacePrefix(_ interface: String, _ path: String) -> String? {
        let last = path.split(separator: "/").last ?? ""
        let usual: String? =
            switch last {
            case "bluez": "org.bluez.AgentManager1"
            case _ where last.hasPrefix("hci"): "org.bluez.Adapter1"
            case _ where last.hasPrefix("dev_"): "org.bluez.Device1"
            case _ where last.hasPrefix("service"): "org.bluez.GattService1"
            case _ where last.hasPrefix("char"): "org.bluez.GattCharacteristic1"
            case _ where last.hasPrefix("desc"): "org.bluez.GattDescriptor1"
            default: nil
            }
        return interface == usual ? nil : ValueText.short(interface)
    }

    static func arguments(_ call: RecordedMessage, _ text: ValueText) -> [String] {
        guard call.interface == Bus.name + ".Properties" else {
            return call.arguments.map { text.text($0) }
        }
        let interface = call.arguments.first?.text ?? ""
        let property = call.arguments.dropFirst().first?.text
        let value = call.arguments.dropFirst(2).map {
            text.text($0, key: property ?? "", interface: interface)
        }
        return [ValueText.short(interface)] + (property.map { [$0] } ?? []) + value
    }

    /// Returns the arguments after a label: a colon and the arguments, or nothing.
    static func tail(_ arguments: [String]) -> String {
        arguments.isEmpty ? "" : ": " + arguments.joined(separator: ", ")
    }

    /// Returns the content of a reply; `ok` if it is empty.
    static func result(
        _ reply: RecordedMessage,
        of call: RecordedMessage,
        _ text: ValueText,
        listsObjects: Bool
    ) -> String {
        let interface = call.arguments.first?.text ?? ""
        switch call.member {
        case "GetManagedObjects" where !ManagedObjects.paths(reply.arguments).isEmpty:
            guard listsObjects else { return "ok" }
            return objects(ManagedObjects.paths(reply.arguments), text.names)
        case "AcquireNotify", "AcquireWrite": return "*"
        case "Get" where call.interface == Bus.name + ".Properties":
            let property = call.arguments.dropFirst().first?.text ?? ""
            return reply.arguments.map { text.text($0, key: property, interface: interface) }
                .joined(separator: ", ")
        case "GetAll" where call.interface == Bus.name + ".Properties":
            return reply.arguments.map { text.summary($0, of: interface) }.joined(separator: ", ")
        default:
            let values = reply.arguments.map { text.text($0) }
            return values.isEmpty ? "ok" : values.joined(separator: ", ")
        }
    }

    // Sorted by name: BlueZ lists its objects in no order.
    private static func objects(_ paths: [String], _ names: ObjectNames) -> String {
        let own = paths.filter { !names.isOfOtherAdapter($0) }
        return own.map { names.name(of: $0) }.sorted().joined(separator: ", ")
    }
}
