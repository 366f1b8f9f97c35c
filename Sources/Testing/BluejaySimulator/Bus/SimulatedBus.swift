internal import BluejayDBus
internal import BluejayGLib

/// The connection of the simulated bluetoothd to its bus, with the objects that it exports.
final class SimulatedBus {
    let context: MainContext
    let address: BusAddress
    /// The connection, or `nil` while the daemon is not running.
    private(set) var connection: BusConnection?
    private var lastName: String?
    private var server: ObjectServer?
    private var callInterceptor: CallInterceptor?
    /// Decides on each call of a method that arrives; receives the name of the method.
    var onCall: (String) -> FaultPlayer.CallTreatment = { _ in .serve }
    /// Called with the name of each signal and call that the daemon sends.
    var onSend: (String) -> Void = { _ in }
    private var delayedCalls: [(sender: String?, timer: ScheduledTimer)] = []

    init(_ address: BusAddress, on context: MainContext) {
        self.address = address
        self.context = context
    }

    /// The unique name, also after the daemon has ended; `nil` before the first daemon has one.
    var name: String? { connection?.uniqueName ?? lastName }

    /// Connects; the objects appear with the first `export`.
    ///
    /// - Parameters:
    ///   - clock: The clock of the daemon: calls wait while it is paused.
    ///   - clientDisconnected: Called with the unique name of each client that leaves the bus.
    ///   - completion: Called once, when the name `org.bluez` is acquired or refused.
    /// - Throws: The error of the connection.
    func start(
        _ clock: @escaping () -> PausableClock?,
        clientDisconnected: @escaping (String) -> Void,
        completion: @escaping (BusError?) -> Void
    ) throws(BusError) {
        let connection = try BusConnection(address, on: context) { [weak self] message, isSent in
            guard isSent, message.kind == .signal || message.kind == .methodCall,
                message.destination != BlueZNames.bus, let member = message.member
            else { return }
            self?.onSend(member)
        }
        let server = ObjectServer(connection)
        self.connection = connection
        self.server = server
        guardCalls(connection, clock)
        connection.onLost = { [weak self] _ in self?.forget() }
        watchClients(connection) { [weak self] name in
            self?.discardCalls(of: name)
            // A suspended daemon handles the calls of the client first.
            guard let clock = clock(), clock.isPaused else { return clientDisconnected(name) }
            clock.whenRunning { clientDisconnected(name) }
        }
        server.exportManager(at: .root)
        connection.requestName(BlueZNames.service, reply: completion)
    }

    private func guardCalls(
        _ connection: BusConnection,
        _ clock: @escaping () -> PausableClock?
    ) {
        let interceptor = CallInterceptor(on: connection)
        self.callInterceptor = interceptor
        let handle = { [weak self, weak connection] (message: BusMessage) -> Bool in
            let treatment = message.member.flatMap { self?.onCall($0) } ?? .serve
            // A fault may have ended the daemon.
            guard let self, let connection, self.connection === connection else { return true }
            switch treatment {
            case .serve:
                // A fault may have suspended the daemon.
                guard let clock = clock(), clock.isPaused else {
                    return interceptor.handle(message)
                }
                clock.whenRunning { _ = interceptor.handle(message) }
            case .refuse(let error): connection.sendReply(message, error)
            case .ignore: break
            case .delay(let delay):
                guard let clock = clock() else { break }
                let timer = clock.schedule(after: delay) { _ = interceptor.handle(message) }
                delayedCalls.append((message.sender, timer))
            }
            return true
        }
        connection.onMethodCall = { message in
            guard let clock = clock(), clock.isPaused else { return handle(message) }
            clock.whenRunning { _ = handle(message) }
            return true
        }
    }

    private func watchClients(
        _ connection: BusConnection,
        _ clientDisconnected: @escaping (String) -> Void
    ) {
        let rule = MatchRule(
            sender: BlueZNames.bus,
            interface: BlueZNames.bus,
            member: "NameOwnerChanged"
        )
        connection.subscribe(rule) { message in
            guard message.sender == BlueZNames.bus,
                let names = try? message.arguments().compactMap(\.text),
                names.count == 3, names[0].hasPrefix(":"), names[2].isEmpty
            else { return }
            clientDisconnected(names[0])
        }
    }

    /// Discards the held and delayed calls of a client that has left the bus.
    ///
    /// bluetoothd received them before the client left: served now, they would last forever.
    private func discardCalls(of client: String) {
        callInterceptor?.discardCalls(of: client)
        delayedCalls.removeAll { $0.sender == client }
    }

    /// Closes the connection immediately, like a killed process.
    func close() {
        connection?.close()
        forget()
    }

    private func forget() {
        lastName = name
        delayedCalls = []
        connection = nil
        server = nil
        callInterceptor = nil
    }

    // MARK: Calls

    func hold(_ member: String) {
        callInterceptor?.hold(member)
    }

    func fail(_ member: String, with error: BusError) {
        callInterceptor?.fail(member, with: error)
    }

    /// Serves calls of a method again, the held ones first.
    func release(_ member: String) {
        callInterceptor?.release(member)
    }

    // MARK: Objects

    /// Signals the current values of properties; a property without a value is invalidated.
    func emitChanged(_ path: ObjectPath, _ interface: String, _ names: [String]) {
        guard let server, !names.isEmpty,
            let table = server.interfaces(at: path).first(where: { $0.name == interface })
        else { return }
        var changed: BusProperties = []
        var invalidated: [String] = []
        for name in names {
            if let value = table.properties.first(where: { $0.name == name })?.get() {
                changed.append((name, value))
            } else {
                invalidated.append(name)
            }
        }
        server.emitPropertiesChanged(path, interface, changed, invalidated: invalidated)
    }

    /// Exports an object and signals `InterfacesAdded`.
    func export(_ interfaces: [BusInterface], at path: ObjectPath) {
        server?.export(interfaces, at: path)
        server?.emitInterfacesAdded(path, manager: .root)
    }

    /// Removes an object and signals `InterfacesRemoved`, with the names in bluetoothd's order.
    func unexport(_ path: ObjectPath) {
        guard let server else { return }
        let interfaces = server.interfaces(at: path)
        let names = interfaces.map(\.name)
        let hasProperties = interfaces.contains { !$0.properties.isEmpty }
        guard !names.isEmpty else { return }
        server.unexport(path)
        let all =
            (hasProperties ? [BlueZNames.properties] : []) + [BlueZNames.introspectable] + names
        server.emitInterfacesRemoved(path, interfaces: all, manager: .root)
    }

    /// Adds an interface to an exported object; the signal names only the new interface.
    func addInterface(_ interface: BusInterface, at path: ObjectPath) {
        guard let server, let connection else { return }
        server.export([interface], at: path)
        let values = interface.properties.compactMap { property in
            property.get().map { (property.name, $0) }
        }
        let content = [BusEntry(.string(interface.name), .properties(values))]
        try? connection.emit(
            .root,
            BlueZNames.objectManager,
            "InterfacesAdded",
            [.objectPath(path), .dictionary(content, key: "s", value: "a{sv}")]
        )
    }

    /// Removes one interface of an object and signals it; the object stays.
    func removeInterface(_ name: String, at path: ObjectPath) {
        guard let server else { return }
        server.unexport(path, interfaces: [name])
        server.emitInterfacesRemoved(path, interfaces: [name], manager: .root)
    }
}
