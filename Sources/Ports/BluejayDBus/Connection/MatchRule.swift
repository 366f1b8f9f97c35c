/// A rule for the signals that the bus delivers to a connection.
package struct MatchRule: Hashable {
    package var sender: String?
    package var interface: String?
    package var member: String?
    package var path: ObjectPath?
    /// Matches the path itself and everything below it.
    package var pathNamespace: ObjectPath?
    /// Matches the text of the first argument.
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

    /// The text for `AddMatch`.
    package var text: String {
        var parts = ["type='signal'"]
        func add(_ key: String, _ value: String?) {
            // An apostrophe inside quotes closes them, is escaped, and opens them again.
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

    /// Returns whether a received signal matches this rule.
    ///
    /// The sender is not compared: a signal carries the unique name, a rule often a well-known one.
    /// Subscribers check the sender if it matters.
    func matches(_ message: BusMessage) -> Bool {
        if let member, !message.hasMember(member) { return false }
        if let interface, !message.hasInterface(interface) { return false }
        return matchesObject(message)
    }

    func matchesObject(_ message: BusMessage) -> Bool {
        if let path, !message.hasPath(path) { return false }
        if let pathNamespace, !message.hasPath(inNamespace: pathNamespace) { return false }
        guard let firstArgument else { return true }
        return message.reader.isString(firstArgument)
    }
}
