/// A standard method of every object; see the D-Bus specification, "Standard Interfaces".
enum StandardMethod: CaseIterable {
    case introspect, getManagedObjects, get, set, getAll

    private var interface: String {
        switch self {
        case .introspect: ObjectServer.introspectableName
        case .getManagedObjects: ObjectServer.managerName
        case .get, .set, .getAll: ObjectServer.propertiesName
        }
    }

    private var name: String {
        switch self {
        case .introspect: "Introspect"
        case .getManagedObjects: "GetManagedObjects"
        case .get: "Get"
        case .set: "Set"
        case .getAll: "GetAll"
        }
    }

    private var inputSignature: String {
        switch self {
        case .introspect, .getManagedObjects: ""
        case .get: "ss"
        case .set: "ssv"
        case .getAll: "s"
        }
    }

    private var outputSignature: String {
        switch self {
        case .introspect: "s"
        case .getManagedObjects: "a{oa{sa{sv}}}"
        case .get: "v"
        case .set: ""
        case .getAll: "a{sv}"
        }
    }

    /// Returns whether a call is for this method; a call without an interface matches any method of that
    /// name.
    func `is`(_ message: BusMessage) -> Bool {
        message.calls(name, of: interface, inputSignature: inputSignature)
    }

    /// Returns the interfaces that an introspection lists after the exported ones.
    static func interfaces(isManager: Bool, hasProperties: Bool) -> [BusInterface] {
        var shown: [StandardMethod] = [.introspect]
        if isManager { shown.append(.getManagedObjects) }
        if hasProperties { shown += [.get, .set, .getAll] }
        return shown.reduce(into: []) { tables, method in
            // For the description only: calls do not use these tables.
            let (takes, gives) = (method.inputSignature, method.outputSignature)
            let described = BusMethod(method.name, inputSignature: takes, outputSignature: gives) {
                _ in
            }
            if tables.last?.name == method.interface {
                tables[tables.count - 1].methods.append(described)
            } else {
                tables.append(BusInterface(method.interface, methods: [described]))
            }
        }
    }
}

extension [BusInterface] {
    func method(_ message: BusMessage) -> BusMethod? {
        let names = message.headerFields
        for interface in self {
            for method in interface.methods where names.hasMember(method.name) {
                guard message.hasSignature(method.inputSignature),
                    names.hasInterface(interface.name) || !message.hasInterface
                else { continue }
                return method
            }
        }
        return nil
    }
}

extension BusMessage {
    fileprivate func calls(_ member: String, of interface: String, inputSignature: String) -> Bool {
        hasMember(member) && hasSignature(inputSignature)
            && (hasInterface(interface) || !hasInterface)
    }
}
