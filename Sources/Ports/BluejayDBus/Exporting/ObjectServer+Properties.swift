// `org.freedesktop.DBus.Properties` for the exported interfaces of a path.
extension ObjectServer {
    private static let errorPrefix = "org.freedesktop.DBus.Error."

    private func interface(of call: MethodInvocation, at path: ObjectPath) -> BusInterface? {
        let name = call.arguments.first?.text ?? ""
        if let own = interfaces(at: path).first(where: { $0.name == name }) { return own }
        let standard = [Self.propertiesName, Self.introspectableName, Self.managerName]
        if standard.contains(name) { return BusInterface(name) }
        call.fail(Self.errorPrefix + "InvalidArgs", "No such interface '\(name)'")
        return nil
    }

    func get(_ call: MethodInvocation, at path: ObjectPath) {
        guard let interface = interface(of: call, at: path) else { return }
        let name = call.arguments[1].text ?? ""
        guard let value = interface.properties.first(where: { $0.name == name })?.get() else {
            return call.fail(Self.errorPrefix + "InvalidArgs", "No such property '\(name)'")
        }
        call.reply([.variant(value)])
    }

    func getAll(_ call: MethodInvocation, at path: ObjectPath) {
        guard let interface = interface(of: call, at: path) else { return }
        call.reply([.properties(values(of: interface))])
    }

    func set(_ call: MethodInvocation, at path: ObjectPath) {
        guard let interface = interface(of: call, at: path) else { return }
        let name = call.arguments[1].text ?? ""
        let value = call.arguments[2].unwrapped
        guard let property = interface.properties.first(where: { $0.name == name }) else {
            return call.fail(Self.errorPrefix + "UnknownProperty", "No such property '\(name)'")
        }
        guard let set = property.set else {
            return call.fail(
                Self.errorPrefix + "PropertyReadOnly",
                "Property '\(name)' is not writable"
            )
        }
        guard value.signature == property.signature else {
            return call.fail(
                Self.errorPrefix + "InvalidSignature",
                "Invalid signature for '\(name)'"
            )
        }
        set(value, call)
    }
}
