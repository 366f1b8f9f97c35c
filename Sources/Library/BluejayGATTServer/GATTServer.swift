public import BluejayBlueZ
public import BluejayCore
public import FoundationEssentials

/// The peripheral side: GATT services and an advertisement of this machine, over BlueZ.
///
/// Any thread may call it. On the server's `MainLoop` a call is made at once; elsewhere it is posted to the loop,
/// in the order of the thread's calls, and properties return the state that the loop published last. All
/// callbacks come on the loop. Each completion is called exactly once, and never before its call has returned.
/// Only ``notify(_:on:)`` and ``notify(_:on:to:)`` wait for the loop when another thread calls them.
///
/// What was added stays added: when bluetoothd restarts, or the adapter is unplugged and plugged in
/// again, it is registered anew. A call that fails leaves nothing behind.
///
/// ```swift
/// let level = LocalCharacteristic(
///     uuid: BluetoothUUID(string: "2A19"), properties: [.read, .notify], value: Data([100]))
/// let battery = LocalService(uuid: BluetoothUUID(string: "180F"), characteristics: [level])
/// let server = GATTServer()
/// server.start()
/// server.add(battery) { result in print(result) }
/// server.startAdvertising(LocalAdvertisement(serviceUUIDs: [battery.uuid])) { print($0) }
/// MainLoop.main.run()
/// ```
public final class GATTServer: @unchecked Swift.Sendable {
    // The runner is confined to the main loop, and every call from elsewhere is posted to it; its snapshot and
    // its properties are safe by themselves: that is the invariant behind `@unchecked`.

    /// The completion of a call: success, or a ``BluejayError``.
    public typealias Completion = (Result<Void, any Error>) -> Void

    /// The loop that calls are made and callbacks come on.
    public let mainLoop: MainLoop

    let runner: ServerRunner

    /// Makes a server; Bluetooth is not touched before ``start()``.
    ///
    /// - Parameters:
    ///   - mainLoop: Where calls are made and callbacks come.
    ///   - adapter: A name (`hci1`) or an address; nil is the first adapter that is on.
    ///   - busAddress: The bus on which bluetoothd is; nil is the system bus, or what
    ///     `DBUS_SYSTEM_BUS_ADDRESS` says.
    public convenience init(
        mainLoop: MainLoop = .main,
        adapter: String? = nil,
        busAddress: String? = nil
    ) {
        self.init(mainLoop: mainLoop, adapter: adapter) {
            BlueZEngine.shared(on: mainLoop, busAddress: busAddress)
        }
    }

    /// Makes a server where a host is; Bluetooth is not touched before ``start()``.
    public convenience init(host: BluetoothHost) {
        self.init(mainLoop: host.mainLoop, adapter: host.adapter, busAddress: host.busAddress)
    }

    /// Makes a server over a given engine, such as one with a clock of its own.
    package init(
        mainLoop: MainLoop,
        adapter: String?,
        makeEngine: @escaping () -> BlueZEngine
    ) {
        self.mainLoop = mainLoop
        runner = ServerRunner(
            choice: adapter.map { .named($0) } ?? .any,
            makeEngine: makeEngine
        )
    }

    deinit {
        // The last reference may be let go on any thread.
        if mainLoop.isCurrent { return runner.shutDown() }
        mainLoop.post { [runner] in runner.shutDown() }
    }

    // MARK: State

    /// Opens the bus and begins to follow bluetoothd; a second call does nothing.
    ///
    /// It never fails: what is missing is told by ``onStateChange`` and fails the calls.
    public func start() {
        mainLoop.make { [runner] in runner.begin() }
    }

    /// Takes back the advertisement and all services.
    ///
    /// What is added before it is done fails as before ``start()``; a ``start()`` before that begins anew
    /// when it is done.
    ///
    /// - Parameter completion: Called when bluetoothd has answered, or has gone.
    public func stop(completion: @escaping () -> Void = {}) {
        outside({ _ in completion() }) { runner, done in runner.stop { done(.success(())) } }
    }

    /// Whether ``start()`` was called, and ``stop(completion:)`` has not completed.
    public var hasStarted: Bool { runner.shown.value.hasStarted }

    /// Why Bluetooth can or cannot be used, in words that say what to do.
    public var bluetoothState: BluetoothState { runner.shown.value.bluetoothState }

    /// Called when ``bluetoothState`` has changed; not for the state that there is when it is set.
    public var onStateChange: ((BluetoothState) -> Void)? {
        get { runner.handlers.onStateChange.latest }
        set { runner.handlers.onStateChange.set(newValue, on: mainLoop) }
    }

