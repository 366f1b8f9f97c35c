internal import BluejayDBus
internal import BluejayGLib

/// Waits, on its own connection, until the bus reports that a name has no owner.
final class NameOwnerWatch {
    private let connection: BusConnection
    private var done: (() -> Void)?
    var isOver: Bool { done == nil }

    /// Calls `done` once: when the name has no owner, when the connection is lost, or at `end`.
    init(
        for name: String,
        at address: BusAddress,
        on context: MainContext,
        done: @escaping () -> Void
    ) throws(BusError) {
        connection = try BusConnection(address, on: context)
        self.done = done
        connection.onLost = { [weak self] _ in self?.end() }
        let rule = MatchRule(sender: Names.bus, interface: Names.bus, member: "NameOwnerChanged")
        connection.subscribe(rule) { [weak self] message in
            guard message.sender == Names.bus,
                let names = try? message.arguments().compactMap(\.text),
                names.count == 3, names[0] == name, names[2].isEmpty
            else { return }
            self?.end()
        }
        let question = MethodCall(
            Names.bus,
            "/org/freedesktop/DBus",
            Names.bus,
            "NameHasOwner",
            [.string(name)]
        )
        connection.call(question) { [weak self] result in
            if case .success([.boolean(true)]) = result { return }
            self?.end()
        }
    }

    func end() {
        connection.close()
        let done = done
        self.done = nil
        done?()
    }
}
