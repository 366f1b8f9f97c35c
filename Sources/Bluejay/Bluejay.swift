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
/// All calls are made on the instance's ``MainLoop`` and all callbacks come on it; a call from another
/// thread ends the program with a message that names the way out, ``MainLoop/post(_:)``. The state, such as
/// ``isConnected`` and ``bluetoothState``, may be read on any thread; what is asked of the connected
/// peripheral, such as ``services``, may not. A callback may run a main loop of its own, as a dialogue does:
/// everything goes on in it.
///
/// Plain classes can use it: it is no actor. Instances that share a main loop share one connection to
/// the bus, and the link to one peripheral: it is cut when the last of them leaves. To BlueZ instances
/// of different loops are different programs, and `disconnect` of one cuts the link of the other, which
/// makes it again unless told otherwise: let those that use one peripheral share a loop. An instance
/// that is released fails what is pending with ``BluejayError/cancelled`` and disconnects.
///
/// The model is the iOS library of the same name; code written for it ports.
public final class Bluejay: @unchecked Swift.Sendable {
    // Everything below is confined to the main loop, and every entry checks it: that is the invariant
    // behind `@unchecked`.

    /// The loop that calls are made and callbacks come on.
    public let mainLoop: MainLoop

    /// Random for each instance; it is in the log, to tell instances apart.
    public let uuid = UUID()

    let runner: OperationRunner

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
        runner = OperationRunner(
            context: mainLoop.context,
            bus: BusAddress(busAddress, of: mainLoop.context),
            choice: adapter.map { .named($0) } ?? .any,
            log: InstanceLog(observers, instance: uuid)
        )
        // Observers hear on the loop, wherever this is called.
        let log = Confined(runner.log.queue)
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
        guard !mainLoop.isCurrent else { return runner.shutDown(.cancelled) }
        let runner = Confined(runner)
        mainLoop.post { runner.value.shutDown(.cancelled) }
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
        checkLoop()
        guard !runner.hasStarted else {
            return runner.log.queue.debug("start: it has started already")
        }
        switch mode {
        case .new(let options):
            if case .enable(let config) = options.backgroundRestore {
                runner.restoration = Restoration(config, log: runner.log.restoration)
            }
            runner.begin()
        case .use(let manager, let peripheral): runner.begin(with: manager, peripheral)
        }
    }

    // MARK: State, which any thread may read

    /// On the loop the present state, elsewhere what it was last.
    private var snapshot: PublicState {
        mainLoop.isCurrent ? runner.publicState : runner.published.value
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

    // MARK: Settings, which any thread may read, and the loop set

    /// Whether every listener is told the error that ends the connection, or that
    /// ``cancelEverything(error:shouldDisconnect:)`` was given; off by default.
    public var broadcastErrorsToListeners: Bool {
        get { snapshot.broadcastsErrors }
        set {
            state { runner in
                runner.broadcastsErrors = newValue
                runner.publish()
            }
        }
    }

    /// How often and how soon a lost connection is made again; set on the loop, or inside a background task.
    public var reconnectOptions: ReconnectOptions {
        get { snapshot.reconnectOptions }
        set {
            state { runner in
                runner.reconnecting.options = newValue
                runner.publish()
            }
        }
    }

    /// The limits of calls that are made without one of their own, from then on; none at first.
    public var defaultTimeouts: DefaultTimeouts {
        get { snapshot.defaultTimeouts }
        set {
            state { runner in
                runner.defaultTimeouts = newValue
                runner.publish()
            }
        }
    }

    // MARK: Helpers

    /// Joins values in their order.
    public static func combine(sendables: [any BluetoothSendable]) -> Data {
        sendables.reduce(into: Data()) { $0.append($1.toBluetoothData()) }
    }

    // MARK: Who may call

    func checkLoop(_ function: StaticString = #function) {
        mainLoop.requireCurrent("Bluejay", function)
    }

    /// Whether a call may go on; otherwise `refuse` is called with the reason, in a later turn of the main
    /// loop.
    ///
    /// A call inside a background task is refused, any other call on a foreign thread traps.
    ///
    /// - Parameters:
    ///   - function: For the message of a trap.
    ///   - subject: What the call does to what; a malformed identifier of it is refused too.
    ///   - refuse: Called with the reason, in a later turn.
    /// - Returns: Whether it was not refused.
    func admits(
        _ function: StaticString = #function,
        for subject: ErrorSubject? = nil,
        refuse: @escaping (any Error) -> Void
    ) -> Bool {
        if !mainLoop.isCurrent, TaskThread.isCurrent {
            let refuse = Confined(refuse)
            let refusal = subject.named(.backgroundTaskRunning)
            mainLoop.post { refuse.value(refusal) }
            return false
        }
        checkLoop(function)
        let target = subject?.characteristic
        let general = target.map(runner.refusal) ?? runner.refusal
        guard let refusal = general ?? subject?.descriptorRefusal else { return true }
        let named = subject.named(refusal)
        runner.log.queue.trace("refused", ["what": "\(function)", "error": "\(named)"])
        runner.answer { refuse(named) }
        return false
    }

    /// Whether a call of a characteristic may go on; `admits` says of every other why not.
    func takes(_ characteristic: CharacteristicIdentifier) -> Bool {
        guard mainLoop.isCurrent, runner.isReady, !characteristic.uuid.isMalformed,
            !characteristic.service.uuid.isMalformed
        else { return false }
        mainLoop.noteUse()
        return true
    }

    /// Reads or sets something at once; a background task may do so too, and waits for it.
    ///
    /// - Parameters:
    ///   - function: For the message of a trap.
    ///   - fallback: The answer in a task whose loop has ended.
    ///   - read: Done on the loop.
    /// - Returns: What `read` returns.
    func state<Value>(
        _ function: StaticString = #function,
        otherwise fallback: @autoclosure () -> Value,
        _ read: @escaping (OperationRunner) -> Value
    ) -> Value {
        if !mainLoop.isCurrent, TaskThread.isCurrent {
            let runner = runner
            return TaskThread.call(mainLoop) { read(runner) } ?? fallback()
        }
        checkLoop(function)
        return read(runner)
    }

    /// Sets something at once.
    func state(_ function: StaticString = #function, _ set: @escaping (OperationRunner) -> Void) {
        state(function, otherwise: (), set)
    }
}
