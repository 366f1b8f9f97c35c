package import BluejayDBus
package import BluejayGLib
internal import Logging

/// One connection to bluetoothd: its objects kept up to date, its coming and going watched.
///
/// It subscribes first and asks for all objects afterwards, so that none is missed. When the daemon or
/// the bus goes away everything is forgotten, and taken up again when they return. All members belong
/// to the context's thread.
package final class BlueZClient {
    /// How far the way to bluetoothd leads.
    package enum State: Equatable {
        /// The bus or bluetoothd has not answered yet.
        case connecting
        /// There is no bus; opened again with a growing delay.
        case busUnavailable(String)
        /// The bus does not let this user talk to bluetoothd.
        case accessDenied(String)
        /// No bluetoothd on the bus.
        case serviceNotRunning
        /// `objects` is what bluetoothd has.
        case running
    }

    /// What observers are told.
    package enum Event: Equatable {
        case stateChanged(State)
        case changed([ObjectTree.Change])
        /// `Device1.Disconnected`, which BlueZ 5.83 and later send before `Connected` turns false.
        case disconnectReason(ObjectPath, name: String, message: String)
    }

    package let context: MainContext
    package let clock: any EventClock
    package let address: BusAddress
    package private(set) var state: State = .connecting
    package private(set) var objects = ObjectTree()
    /// The connection to the bus; nil while there is none.
    package private(set) var connection: BusConnection?

    private var observers: [(id: Int, handler: (Event) -> Void)] = []
    private var nextObserver = 0
    private var valueHandlers: [ObjectPath: (BusValue) -> Void] = [:]
    private var owner: String?
    private var hasSnapshot = false
    private var reopening: ScheduledTimer?
    private var openAttempts = 0
    private let log = Logger(label: "bluejay.bluez")

    /// The client that everything on `context` shares for one bus.
    package static func shared(on context: MainContext, address: BusAddress) -> BlueZClient {
        context.attachment("BlueZClient " + address.text) {
            BlueZClient(on: context, address: address, clock: MainContextClock(on: context))
        }
    }

    /// Opens the bus at once; `state` and the observers tell what became of it.
    package init(on context: MainContext, address: BusAddress, clock: any EventClock) {
        self.context = context
        self.address = address
        self.clock = clock
        open()
    }

    // MARK: Observing

    /// Calls `handler` for every event until the observation is released.
    package func observe(_ handler: @escaping (Event) -> Void) -> Observation {
        let id = nextObserver
        nextObserver += 1
        observers.append((id, handler))
        return Observation { [weak self] in self?.observers.removeAll { $0.id == id } }
    }

    /// Routes the `Value` signals of one characteristic to `handler`, past the tree and all observers.
    ///
    /// Nil ends it. One handler to a path; all end with the daemon.
    package func routeValues(of path: ObjectPath, to handler: ((BusValue) -> Void)?) {
        valueHandlers[path] = handler
    }

    /// Calls a method of a bluetoothd object.
    @discardableResult
    package func call(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = [],
        timeout: Duration,
        reply: @escaping (CallResult) -> Void
    ) -> CallID? {
        guard let connection else {
            reply(.failure(.disconnected))
            return nil
        }
        return connection.call(
            MethodCall(BlueZ.service, path, interface, member, arguments),
            timeout: timeout,
            reply: reply
        )
    }

    /// Reads all objects anew: signals alone are not enough right after `ServicesResolved`.
    package func refresh(done: @escaping () -> Void) {
        requestObjects(done)
    }

    private func tell(_ event: Event) {
        for observer in observers { observer.handler(event) }
    }

    private func enter(_ new: State) {
        guard new != state else { return }
        state = new
        log.debug("bluetoothd state", metadata: ["state": "\(new)"])
        tell(.stateChanged(new))
    }

    // MARK: The bus

    private func open() {
        reopening = nil
        openAttempts += 1
        do throws(BusError) {
            let connection = try BusConnection(address, on: context, clock: clock)
            self.connection = connection
            connection.onReady = { [weak self] in self?.openAttempts = 0 }
            connection.onLost = { [weak self] in self?.lostBus($0) }
            subscribe(connection)
            findOwner(mayStart: true)
        } catch {
            lostBus(error)
        }
    }

    private func lostBus(_ error: BusError) {
        connection = nil
        let denied = error.name.hasSuffix(".AccessDenied") || error.name.hasSuffix(".AuthFailed")
        forgetObjects(denied ? .accessDenied(error.message) : .busUnavailable(error.message))
        let delay = Duration.seconds(min(30, 1 << min(openAttempts, 5)))
        reopening = clock.schedule(after: delay) { [weak self] in self?.open() }
    }

    private func subscribe(_ connection: BusConnection) {
        let bus = "org.freedesktop.DBus"
        connection.subscribe(
            MatchRule(
                sender: bus,
                interface: bus,
                member: "NameOwnerChanged",
                firstArgument: BlueZ.service
            )
        ) { [weak self] message in
            guard message.sender == bus, let values = try? message.arguments() else { return }
            self?.ownerChanged(values.last?.text ?? "")
        }
        connection.subscribe(
            MatchRule(sender: BlueZ.service, interface: BlueZ.objectManager, path: .root)
        ) { [weak self] in self?.receiveObjects($0) }
        connection.subscribe(
            MatchRule(
                sender: BlueZ.service,
                interface: BlueZ.properties,
                member: "PropertiesChanged",
                pathNamespace: BlueZ.root
            )
        ) { [weak self] in self?.receiveProperties($0) }
        connection.subscribe(
            MatchRule(sender: BlueZ.service, interface: BlueZ.device, member: "Disconnected")
        ) { [weak self] in self?.receiveReason($0) }
    }

    // MARK: The daemon

    private func findOwner(mayStart: Bool) {
        let bus = "org.freedesktop.DBus"
        let call = MethodCall(
            bus,
            "/org/freedesktop/DBus",
            bus,
            "GetNameOwner",
            [.string(BlueZ.service)]
        )
        connection?.call(call, timeout: .seconds(25)) { [weak self] result in
            switch result {
            case .success(let values): self?.ownerChanged(values.first?.text ?? "")
            case .failure where mayStart: self?.startService()
            case .failure(let error): self?.failed(error)
            }
        }
    }

    // On a desktop the bus starts bluetoothd when it is asked to.
    private func startService() {
        let bus = "org.freedesktop.DBus"
        let call = MethodCall(
            bus,
            "/org/freedesktop/DBus",
            bus,
            "StartServiceByName",
            [.string(BlueZ.service), .uint32(0)]
        )
        connection?.call(call, timeout: .seconds(25)) { [weak self] result in
            switch result {
            case .success: self?.findOwner(mayStart: false)
            case .failure(let error): self?.failed(error)
            }
        }
    }

    private func failed(_ error: BusError) {
        // A lost bus has been told already, and a daemon that came meanwhile is better news.
        guard connection != nil, owner == nil else { return }
        enter(
            error.name.hasSuffix(".AccessDenied")
                ? .accessDenied(error.message) : .serviceNotRunning
        )
    }

    private func ownerChanged(_ name: String) {
        guard name != (owner ?? "") else { return }
        forgetObjects(name.isEmpty ? .serviceNotRunning : .connecting)
        guard !name.isEmpty else { return }
        owner = name
        requestObjects {}
    }

    // The state is told first, so that a link that goes with the daemon is not taken for a lost one.
    private func forgetObjects(_ next: State) {
        owner = nil
        hasSnapshot = false
        valueHandlers = [:]
        let changes = objects.removeAll()
        enter(next)
        if !changes.isEmpty { tell(.changed(changes)) }
    }

    private func requestObjects(_ done: @escaping () -> Void) {
        guard let asked = owner else { return done() }
        call(.root, BlueZ.objectManager, "GetManagedObjects", timeout: .seconds(25)) {
            [weak self] result in
            defer { done() }
            guard let self, owner == asked else { return }
            switch result {
            case .success(let values): receiveSnapshot(values.first ?? .strings([]))
            case .failure(let error):
                if error.name.hasSuffix(".AccessDenied") {
                    enter(.accessDenied(error.message))
                } else if !hasSnapshot {
                    enter(.serviceNotRunning)
                }
            }
        }
    }

    private func receiveSnapshot(_ snapshot: BusValue) {
        hasSnapshot = true
        let changes = objects.replace(with: snapshot)
        if !changes.isEmpty { tell(.changed(changes)) }
        enter(.running)
    }

    // MARK: Signals

    // Signals that come before the answer to `GetManagedObjects` are in that answer.
    private func isCurrent(_ message: BusMessage) -> Bool {
        hasSnapshot && message.sender == owner
    }

    private func receiveObjects(_ message: BusMessage) {
        guard isCurrent(message), let values = try? message.arguments(), values.count == 2,
            let path = values[0].path
        else { return }
        let changes =
            message.member == "InterfacesAdded"
            ? objects.interfacesAdded(path, values[1])
            : objects.interfacesRemoved(path, values[1].texts ?? [])
        if !changes.isEmpty { tell(.changed(changes)) }
    }

    private func receiveProperties(_ message: BusMessage) {
        guard isCurrent(message), let path = message.path,
            let values = try? message.arguments(), values.count == 3,
            let interface = values[0].text, let changed = values[1].namedValues
        else { return }
        if interface == BlueZ.gattCharacteristic, let value = changed["Value"] {
            valueHandlers[path]?(value)
            // A value is news for its listener only; a stream of them must not wake everybody.
            if changed.count == 1 { return }
        }
        let changes = objects.propertiesChanged(
            path,
            interface,
            changed,
            invalidated: values[2].texts ?? []
        )
        if !changes.isEmpty { tell(.changed(changes)) }
    }

    private func receiveReason(_ message: BusMessage) {
        guard isCurrent(message), let path = message.path, let values = try? message.arguments(),
            let name = values.first?.text
        else { return }
        tell(.disconnectReason(path, name: name, message: values.last?.text ?? ""))
    }
}

/// Holds an observation; releasing it ends it.
package final class Observation {
    private var onEnd: (() -> Void)?

    package init(onEnd: @escaping () -> Void) {
        self.onEnd = onEnd
    }

    deinit {
        onEnd?()
    }
}
