internal import BluejayBlueZ
internal import BluejayDBus
public import Foundation

/// Talks to one Bluetooth Low Energy peripheral at a time, over BlueZ.
///
/// Every call joins one queue: first in, first out, strictly one at a time, and each completion is called
/// exactly once. All calls are made on the instance's ``MainLoop`` and all callbacks come on it; a call
/// from another thread ends the program with a message that names the way out, ``MainLoop/post(_:)``.
///
/// Plain classes can use it: it is no actor. Instances that share a main loop share one connection to
/// the bus, and each may be connected to a peripheral of its own. An instance that is released fails
/// what is pending with ``BluejayError/cancelled`` and disconnects.
///
/// The model is the iOS library of the same name; code written for it ports.
public final class Bluejay: @unchecked Swift.Sendable {
    // Everything below is confined to the main loop, and every entry checks it: that is the invariant
    // behind `@unchecked`.

    /// The names of this module inside the class too, where the class hides the module.
    public typealias Sendable = _BluejaySendable

    /// The loop that calls are made and callbacks come on.
    public let mainLoop: MainLoop

    let runner: OperationRunner
    private let logObservers: LogObservers

    /// Makes an instance; Bluetooth is not touched before ``start()``.
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
        logObservers = observers
        runner = OperationRunner(
            context: mainLoop.context,
            bus: busAddress.map { .address($0) } ?? .system,
            choice: adapter.map { .named($0) } ?? .any
        )
        runner.log = { observers.log($0) }
        runner.log("Bluejay \(ObjectIdentifier(self).hashValue & 0xFFFF) made")
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
    public func start() {
        checkLoop()
        guard !runner.hasStarted else { return runner.log("start: it has started already") }
        runner.begin()
    }

    // MARK: State

    /// Whether ``start()`` was called.
    public var hasStarted: Bool { runner.hasStarted }

    /// Why Bluetooth can or cannot be used, in words that say what to do.
    public var bluetoothState: BluetoothState { runner.bluetoothState }

    /// Whether Bluetooth can be used now.
    public var isBluetoothAvailable: Bool { runner.bluetoothState == .poweredOn }

    /// Whether the state of Bluetooth is about to be known.
    public var isBluetoothStateUpdateImminent: Bool {
        hasStarted && [.unknown, .resetting].contains(runner.bluetoothState)
    }

    /// Whether a connection attempt is under way; one that waits in the queue does not count.
    public var isConnecting: Bool { runner.queue.isConnecting }

    /// Whether a peripheral is connected.
    ///
    /// It stays true during a disconnect. It is a snapshot; ``ConnectionObserver`` tells the changes.
    public var isConnected: Bool { runner.queue.isConnected }

    /// Whether a disconnect is under way; one that waits in the queue does not count.
    public var isDisconnecting: Bool { runner.queue.isDisconnecting }

    /// Whether a scan runs or waits in the queue.
    public var isScanning: Bool { runner.queue.scan != nil }

    // MARK: Observers

    /// Adds an observer, or moves it to the end; held weakly.
    ///
    /// It hears at once whether Bluetooth is available, and of a present connection.
    public func register(connectionObserver: any ConnectionObserver) {
        checkLoop()
        runner.connectionObservers.register(connectionObserver)
        guard hasStarted else { return }
        connectionObserver.bluetoothAvailable(isBluetoothAvailable)
        if isConnected, !isDisconnecting, let peripheral = runner.peripheral {
            connectionObserver.connected(to: peripheral)
        }
    }

    /// Removes an observer; needed only before it is released.
    public func unregister(connectionObserver: any ConnectionObserver) {
        checkLoop()
        runner.connectionObservers.unregister(connectionObserver)
    }

    /// Adds an observer of the connected peripheral's services, or moves it to the end; held weakly.
    public func register(serviceObserver: any ServiceObserver) {
        checkLoop()
        runner.serviceObservers.register(serviceObserver)
    }

    /// Removes an observer of services.
    public func unregister(serviceObserver: any ServiceObserver) {
        checkLoop()
        runner.serviceObservers.unregister(serviceObserver)
    }

    /// Adds a log observer, or moves it to the end; held weakly.
    ///
    /// Without one nothing is logged.
    public func register(logObserver: any LogObserver) {
        checkLoop()
        logObservers.list.register(logObserver)
    }

    /// Removes a log observer.
    public func unregister(logObserver: any LogObserver) {
        checkLoop()
        logObservers.list.unregister(logObserver)
    }

    // MARK: Helpers

    /// Joins values in their order.
    public static func combine(sendables: [any BluetoothSendable]) -> Data {
        sendables.reduce(into: Data()) { $0.append($1.toBluetoothData()) }
    }

    func checkLoop(_ function: StaticString = #function) {
        precondition(
            mainLoop.isCurrent,
            "Bluejay.\(function) is called off its main loop; call it inside MainLoop.post"
        )
    }
}

/// Carries a value to the context that it is confined to.
// Nobody touches the value between here and there: that is the invariant behind `@unchecked`.
private struct Confined<Value>: @unchecked Swift.Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

private final class LogObservers {
    var list = WeakObservers<any LogObserver>()

    func log(_ text: String) {
        for observer in list.snapshot() { observer.debug(text) }
    }
}