    // MARK: Services

    /// Publishes a service; connected centrals are told that the services changed.
    ///
    /// A call that is made before the state of Bluetooth is known waits for it.
    ///
    /// - Parameters:
    ///   - service: It belongs to this server until it is removed.
    ///   - completion: Called when centrals can discover it. Fails with
    ///     ``BluejayError/bluetoothUnavailable(_:)``, also before ``start()``,
    ///     ``BluejayError/alreadyAdded(_:)``, ``BluejayError/reservedUUID(_:)``,
    ///     ``BluejayError/invalidProperties(_:_:)``, ``BluejayError/malformedUUID(_:)``,
    ///     ``BluejayError/valueTooLong(length:limit:)``, or ``BluejayError/cancelled`` when it was removed
    ///     meanwhile.
    public func add(_ service: LocalService, completion: @escaping Completion = { _ in }) {
        outside(completion) { $0.publisher.add(service, completion: $1) }
    }

    /// Takes a service back; connected centrals are told that the services changed.
    ///
    /// - Parameters:
    ///   - service: One that was added. An `add` that still waits fails with
    ///     ``BluejayError/cancelled``.
    ///   - completion: Called when bluetoothd has let it go; it may then be added again. Fails with
    ///     ``BluejayError/notAdded(_:)``.
    public func remove(_ service: LocalService, completion: @escaping Completion = { _ in }) {
        outside(completion) { $0.publisher.remove(service, completion: $1) }
    }

    /// Called when bluetoothd refused a service that was added before, after a restart.
    public var onServiceEnded: ((LocalService, BluejayError) -> Void)? {
        get { runner.handlers.onServiceEnded.latest }
        set { runner.handlers.onServiceEnded.set(newValue, on: mainLoop) }
    }

    /// Sends a value to every subscribed central, as a notification or, where the central asked for
    /// that, as an indication.
    ///
    /// A central receives at most its MTU − 3 bytes, the rest is cut off; it can read the whole value
    /// from ``LocalCharacteristic/value``, which is set to it. An empty value is sent too.
    ///
    /// With `subscriptions: .perCentral` it goes to the ``LocalCharacteristic/subscribers``, behind what
    /// waits for them; one for whom 256 values wait misses it, which its ``Subscriber/lostValueCount``
    /// counts. An empty value may overtake those that wait.
    ///
    /// - Parameters:
    ///   - value: At most 512 bytes.
    ///   - characteristic: One with the property `notify` or `indicate`, of a service that is added.
    /// - Returns: Whether it was sent; false when nobody is subscribed.
    /// - Throws: ``BluejayError/valueTooLong(length:limit:)``,
    ///   ``BluejayError/notSubscribable(_:)`` or ``BluejayError/notAdded(_:)``, and
    ///   ``BluejayError/tooManyValues(limit:)`` when nobody could take it; on another thread
    ///   ``BluejayError/blockedMainLoop`` when the loop does not answer within 3 s, as while it waits for that
    ///   thread. Then it was not sent.
    @discardableResult
    public func notify(_ value: Data, on characteristic: LocalCharacteristic) throws -> Bool {
        try result { try $0.publisher.notify(value, on: characteristic) }
    }

    // MARK: Advertising

    /// Whether bluetoothd has an advertisement of this server; a connection may pause it.
    public var isAdvertising: Bool { runner.shown.value.isAdvertising }

    /// Whether the adapter in use follows ``LocalAdvertisement/txPower``.
    ///
    /// BlueZ before 5.77 says so only when it was started with `--experimental`.
    public var canSetTxPower: Bool {
        mainLoop.isElsewhere ? runner.shown.value.canSetTxPower : runner.adapter.canSetTxPower
    }

    /// Begins one more advertisement, beside those that there are.
    ///
    /// It goes on until it is stopped, through restarts of bluetoothd and connections of centrals, whoever
    /// holds what this returns. How many there can be is the adapter's to say: five at least, often.
    ///
    /// - Parameters:
    ///   - advertisement: What is checked with ``LocalAdvertisement/validated()`` first.
    ///   - completion: Called when bluetoothd has taken it; fails as that of
    ///     ``startAdvertising(_:completion:)``.
    /// - Returns: What changes and ends it.
    @discardableResult
    public func advertise(
        _ advertisement: LocalAdvertisement,
        completion: @escaping Completion = { _ in }
    ) -> Advertising {
        let session = runner.advertising.make(advertisement)
        outside(completion) { $0.advertising.begin(session, completion: $1) }
        return Advertising(session, of: runner.advertising, on: mainLoop)
    }

