public import BluejayBlueZ
internal import BluejayDBus
package import BluejayGLib
public import FoundationEssentials

/// A client for one Bluetooth Low Energy peripheral at a time, over BlueZ.
///
/// Calls join a first-in, first-out queue, which performs one operation at a time. Each completion is called
/// exactly once, never inside the call. A rejected call completes on a later iteration of the loop, in the
/// order of the calls, possibly before operations that are still running.
///
/// Any thread may use an instance. On its ``MainLoop`` a call runs at once. Other threads post their calls to
/// the loop, in order, and read the state that the loop last published. All callbacks run on the loop. A
/// callback may run a nested main loop, as a modal dialog does; operations continue in it.
///
/// The class is not an actor, so plain classes can use it. Instances that share a main loop share one
/// connection to the bus and the link to a peripheral, which closes when the last of them leaves. BlueZ sees
/// instances on different loops as different programs: disconnecting one also drops the other's connection,
/// which then reconnects unless ``shouldAutoReconnect`` is false. Put instances that use the same peripheral
/// on one loop.
///
/// An instance that is released fails its pending operations with ``BluejayError/cancelled`` and disconnects.
///
/// The API follows the iOS library of the same name, so that code written for it ports.
public final class Bluejay: @unchecked Swift.Sendable {
    // All state below is confined to the main loop, and calls from other threads are posted to it. This is
    // the invariant behind `@unchecked`.

    /// The loop that runs all calls and callbacks.
    public let mainLoop: MainLoop

    /// A random identifier that distinguishes this instance in the log.
    public let uuid = UUID()

    let instance: Instance

    let settings = Settings()

    package let connectionScopes = LockedValue(ConnectionScopes())

    /// Creates an instance, without using Bluetooth before `start(mode:)`.
    ///
    /// - Parameters:
    ///   - logObserver: Receives every log line from the first one on; held weakly.
    ///   - mainLoop: The loop that runs all calls and callbacks.
    ///   - adapter: A name (`hci1`) or an address. If `nil`, the first adapter that is on.
    ///   - busAddress: The address of bluetoothd's bus. If `nil`, the system bus, or the bus in
    ///     `DBUS_SYSTEM_BUS_ADDRESS`.
    ///   - isolation: The isolation of `logObserver`, by default that of the caller.
    public init(
        logObserver: (any LogObserver)? = nil,
        mainLoop: MainLoop = .main,
        adapter: String? = nil,
        busAddress: String? = nil,
        isolation: (any Actor)? = #isolation
    ) {
        self.mainLoop = mainLoop
        let observers = LogObservers(mainLoop.context)
        if let logObserver {
            observers.list.register(logObserver, ObserverIsolation(isolation)) {
                [weak logObserver] in logObserver
            }
        }
        instance = Instance(
            context: mainLoop.context,
            bus: BusAddress(busAddress, of: mainLoop.context),
            choice: adapter.map { .named($0) } ?? .any,
            log: InstanceLog(observers, instance: uuid)
        )
        // Observers are called on the loop, whichever thread runs this initializer.
        let log = UncheckedTransfer(instance.log.queue)
        let details = UncheckedTransfer<LogDetails>(["uuid": "\(uuid)", "adapter": adapter ?? ""])
        if logObserver == nil || mainLoop.isCurrent {
            log.value.debug("created", details.value)
        } else {
            mainLoop.post { log.value.debug("created", details.value) }
        }
    }

    /// Creates an instance for a host, without using Bluetooth before `start(mode:)`.
    ///
    /// - Parameters:
    ///   - host: The loop, the adapter and the bus.
    ///   - logObserver: Receives every log line from the first one on; held weakly.
    ///   - isolation: The isolation of `logObserver`, by default that of the caller.
    public convenience init(
        host: BluetoothHost,
        logObserver: (any LogObserver)? = nil,
        isolation: (any Actor)? = #isolation
    ) {
        self.init(
            logObserver: logObserver,
            mainLoop: host.mainLoop,
            adapter: host.adapter,
            busAddress: host.busAddress,
            isolation: isolation
        )
    }

    deinit {
        // The last owner may be on any thread; state that is confined to the loop ends on the loop.
        guard !mainLoop.isCurrent else { return instance.shutDown(.cancelled) }
        let instance = UncheckedTransfer(instance)
        mainLoop.post { instance.value.shutDown(.cancelled) }
    }

    /// Opens the bus and starts to follow bluetoothd; a second call does nothing.
    ///
    /// The method never fails. If Bluetooth cannot be used, ``bluetoothState`` has the reason, observers
    /// receive `bluetoothAvailable(false)`, and calls fail with ``BluejayError/bluetoothUnavailable(_:)``.
    /// Calls made before the state is known wait for it.
    ///
    /// ``StartMode/use(manager:peripheral:)`` takes over a connection; calls to its characteristics wait for
    /// the takeover. If there is a state to restore, calls fail with
    /// ``BluejayError/backgroundRestorationInProgress`` until the background restorer was called.
    ///
    /// - Parameter mode: Whether to start afresh, restore an earlier run, or take over a connection.
    public func start(mode: StartMode = .new(.default)) {
        mainLoop.callOrPost { [instance] in instance.start(mode) }
    }

    // MARK: State

    /// The current state on the loop; the last published state on other threads.
    private var snapshot: PublicState {
        mainLoop.isCurrent ? instance.publicState : instance.state.value
    }

    /// Whether `start(mode:)` was called, without a later `stopAndExtractBluetoothState()`.
    public var hasStarted: Bool { snapshot.hasStarted }

