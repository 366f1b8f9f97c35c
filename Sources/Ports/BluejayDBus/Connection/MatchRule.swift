/// Which signals a connection asks the bus for.
package struct MatchRule: Hashable {
    package var sender: String?
    package var interface: String?
    package var member: String?
    package var path: ObjectPath?
    /// The path itself and everything below it.
    package var pathNamespace: ObjectPath?
    /// The text of the first argument.
    package var firstArgument: String?

    package init(
        sender: String? = nil,
        interface: String? = nil,
        member: String? = nil,
        path: ObjectPath? = nil,
        pathNamespace: ObjectPath? = nil,
        firstArgument: String? = nil
    ) {
        self.sender = sender
        self.interface = interface
        self.member = member
        self.path = path
        self.pathNamespace = pathNamespace
        self.firstArgument = firstArgument
    }

    /// The rule as `AddMatch` takes it.
    package var text: String {
        var parts = ["type='signal'"]
        func add(_ key: String, _ value: String?) {
            // Inside quotes an apostrophe ends the quotes, is escaped, and opens them again.
            guard let value else { return }
            parts.append("\(key)='\(value.replacing("'", with: "'\\''"))'")
        }
        add("sender", sender)
        add("interface", interface)
        add("member", member)
        add("path", path?.text)
        add("path_namespace", pathNamespace?.text)
        add("arg0", firstArgument)
        return parts.joined(separator: ",")
    }

    /// Whether a signal that came is one of this rule.
    ///
    /// The sender is left out: a signal carries the unique name, a rule often a well-known one. Who
    /// subscribes checks the sender where it matters.
    func covers(_ message: BusMessage) -> Bool {
        if let member, !message.hasMember(member) { return false }
        if let interface, !message.hasInterface(interface) { return false }
        return coversObject(message)
    }

    /// The part of `covers` that is left when the names are known to fit.
    func coversObject(_ message: BusMessage) -> Bool {
        if let path, !message.isAbout(path) { return false }
        if let pathNamespace, !message.isAbout(everythingAt: pathNamespace) { return false }
        guard let firstArgument else { return true }
        return message.reader.isString(firstArgument)
    }
}
