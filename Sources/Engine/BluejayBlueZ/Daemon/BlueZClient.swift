package import BluejayDBus
package import BluejayGLib

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
        /// bluetoothd is on the bus and left the question for its objects unanswered.
        case serviceNotResponding
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

    private var observers = ClientObservers()
    private var valueRoutes = ValueRoutes()
    /// A machine has few adapters, so that a list is enough.
    private var advertisementRoutes: [(adapter: ObjectPath, receive: AdvertisedChange.Handler)] = []
    private(set) var owner: String?
    /// Another one for each bluetoothd: what one had the next does not have.
    private(set) var generation = 0
    private var hasSnapshot = false
    private(set) var staleLinks = StaleLinks()
    private var reopening: ScheduledTimer?
    private var openAttempts = 0
    var activation = Activation()
    /// How many connections to the bus there have been.
    private(set) var connections = 0
    /// Calls for which there was no bus, until their failure is told.
    private var refusals: [Int: ScheduledTimer] = [:]
    private var lastRefusal = 0
    /// Asks again for the objects that a daemon did not give.
    private var asking: ScheduledTimer?
    private var failedReadings = 0
    /// Who hears what concerns no single user of the client.
    package let logHub: LogHub
    let log: Log

    /// The client that everything on `context` shares for one bus.
    package static func shared(on context: MainContext, address: BusAddress) -> BlueZClient {
        context.attachment("BlueZClient " + address.text) {
            BlueZClient(on: context, address: address, clock: context.makeClock())
        }
    }

    /// Opens the bus at once; `state` and the observers tell what became of it.
    package init(on context: MainContext, address: BusAddress, clock: any EventClock) {
        self.context = context
        self.address = address
        self.clock = clock
        logHub = LogHub(on: context)
        log = Log("bluejay.bluez", to: logHub)
        open()
    }

    // MARK: Observing

    /// Calls `handler` for the states of bluetoothd, and for what happens in `scope`, until the
    /// observation is released.
    package func observe(
        _ scope: ObservationScope = .everything,
        _ handler: @escaping (Event) -> Void
    ) -> Observation {
        let id = observers.add(scope, handler)
        return Observation { [weak self] in
            let removed = self?.observers.remove(id)
            withExtendedLifetime(removed) {}
        }
    }

    /// Routes the `Value` signals of one characteristic, past the tree and all observers.
    ///
    /// Nil ends it. One route to a path; all end with the daemon.
    func routeValues(of path: ObjectPath, to route: ValueRoute?) {
        valueRoutes.set(path, route)
    }

    /// Routes what the devices of an adapter advertise, past all observers.
    ///
    /// Nil ends it. One route to an adapter; it outlives the daemon.
    func routeAdvertisements(of adapter: ObjectPath, to route: AdvertisedChange.Handler?) {
        advertisementRoutes.removeAll { $0.adapter == adapter }
        if let route { advertisementRoutes.append((adapter, route)) }
    }

    /// Calls a method of a bluetoothd object.
    ///
    /// - Parameters:
    ///   - call: Made by one of the types of the room `Objects`.
    ///   - timeout: After it the reply is `BusError.noReply`.
    ///   - reply: Called once, in a later turn, unless the call is cancelled.
    /// - Returns: What `cancel` takes.
    @discardableResult
    package func call(
        _ call: MethodCall,
        timeout: Duration,
        reply: @escaping (CallResult) -> Void
    ) -> BusCall {
        guard let connection else { return refuse { reply(.failure($0)) } }
        let id = connection.call(call, timeout: timeout, reply: reply)
        return BusCall(id: .sent(id, connection: connections))
    }

    /// Makes a prepared call; the reply is the message as it came.
    func call(
        _ call: PreparedCall,
        timeout: Duration,
        reply: @escaping (ReplyResult) -> Void
    ) -> BusCall {
        guard let connection else { return refuse { reply(.failure($0)) } }
        let id = connection.call(call, timeout: timeout, reply: reply)
        return BusCall(id: .sent(id, connection: connections))
    }

    /// Forgets a call: its answer is ignored, and its closure released.
    package func cancel(_ call: BusCall) {
        switch call.id {
        case .sent(let id, connections): connection?.cancel(id)
        case .sent: break
        case .refused(let id): refusals[id] = nil
        }
    }

    func refuse(_ reply: @escaping (BusError) -> Void) -> BusCall {
        lastRefusal += 1
        let id = lastRefusal
        refusals[id] = clock.schedule(after: .zero) { [weak self] in
            self?.refusals[id] = nil
            reply(.disconnected)
        }
        return BusCall(id: .refused(id))
    }

    /// Reads all objects anew; signals alone are not enough where some have not come.
    package func refresh(done: @escaping () -> Void) {
        requestObjects(done)
    }

    /// Reads all properties of a device anew.
    ///
    /// What bluetoothd has to signal it signals before it answers: when `done` is called all that
    /// there was is in `objects`.
    package func refresh(device path: ObjectPath, done: @escaping () -> Void) {
        refresh(path, Device1.interface, done: done)
    }

    /// Reads all properties of an adapter anew, as for a device.
    func refresh(adapter path: ObjectPath, done: @escaping () -> Void) {
        refresh(path, Adapter1.interface, done: done)
    }

    /// Reads all properties of one interface anew, as for a device.
    func refresh(_ path: ObjectPath, _ interface: String, done: @escaping () -> Void) {
        guard let asked = owner else { return done() }
        call(StandardBus.getAll(path, interface), timeout: .seconds(25)) { [weak self] result in
            defer { done() }
            guard let self, owner == asked, hasSnapshot, case .success(let values) = result,
                let properties = values.first?.namedValues
            else { return }
            tell(objects.readAll(path, interface, properties))
        }
    }

    private func tell(_ changes: [ObjectTree.Change]) {
        guard let first = changes.first else { return }
        staleLinks.follow(changes, in: objects, now: clock.now)
        // What happens to one object concerns the same observers.
        if changes.allSatisfy({ $0.path == first.path }) {
            tell(.changed(changes), observers.concerned(by: first.path))
        } else {
            for (observer, share) in observers.split(changes)
            where observers.isObserving(observer.id) { observer.handler(.changed(share)) }
        }
    }

    private func tell(_ event: Event, _ concerned: [ClientObservers.Observer]) {
        for observer in concerned where observers.isObserving(observer.id) {
            observer.handler(event)
        }
    }

    private func enter(_ new: State) {
        guard new != state else { return }
        let old = state
        state = new
        note(new, after: old)
        tell(.stateChanged(new), observers.all)
    }

    // MARK: The bus

    private func open() {
        reopening = nil
        openAttempts += 1
        do throws(BusError) {
            let connection = try BusConnection(address, on: context, clock: clock, tap: tap)
            self.connection = connection
            connections += 1
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
        perform(activation.machine.busLost())
        let denied = error.name.hasSuffix(".AccessDenied") || error.name.hasSuffix(".AuthFailed")
        forgetObjects(denied ? .accessDenied(error.message) : .busUnavailable(error.message))
        let delay = Duration.seconds(min(30, 1 << min(openAttempts, 5)))
        reopening = clock.schedule(after: delay) { [weak self] in self?.open() }
    }

    private func subscribe(_ connection: BusConnection) {
        connection.subscribe(StandardBus.ownerChanged) { [weak self] message in
            guard message.sender == StandardBus.bus, let values = try? message.arguments() else {
                return
            }
            self?.ownerChanged(values.last?.text ?? "", hasBegun: true)
        }
        connection.subscribe(StandardBus.objectsChanged) { [weak self] in self?.receiveObjects($0) }
        connection.subscribe(StandardBus.propertiesChanged) { [weak self] in
            self?.receiveProperties($0)
        }
        connection.subscribe(Device1.disconnected) { [weak self] in self?.receiveReason($0) }
    }

    // MARK: The daemon

    func ownerIsMissing(_ error: BusError) {
        // A lost bus has been told already, and a daemon that came meanwhile is better news.
        guard connection != nil, owner == nil else { return }
        enter(
            error.name.hasSuffix(".AccessDenied")
                ? .accessDenied(error.message) : .serviceNotRunning
        )
    }

    func ownerChanged(_ name: String, hasBegun: Bool = false) {
        guard name != (owner ?? "") else { return }
        followActivation(isThere: !name.isEmpty)
        forgetObjects(name.isEmpty ? .serviceNotRunning : .connecting)
        staleLinks = StaleLinks(began: hasBegun ? clock.now : nil)
        guard !name.isEmpty else { return }
        owner = name
        requestObjects {}
    }

    // The state is told first, so that a link that goes with the daemon is not taken for a lost one.
    private func forgetObjects(_ next: State) {
        owner = nil
        generation += 1
        hasSnapshot = false
        asking = nil
        failedReadings = 0
        valueRoutes = ValueRoutes()
        let changes = objects.removeAll()
        enter(next)
        tell(changes)
    }

    private func requestObjects(_ done: @escaping () -> Void) {
        guard let asked = owner, let connection else { return done() }
        connection.ask(StandardBus.getManagedObjects, timeout: .seconds(25)) {
            [weak self] result in
            defer { done() }
            guard let self, owner == asked else { return }
            switch result {
            case .success(let reply): receiveSnapshot(reply.reader)
            case .failure(let error): readingFailed(error)
            }
        }
    }

    private func receiveSnapshot(_ snapshot: BusReader) {
        let isFirst = !hasSnapshot
        hasSnapshot = true
        failedReadings = 0
        let changes = objects.replace(with: snapshot, telling: observers.isAnybodyConcerned)
        if isFirst { staleLinks.objectsRead(objects, now: clock.now) }
        tell(changes)
        enter(.running)
    }

    // A daemon that stands still for a while, or a bus whose policy is being changed, may answer later;
    // no signal would tell.
    private func readingFailed(_ error: BusError) {
        let isDenied = error.name.hasSuffix(".AccessDenied")
        if isDenied {
            enter(.accessDenied(error.message))
        } else if !hasSnapshot {
            enter(error == .noReply ? .serviceNotResponding : .serviceNotRunning)
        }
        guard isDenied || !hasSnapshot else { return }
        let delay = Duration.seconds(min(30, 1 << min(failedReadings, 5)))
        failedReadings += 1
        asking = clock.schedule(after: delay) { [weak self] in self?.requestObjects {} }
    }

    // MARK: Signals

    // Signals that come before the answer to `GetManagedObjects` are in that answer.
    private func isCurrent(_ message: BusMessage) -> Bool {
        guard hasSnapshot, let owner else { return false }
        return message.isFrom(owner)
    }

    private func receiveObjects(_ message: BusMessage) {
        guard isCurrent(message) else { return }
        var arguments = message.reader
        arguments.openVariants()
        guard let path = arguments.path(), arguments.next() else { return }
        let interfaces = arguments
        guard !arguments.next() else { return }
        let changes =
            StandardBus.isAddition(message)
            ? objects.interfacesAdded(path, interfaces)
            : objects.interfacesRemoved(path, interfaces.value()?.texts ?? [])
        tell(changes)
    }

    private func receiveProperties(_ message: BusMessage) {
        guard isCurrent(message) else { return }
        let arguments = message.reader
        if let value = GattCharacteristic1.onlyValue(arguments) {
            // A value is news for its listeners only; a stream of them must not wake everybody.
            if let route = valueRoutes.find(message), let bytes = value.data() {
                route.receive(bytes)
            }
            return
        }
        guard let path = message.path else { return }
        if let change = AdvertisedChange(arguments) {
            // News for scans only, and most of what there is while bluetoothd discovers.
            if objects.advertised(path, change) {
                advertisementRoutes.first { path.isBelow($0.adapter) }?.receive(path, change)
            }
            return
        }
        guard let values = try? message.arguments(), values.count == 3,
            let interface = values[0].text, let changed = values[1].namedValues
        else { return }
        if interface == GattCharacteristic1.interface, let route = valueRoutes.find(message),
            let value = GattCharacteristic1.value(changed)
        {
            route.receive(value)
        }
        tell(
            objects.propertiesChanged(
                path,
                interface,
                changed,
                invalidated: values[2].texts ?? []
            )
        )
    }

    private func receiveReason(_ message: BusMessage) {
        guard isCurrent(message), let path = message.path, let values = try? message.arguments(),
            let name = values.first?.text
        else { return }
        tell(
            .disconnectReason(path, name: name, message: values.last?.text ?? ""),
            observers.concerned(by: path)
        )
    }
}