    /// The state of Bluetooth, with a description that explains the remedy.
    public var bluetoothState: BluetoothState { snapshot.bluetoothState }

    /// Whether Bluetooth can be used now.
    public var isBluetoothAvailable: Bool { bluetoothState == .poweredOn }

    /// Whether the state of Bluetooth will be known soon.
    public var isBluetoothStateUpdateImminent: Bool {
        let state = snapshot
        return state.hasStarted && [.unknown, .resetting].contains(state.bluetoothState)
    }

    /// Whether a connection attempt is running, not just queued.
    public var isConnecting: Bool { snapshot.isConnecting }

    /// Whether a peripheral is connected.
    ///
    /// True even during a disconnect. The value is a snapshot; ``ConnectionObserver`` reports changes.
    public var isConnected: Bool { snapshot.isConnected }

    /// The connected peripheral, or `nil` if ``isConnected`` is false.
    public var connectedPeripheral: PeripheralIdentifier? { snapshot.connectedPeripheral }

    /// Whether a disconnect is running, not just queued.
    public var isDisconnecting: Bool { snapshot.isDisconnecting }

    /// Whether a lost connection will be reestablished.
    ///
    /// True initially and after every connection; false after a requested disconnect, even between two
    /// reconnection attempts. A ``DisconnectHandler`` can change it.
    public var shouldAutoReconnect: Bool { snapshot.shouldAutoReconnect }

    /// Whether a scan runs or waits in the queue.
    public var isScanning: Bool { snapshot.isScanning }

    /// The default warning options of `connect`: all off, because Linux has no such alerts.
    public var defaultWarningOptions: WarningOptions { .default }

    /// Whether `start(mode:)` received a restore identifier.
    public var isBackgroundRestorationEnabled: Bool { snapshot.isRestorationEnabled }

    // MARK: Settings

    /// Whether listeners receive the error that ends the connection, or the error passed to
    /// `cancelEverything(error:shouldDisconnect:)`; false by default.
    public var broadcastErrorsToListeners: Bool {
        get { settings.broadcastsErrors.latest }
        set {
            settings.broadcastsErrors.set(newValue, on: mainLoop) { [instance] in
                instance.listens.broadcastsErrors = $0
            }
        }
    }

    /// The number and timing of reconnection attempts.
    public var reconnectOptions: ReconnectOptions {
        get { settings.reconnectOptions.latest }
        set {
            settings.reconnectOptions.set(newValue, on: mainLoop) { [instance] in
                instance.connection.setOptions($0)
            }
        }
    }

    /// The time limits of later calls with ``Timeout/standard``; unlimited by default.
    public var defaultTimeouts: DefaultTimeouts {
        get { settings.defaultTimeouts.latest }
        set {
            settings.defaultTimeouts.set(newValue, on: mainLoop) { [instance] in
                instance.timeouts.defaults = $0
            }
        }
    }

    // MARK: Helpers

    /// Concatenates values in order.
    public static func combine(sendables: [any BluetoothSendable]) -> Data {
        sendables.reduce(into: Data()) { $0.append($1.toBluetoothData()) }
    }

    // MARK: Calls from any thread

    /// Runs a call on the loop, or passes the reason to `onRejection` on a later iteration.
    ///
    /// Calls inside a background task are rejected, because the task owns the peripheral; so are malformed
    /// identifiers.
    func call(
        _ function: StaticString = #function,
        for subject: ErrorSubject? = nil,
        onRejection: @escaping (any Error) -> Void,
        _ work: @escaping (Instance) -> Void
    ) {
        guard
            let obstacle = obstacle(to: subject?.characteristic)
                ?? subject?.descriptorRejection.map({ .rejection($0) })
        else { return work(instance) }
        handle(obstacle, function, for: subject, onRejection: onRejection, work)
    }

    /// Returns the reason why a call cannot run at once, or `nil`.
    func obstacle(to characteristic: CharacteristicIdentifier?) -> CallObstacle? {
        if mainLoop.isElsewhere { return .otherThread }
        let gate = instance.gate
        if gate.isReady, characteristic?.isMalformed != true { return nil }
        return (characteristic.map(gate.rejection) ?? gate.rejection).map { .rejection($0) }
    }

    /// Repeats a call on the loop, or rejects it on a later iteration.
    func handle(
        _ obstacle: CallObstacle,
        _ function: StaticString = #function,
        for subject: ErrorSubject?,
        onRejection: @escaping (any Error) -> Void,
        _ work: @escaping (Instance) -> Void
    ) {
        switch obstacle {
        case .otherThread where TaskThread.isCurrent:
            let annotated = subject.annotate(.backgroundTaskRunning)
            mainLoop.relay { onRejection(annotated) }
        case .otherThread:
            mainLoop.relay { [self] in
                call(function, for: subject, onRejection: onRejection, work)
            }
        case .rejection(let error):
            let annotated = subject.annotate(error)
            instance.log.queue.trace(
                "call rejected",
                ["what": "\(function)", "error": "\(annotated)"]
            )
            instance.scheduler.completeOnNextIteration { onRejection(annotated) }
        }
    }

    /// Reads part of the current state.
    ///
    /// On the loop the state is read at once; a background task waits for the loop, and has `fallback` if the
    /// loop has ended. Other threads read the last published state.
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

    /// Changes state: at once on the loop; background tasks wait for the change, other threads post it.
    func change(_ change: @escaping (Instance) -> Void) {
        let instance = instance
        guard mainLoop.isElsewhere, TaskThread.isCurrent else {
            return mainLoop.callOrPost { change(instance) }
        }
        TaskThread.call(mainLoop) { change(instance) }
    }
}
