package import BluejayDBus
package import BluejayGLib
internal import FoundationEssentials

/// The connection to bluetoothd and its mirrored object tree.
///
/// The client subscribes to signals before it reads the objects, so that no change is missed. It clears the
/// tree when bluetoothd or the bus disappears, and reads it again later. All members belong to the
/// context's thread.
package final class BlueZClient {
    /// The state of the connection to bluetoothd.
    package enum State: Equatable {
        /// The bus or bluetoothd has not replied yet.
        case connecting
        /// The bus is not reachable; the client retries with a growing delay.
        case busUnavailable(String)
        /// The bus does not let this user talk to bluetoothd.
        case accessDenied(String)
        case serviceNotRunning
        /// bluetoothd is on the bus and has not replied to the request for its objects.
        case serviceNotResponding
        /// `objects` mirrors bluetoothd.
        case running
    }

    package enum Event: Equatable {
        case stateChanged(State)
        case changed([ObjectTree.Change])
        /// `Device1.Disconnected`, which BlueZ 5.83 and later send before `Connected` turns false.
        case disconnectReason(ObjectPath, name: String, message: String)
    }

    package let context: MainContext
    package let clock: any EventClock
    package let address: BusAddress
    package private(set) var objects = ObjectTree()
    private let session: BusSession
    private let daemon: DaemonWatch
    private var observers = ClientObservers()
    private var routes = SignalRoutes()
    private(set) var staleLinks = StaleLinks()
    /// Distributes log entries that concern no single user of the client.
    package let logDispatcher: LogDispatcher
    let log: Log

    /// The client that all users on `context` share for one bus.
    package static func shared(on context: MainContext, address: BusAddress) -> BlueZClient {
        context.sharedObject("BlueZClient " + address.text) {
            BlueZClient(on: context, address: address, clock: context.makeClock())
        }
    }

    /// Opens the bus at once; `state` and the observers report the result.
    package init(on context: MainContext, address: BusAddress, clock: any EventClock) {
        self.context = context
        self.address = address
        self.clock = clock
        logDispatcher = LogDispatcher(on: context)
        log = Log("bluejay.bluez", to: logDispatcher)
        session = BusSession(on: context, address: address, clock: clock)
        daemon = DaemonWatch(session, clock, log)
        session.onEvent = { [weak self] in self?.receive($0) }
        daemon.onEvent = { [weak self] in self?.receive($0) }
        session.open()
    }

    package var state: State { daemon.state }

    package var connection: BusConnection? { session.connection }

    var owner: String? { daemon.owner }

    var generation: Int { daemon.generation }

    /// The reachability of bluetoothd at this moment; a missing reply counts as silence.
    package var reachability: DaemonReachability {
        switch state {
        case .running: .reachable
        case .busUnavailable(let text): .busUnreachable(text)
        case .accessDenied(let text):
            connection == nil ? .busAccessDenied(text) : .daemonAccessDenied(text)
        case .serviceNotRunning: owner == nil ? .daemonNotRunning : .daemonNotResponding
        case .serviceNotResponding: .daemonNotResponding
        case .connecting:
            if owner != nil {
                .daemonNotResponding
            } else {
                connection?.uniqueName == nil ? .busNotResponding : .daemonNotRunning
            }
        }
    }

    // MARK: Observing

    /// Calls `handler` for state changes and for changes in `scope`, until the observation is released.
    package func observe(
        _ scope: ObservationScope = .everything,
        _ handler: @escaping (Event) -> Void
    ) -> ObservationToken {
        let id = observers.add(scope, handler)
        return ObservationToken { [weak self] in
            let removed = self?.observers.remove(id)
            withExtendedLifetime(removed) {}
        }
    }

    /// Sets the dispatcher of the `Value` signals of one characteristic, past the tree and all observers.
    ///
    /// Nil removes the dispatcher. A path has one dispatcher; all dispatchers end with bluetoothd.
    func setDispatcher(of path: ObjectPath, to dispatcher: ValueDispatcher?) {
        routes.setDispatcher(of: path, to: dispatcher)
    }

    /// Sets the handler of the advertisements of an adapter's devices, past all observers.
    ///
    /// Nil removes the handler. An adapter has one handler, which outlives bluetoothd.
    func setAdvertisementHandler(of adapter: ObjectPath, to handler: AdvertisementUpdate.Handler?) {
        routes.setAdvertisementHandler(of: adapter, to: handler)
    }

    /// Calls a method of a bluetoothd object.
    ///
    /// - Parameters:
    ///   - call: A call from one of the types in `Objects`.
    ///   - timeout: The time limit, after which the reply is `BusError.noReply`.
    ///   - reply: Called once, on a later iteration, unless the call is cancelled.
    /// - Returns: The call, for `cancel`.
    @discardableResult
    package func call(
        _ call: MethodCall,
        timeout: Duration = BusConnection.replyTimeout,
        reply: @escaping (CallResult) -> Void
    ) -> BusCall {
        session.call(call, to: owner, timeout: timeout, reply: reply)
    }

    /// Sends a prepared call; the reply is the message itself.
    func call(
        _ call: CallTemplate,
        timeout: Duration,
        reply: @escaping (ReplyResult) -> Void
    ) -> BusCall {
        session.call(call, to: owner, timeout: timeout, reply: reply)
    }

    /// Sends a prepared call with a value; the reply is the message itself.
    func call(
        _ call: BytesCallTemplate,
        _ bytes: Data,
        timeout: Duration,
        reply: @escaping (ReplyResult) -> Void
    ) -> BusCall {
        session.call(call, bytes, to: owner, timeout: timeout, reply: reply)
    }

    /// Cancels a call: its reply is ignored, and its closure released.
    package func cancel(_ call: BusCall) { session.cancel(call) }

    /// Reads all objects again, in case signals were lost.
    package func refresh(completion: @escaping () -> Void) {
        daemon.requestObjects(completion)
    }

    /// Reads all properties of a device again.
    ///
    /// bluetoothd sends its pending signals before the reply, so that `objects` is current when `completion`
    /// is called.
    package func refresh(device path: ObjectPath, completion: @escaping () -> Void) {
        refresh(path, Device1.interface, completion: completion)
    }

    func refresh(adapter path: ObjectPath, completion: @escaping () -> Void) {
        refresh(path, Adapter1.interface, completion: completion)
    }

    func refresh(_ path: ObjectPath, _ interface: String, completion: @escaping () -> Void) {
        guard let requestedOwner = owner else { return completion() }
        call(StandardInterfaces.getAll(path, interface)) { [weak self] result in
            defer { completion() }
            guard let self, owner == requestedOwner, daemon.hasObjects,
                case .success(let values) = result,
                let properties = values.first?.namedValues
            else { return }
            notify(objects.readAll(path, interface, properties))
        }
    }

    private func notify(_ changes: [ObjectTree.Change]) {
        guard let first = changes.first else { return }
        staleLinks.apply(changes, in: objects, now: clock.now)
        // All changes of one object concern the same observers.
        if changes.allSatisfy({ $0.path == first.path }) {
            notify(.changed(changes), observers.concerned(by: first.path))
        } else {
            for (observer, share) in observers.split(changes)
            where observers.isObserving(observer.id) { observer.handler(.changed(share)) }
        }
    }

    private func notify(_ event: Event, _ concerned: [ClientObservers.Observer]) {
        for observer in concerned where observers.isObserving(observer.id) {
            observer.handler(event)
        }
    }

    // MARK: The bus and bluetoothd

    private func receive(_ event: BusSession.Event) {
        switch event {
        case .opened(let connection):
            subscribe(connection)
            daemon.busOpened()
        case .lost(let error): daemon.busLost(error)
        }
    }

    private func receive(_ event: DaemonWatch.Event) {
        switch event {
        case .stateChanged(let former): stateChanged(from: former)
        case .objectsLost(let state):
            let former = routes.removeDispatchers()
            withExtendedLifetime(former) {}
            let changes = objects.removeAll()
            stateChanged(from: state)
            notify(changes)
        case .ownerChanged(let hasBegun):
            staleLinks = StaleLinks(daemonStartTime: hasBegun ? clock.now : nil)
        case .objectsRead(let reader, let isFirst):
            let changes = objects.replace(with: reader, reporting: observers.hasObservers)
            if isFirst { staleLinks.objectsRead(objects, now: clock.now) }
            notify(changes)
        }
    }

    private func stateChanged(from former: State) {
        let state = state
        guard state != former else { return }
        logState(state, after: former)
        notify(.stateChanged(state), observers.all)
    }

    private func logState(_ new: State, after old: State) {
        switch new {
        case .connecting: log.debug("reading bluetoothd objects")
        case .running: log.debug("bluetoothd ready", ["adapters": "\(adapterNames)"])
        case .serviceNotRunning where old == .running: log.warning("bluetoothd left the bus")
        case .serviceNotRunning: log.debug("bluetoothd not running")
        case .serviceNotResponding: log.warning("bluetoothd does not respond")
        case .busUnavailable(let text) where old == .running:
            log.warning("bus connection lost", ["error": text])
        case .busUnavailable(let text):
            log.debug("bus unreachable", ["error": text])
        case .accessDenied(let text):
            log.warning("access to bluetoothd denied", ["error": text])
        }
    }

    private var adapterNames: String {
        objects.paths(with: Adapter1.interface).map(\.text).joined(separator: " ")
    }

    private func subscribe(_ connection: BusConnection) {
        connection.subscribe(StandardInterfaces.ownerChanged) { [weak self] message in
            guard message.sender == StandardInterfaces.bus, let values = try? message.arguments()
            else {
                return
            }
            self?.daemon.ownerChanged(values.last?.text ?? "", hasStarted: true)
        }
        connection.subscribe(StandardInterfaces.objectsChanged) { [weak self] in
            self?.receiveObjects($0)
        }
        connection.subscribe(StandardInterfaces.propertiesChanged) { [weak self] in
            self?.receiveProperties($0)
        }
        connection.subscribe(Device1.disconnected) { [weak self] in self?.receiveReason($0) }
    }

    // MARK: Signals

    private func receiveObjects(_ message: BusMessage) {
        guard daemon.isCurrent(message) else { return }
        var arguments = message.reader
        arguments.openVariants()
        guard let path = arguments.path(), arguments.next() else { return }
        let interfaces = arguments
        guard !arguments.next() else { return }
        let changes =
            StandardInterfaces.isAddition(message)
            ? objects.interfacesAdded(path, interfaces)
            : objects.interfacesRemoved(path, interfaces.value()?.texts ?? [])
        notify(changes)
    }

    private func receiveProperties(_ message: BusMessage) {
        guard daemon.isCurrent(message) else { return }
        let arguments = message.reader
        if let value = GattCharacteristic1.onlyValue(arguments) {
            // A value concerns its subscriptions only; a stream of values must not reach the observers.
            if let dispatcher = routes.dispatcher(message), let bytes = value.data() {
                dispatcher.receive(bytes)
            }
            return
        }
        guard let path = message.path else { return }
        if let change = AdvertisementUpdate(arguments) {
            // An advertisement concerns scans only; during discovery most signals are advertisements.
            if objects.advertised(path, change) {
                routes.advertisementHandler(of: path)?(path, change)
            }
            return
        }
        guard let values = try? message.arguments(), values.count == 3,
            let interface = values[0].text, let changed = values[1].namedValues
        else { return }
        if interface == GattCharacteristic1.interface, let dispatcher = routes.dispatcher(message),
            let value = GattCharacteristic1.value(changed)
        {
            dispatcher.receive(value)
        }
        notify(
            objects.propertiesChanged(
                path,
                interface,
                changed,
                invalidated: values[2].texts ?? []
            )
        )
    }

    private func receiveReason(_ message: BusMessage) {
        guard daemon.isCurrent(message), let path = message.path,
            let values = try? message.arguments(), let name = values.first?.text
        else { return }
        notify(
            .disconnectReason(path, name: name, message: values.last?.text ?? ""),
            observers.concerned(by: path)
        )
    }
}

/// The part of the connection to bluetoothd that works.
package enum DaemonReachability: Equatable, Swift.Sendable {
    /// The bus cannot be reached; with the text of the failure.
    case busUnreachable(String)
    /// The bus has been reached and has not replied yet.
    case busNotResponding
    /// The bus refuses this user; with its text.
    case busAccessDenied(String)
    /// bluetoothd is not on the bus, as far as the bus has replied.
    case daemonNotRunning
    /// bluetoothd is on the bus and has not sent its objects.
    case daemonNotResponding
    /// The bus does not let this user call bluetoothd; with its text.
    case daemonAccessDenied(String)
    case reachable
}
