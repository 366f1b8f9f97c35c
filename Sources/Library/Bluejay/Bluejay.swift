public import BluejayBlueZ
internal import BluejayDBus
internal import BluejayGLib
public import FoundationEssentials

/// Talks to one Bluetooth Low Energy peripheral at a time, over BlueZ.
///
/// Every call joins one queue: first in, first out, strictly one at a time, and each completion is called
/// exactly once, never inside the call: what is refused at once is told in a later turn of the loop, in
/// the order of the calls, perhaps before what is still under way.
///
/// Any thread may call it. On the instance's ``MainLoop`` a call is made at once; elsewhere it is posted to the
/// loop, in the order of the thread's calls, and properties return the state that the loop published last. All
/// callbacks come on the loop. A callback may run a main loop of its own, as a dialogue does: everything goes
/// on in it.
///
/// Plain classes can use it: it is no actor. Instances that share a main loop share one connection to
/// the bus, and the link to one peripheral: it is cut when the last of them leaves. To BlueZ instances
/// of different loops are different programs, and `disconnect` of one cuts the link of the other, which
/// makes it again unless told otherwise: let those that use one peripheral share a loop. An instance
/// that is released fails what is pending with ``BluejayError/cancelled`` and disconnects.
///
/// The model is the iOS library of the same name; code written for it ports.
public final class Bluejay: @unchecked Swift.Sendable {
    // Everything below is confined to the main loop, and every call from elsewhere is posted to it: that is
    // the invariant behind `@unchecked`.

    /// The loop that calls are made and callbacks come on.
    public let mainLoop: MainLoop

    /// Random for each instance; it is in the log, to tell instances apart.
    public let uuid = UUID()

    let instance: Instance

    let settings = Settings()

    /// Makes an instance; Bluetooth is not touched before ``start(mode:)``.
    ///
    /// - Parameters:
    ///   - logObserver: Hears every line from the first on; held weakly.
    ///   - mainLoop: Where calls are made and callbacks come.
    ///   - adapter: A name (`hci1`) or an address; nil is the first adapter that is on.
    ///   - busAddress: The bus on which bluetoothd is; nil is the system bus, or what
    ///     `DBUS_SYSTEM_BUS_ADDRESS` says.
    public init(
        logObserver: (any LogObserver)? = nil,
        mainLoop: MainLoop = .main,
        adapter: String? = nil,
        busAddress: String? = nil
    ) {
        self.mainLoop = mainLoop
        let observers = LogObservers()
        if let logObserver { observers.list.register(logObserver) }
        instance = Instance(
            context: mainLoop.context,
            bus: BusAddress(busAddress, of: mainLoop.context),
            choice: adapter.map { .named($0) } ?? .any,
            log: InstanceLog(observers, instance: uuid)
        )
        // Observers hear on the loop, wherever this is called.
        let log = Confined(instance.log.queue)
        let details = Confined<LogDetails>(["uuid": "\(uuid)", "adapter": adapter ?? ""])
        if logObserver == nil || mainLoop.isCurrent {
            log.value.debug("made", details.value)
        } else {
            mainLoop.post { log.value.debug("made", details.value) }
        }
    }

    /// Makes an instance where a host is; Bluetooth is not touched before ``start(mode:)``.
    ///
    /// - Parameters:
    ///   - host: The loop, the adapter and the bus.
    ///   - logObserver: Hears every line from the first on; held weakly.
    public convenience init(host: BluetoothHost, logObserver: (any LogObserver)? = nil) {
        self.init(
            logObserver: logObserver,
            mainLoop: host.mainLoop,
            adapter: host.adapter,
            busAddress: host.busAddress
        )
    }

    deinit {
        // The last owner may be anywhere; what is confined to the loop ends there.
        guard !mainLoop.isCurrent else { return instance.shutDown(.cancelled) }
        let instance = Confined(instance)
        mainLoop.post { instance.value.shutDown(.cancelled) }
    }

    /// Opens the bus and begins to follow bluetoothd; a second call does nothing.
    ///
    /// It never fails: what is missing is in ``bluetoothState``, is told to the observers as
    /// `bluetoothAvailable(false)`, and fails the calls with
    /// ``BluejayError/bluetoothUnavailable(_:)``. Calls made before the state is known wait for it.
    ///
    /// With ``StartMode/use(manager:peripheral:)`` the peripheral is taken over, not connected anew; calls
    /// to its characteristics may be made at once and wait for that. With a restore identifier and
    /// something to restore, calls fail with ``BluejayError/backgroundRestorationInProgress`` until
    /// the background restorer was called.
    ///
    /// - Parameter mode: What to begin with.
    public func start(mode: StartMode = .new(.default)) {
        mainLoop.make { [instance] in instance.start(mode) }
    }

    // MARK: State

    /// On the loop the present state, elsewhere what it was last.
    private var snapshot: PublicState {
        mainLoop.isCurrent ? instance.publicState : instance.state.value
    }

    /// Whether ``start(mode:)`` was called, and not ``stopAndExtractBluetoothState()`` since.
    public var hasStarted: Bool { snapshot.hasStarted }

    /// Why Bluetooth can or cannot be used, in words that say what to do.
    public var bluetoothState: BluetoothState { snapshot.bluetoothState }

    /// Whether Bluetooth can be used now.
    public var isBluetoothAvailable: Bool { bluetoothState == .poweredOn }

    /// Whether the state of Bluetooth is about to be known.
    public var isBluetoothStateUpdateImminent: Bool {
        let state = snapshot
        return state.hasStarted && [.unknown, .resetting].contains(state.bluetoothState)
    }

