internal import BluejayDBus
internal import BluejayGLib

/// Waits, on its own connection, until the bus reports that a name has no owner.
final class NameOwnerWatch {
    private let connection: BusConnection
    private var completion: (() -> Void)?
    var isEnded: Bool { completion == nil }

    /// Calls `completion` once: when the name has no owner, when the connection is lost, or at ``end()``.
    init(
        for name: String,
        at address: BusAddress,
        on context: MainContext,
        completion: @escaping () -> Void
    ) throws(BusError) {
        connection = try BusConnection(address, on: context)
        self.completion = completion
        connection.onLost = { [weak self] _ in self?.end() }
        let rule = MatchRule(
            sender: BlueZNames.bus,
            interface: BlueZNames.bus,
            member: "NameOwnerChanged"
        )
        connection.subscribe(rule) { [weak self] message in
            guard message.sender == BlueZNames.bus,
                let names = try? message.arguments().compactMap(\.text),
                names.count == 3, names[0] == name, names[2].isEmpty
            else { return }
            self?.end()
        }
        let request = MethodCall(
            to: BlueZNames.bus,
            at: "/org/freedesktop/DBus",
            BlueZNames.bus,
            "NameHasOwner",
            [.string(name)]
        )
        connection.call(request) { [weak self] result in
            if case .success([.boolean(true)]) = result { return }
            self?.end()
        }
    }

    func end() {
        connection.close()
        let completion = completion
        self.completion = nil
        completion?()
    }
}