    /// Begins to advertise; one advertisement at a time.
    ///
    /// It goes on until ``stopAdvertising(completion:)``, and begins again after a restart of bluetoothd;
    /// a second one fails with ``BluejayError/alreadyAdvertising``. Those of
    /// ``advertise(_:completion:)`` do not count.
    ///
    /// - Parameters:
    ///   - advertisement: What is checked with ``LocalAdvertisement/validated()`` first.
    ///   - completion: Called when bluetoothd has taken it. Fails with what the check throws,
    ///     ``BluejayError/bluetoothUnavailable(_:)``, also before ``start()``,
    ///     ``BluejayError/tooManyAdvertisements``, or ``BluejayError/cancelled`` when it was stopped
    ///     meanwhile.
    public func startAdvertising(
        _ advertisement: LocalAdvertisement,
        completion: @escaping Completion = { _ in }
    ) {
        outside(completion) { runner, done in
            runner.advertising.startSingle(
                advertisement,
                onEnd: { [weak runner] in runner?.handlers.onAdvertisingEnded.applied?($0) },
                completion: done
            )
        }
    }

    /// Ends the advertisement of ``startAdvertising(_:completion:)``; connected centrals stay.
    ///
    /// Another one may be started at once.
    ///
    /// - Parameter completion: Called when bluetoothd has let it go; in the next turn when there is none.
    public func stopAdvertising(completion: @escaping () -> Void = {}) {
        outside({ _ in completion() }) { runner, done in
            runner.advertising.stopSingle { done(.success(())) }
        }
    }

    /// Called when the advertisement of ``startAdvertising(_:completion:)`` ended by itself.
    ///
    /// Without an error its ``LocalAdvertisement/timeout`` was over; with one, bluetoothd refused to
    /// begin it again after a restart.
    public var onAdvertisingEnded: ((BluejayError?) -> Void)? {
        get { runner.handlers.onAdvertisingEnded.latest }
        set { runner.handlers.onAdvertisingEnded.set(newValue, on: mainLoop) }
    }

    // MARK: Centrals

    /// The devices that are connected to the adapter, in the order in which they came.
    ///
    /// Peripherals that this machine connected to are among them; ``centrals`` are those that connected
    /// to it.
    public var connectedDevices: [PeripheralIdentifier] { runner.shown.value.connectedDevices }

    /// Called when a device has connected (true) or disconnected (false), whoever asked for it.
    ///
    /// One whose private address pairing has replaced disconnects under its new identifier.
    public var onConnectionChange: ((PeripheralIdentifier, Bool) -> Void)? {
        get { runner.handlers.onConnectionChange.latest }
        set { runner.handlers.onConnectionChange.set(newValue, on: mainLoop) }
    }

    /// The connected devices that are centrals of this machine, in the order in which they came.
    ///
    /// BlueZ does not say who connected to whom. A device is taken for a central when no link of this
    /// process led to it as it connected, or when it has asked for an attribute of this server since;
    /// a peripheral of ours that does so is both. Only links on the server's loop and bus are known:
    /// a peripheral that another program, or another loop, has connected to looks like a central. Of a
    /// subscription BlueZ does not say whose it is, so it makes no central by itself.
    public var centrals: [PeripheralIdentifier] { runner.shown.value.centrals }

    /// Called when ``centrals`` have changed; behind ``onConnectionChange`` when a device connects, and
    /// before it when it disconnects.
    public var onCentralChange: ((CentralChange) -> Void)? {
        get { runner.handlers.onCentralChange.latest }
        set { runner.handlers.onCentralChange.set(newValue, on: mainLoop) }
    }

    // MARK: Calls from any thread

    /// Makes a call on the loop; its completion comes in a later turn.
    func outside(
        _ completion: @escaping Completion,
        _ call: @escaping (ServerRunner, @escaping Completion) -> Void
    ) {
        mainLoop.make { [runner, mainLoop] in
            mainLoop.outside(completion) { call(runner, $0) }
        }
    }

    /// Makes a call and returns its result; another thread waits for the loop.
    func result<Value>(of call: @escaping (ServerRunner) throws -> Value) throws -> Value {
        let result = mainLoop.result { [runner] in Result { try call(runner) } }
        guard let result else { throw BluejayError.blockedMainLoop.during(.notify) }
        return try result.get()
    }
}