    /// Whether a connection attempt is under way; one that waits in the queue does not count.
    public var isConnecting: Bool { snapshot.isConnecting }

    /// Whether a peripheral is connected.
    ///
    /// It stays true during a disconnect. It is a snapshot; ``ConnectionObserver`` tells the changes.
    public var isConnected: Bool { snapshot.isConnected }

    /// The connected peripheral; nil when ``isConnected`` is false.
    public var connectedPeripheral: PeripheralIdentifier? { snapshot.connectedPeripheral }

    /// Whether a disconnect is under way; one that waits in the queue does not count.
    public var isDisconnecting: Bool { snapshot.isDisconnecting }

    /// Whether a connection that is lost will be made again.
    ///
    /// True at first and after every connection; false after a disconnect that was asked for, also one
    /// between two attempts to connect again, or what the ``DisconnectHandler`` changed it to.
    public var shouldAutoReconnect: Bool { snapshot.shouldAutoReconnect }

    /// Whether a scan runs or waits in the queue.
    public var isScanning: Bool { snapshot.isScanning }

    /// The warning options of a `connect` without its own: all off, as Linux has no such alerts.
    public var defaultWarningOptions: WarningOptions { .default }

    /// Whether a restore identifier was given to ``start(mode:)``.
    public var isBackgroundRestorationEnabled: Bool { snapshot.isRestorationEnabled }

    // MARK: Settings

    /// Whether every listener is told the error that ends the connection, or that
    /// ``cancelEverything(error:shouldDisconnect:)`` was given; off by default.
    public var broadcastErrorsToListeners: Bool {
        get { settings.broadcastsErrors.latest }
        set {
            settings.broadcastsErrors.set(newValue, on: mainLoop) { [instance] in
                instance.listens.broadcastsErrors = $0
            }
        }
    }

    /// How often and how soon a lost connection is made again.
    public var reconnectOptions: ReconnectOptions {
        get { settings.reconnectOptions.latest }
        set {
            settings.reconnectOptions.set(newValue, on: mainLoop) { [instance] in
                instance.connection.setOptions($0)
            }
        }
    }

    /// The limits of calls that are made without one of their own, from then on; none at first.
    public var defaultTimeouts: DefaultTimeouts {
        get { settings.defaultTimeouts.latest }
        set {
            settings.defaultTimeouts.set(newValue, on: mainLoop) { [instance] in
                instance.timeouts.defaults = $0
            }
        }
    }

    // MARK: Helpers

    /// Joins values in their order.
    public static func combine(sendables: [any BluetoothSendable]) -> Data {
        sendables.reduce(into: Data()) { $0.append($1.toBluetoothData()) }
    }

    // MARK: Calls from any thread

    /// Makes a call on the loop, or calls `refuse` with the reason in a later turn of the loop.
    ///
    /// A call inside a background task is refused, because the task has the peripheral.
    ///
    /// - Parameters:
    ///   - function: For the log.
    ///   - subject: What the call does to what; a malformed identifier of it is refused too.
    ///   - refuse: Called with the reason, in a later turn.
    ///   - work: Makes the call, on the loop.
    func call(
        _ function: StaticString = #function,
        for subject: ErrorSubject? = nil,
        refuse: @escaping (any Error) -> Void,
        _ work: @escaping (Instance) -> Void
    ) {
        guard !mainLoop.isElsewhere else {
            if TaskThread.isCurrent {
                let refusal = subject.named(.backgroundTaskRunning)
                return mainLoop.relay { refuse(refusal) }
            }
            return mainLoop.relay { [self] in call(function, for: subject, refuse: refuse, work) }
        }
        let target = subject?.characteristic
        let general = target.map(instance.gate.refusal) ?? instance.gate.refusal
        guard let refusal = general ?? subject?.descriptorRefusal else { return work(instance) }
        let named = subject.named(refusal)
        instance.log.queue.trace("refused", ["what": "\(function)", "error": "\(named)"])
        instance.scheduler.completeOnNextIteration { refuse(named) }
    }

    /// Whether a call of a characteristic may be made at once; `call` says of every other why not.
    func takes(_ characteristic: CharacteristicIdentifier) -> Bool {
        guard mainLoop.isCurrent, instance.gate.isReady, !characteristic.uuid.isMalformed,
            !characteristic.service.uuid.isMalformed
        else { return false }
        mainLoop.noteUse()
        return true
    }

    /// Reads something of the present state.
    ///
    /// On the loop it is read at once, and a background task waits for it. Another thread has what was
    /// published last.
    ///
    /// - Parameters:
    ///   - fallback: The answer in a task whose loop has ended.
    ///   - published: Reads it of the published state.
    ///   - read: Reads it on the loop.
    /// - Returns: What was read.
    func state<Value>(
        otherwise fallback: @autoclosure () -> Value,
        published: (PublishedPeripheral) -> Value,
        _ read: @escaping (Instance) -> Value
    ) -> Value {
        guard mainLoop.isElsewhere else { return read(instance) }
        guard TaskThread.isCurrent else { return published(instance.state.peripheral) }
        let instance = instance
        return TaskThread.call(mainLoop) { read(instance) } ?? fallback()
    }

    /// Changes something: at once on the loop; a background task waits for it, and other threads post it.
    func change(_ change: @escaping (Instance) -> Void) {
        let instance = instance
        guard mainLoop.isElsewhere, TaskThread.isCurrent else {
            return mainLoop.make { change(instance) }
        }
        TaskThread.call(mainLoop) { change(instance) }
    }
}
