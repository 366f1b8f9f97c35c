/// A method that the specification has for every object; specified by the D-Bus specification,
/// "Standard Interfaces".
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

    private var takes: String {
        switch self {
        case .introspect, .getManagedObjects: ""
        case .get: "ss"
        case .set: "ssv"
        case .getAll: "s"
        }
    }

    private var gives: String {
        switch self {
        case .introspect: "s"
        case .getManagedObjects: "a{oa{sa{sv}}}"
        case .get: "v"
        case .set: ""
        case .getAll: "a{sv}"
        }
    }

    /// Whether a call is for this method; one that names no interface is for any that has the name.
    func `is`(_ message: BusMessage) -> Bool {
        message.calls(name, of: interface, takes: takes)
    }

    /// The tables that an introspection shows behind the own ones.
    static func interfaces(isManager: Bool, hasProperties: Bool) -> [BusInterface] {
        var shown: [StandardMethod] = [.introspect]
        if isManager { shown.append(.getManagedObjects) }
        if hasProperties { shown += [.get, .set, .getAll] }
        return shown.reduce(into: []) { tables, method in
            // The description only: calls do not go through these tables.
            let (takes, gives) = (method.takes, method.gives)
            let described = BusMethod(method.name, takes: takes, gives: gives) { _ in }
            if tables.last?.name == method.interface {
                tables[tables.count - 1].methods.append(described)
            } else {
                tables.append(BusInterface(method.interface, methods: [described]))
            }
        }
    }
}

extension [BusInterface] {
    /// The method that a call is for; nil when none of these interfaces has it.
    func method(_ message: BusMessage) -> BusMethod? {
        let names = message.names
        for interface in self {
            for method in interface.methods where names.hasMember(method.name) {
                guard message.hasSignature(method.takes),
                    names.hasInterface(interface.name) || !message.hasInterface
                else { continue }
                return method
            }
        }
        return nil
    }
}

extension BusMessage {
    fileprivate func calls(_ member: String, of interface: String, takes: String) -> Bool {
        hasMember(member) && hasSignature(takes) && (hasInterface(interface) || !hasInterface)
    }
}
