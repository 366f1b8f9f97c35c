public import BluejayBlueZ
public import BluejayCore
public import FoundationEssentials

/// The peripheral side: GATT services and an advertisement of this machine, over BlueZ.
///
/// All calls are made on the server's `MainLoop` and all callbacks come on it; a call from another
/// thread ends the program with a message that names the way out. The state may be read from any
/// thread: ``hasStarted``, ``bluetoothState``, ``isAdvertising``, ``connectedDevices``, ``centrals``,
/// ``addressing`` and ``refusedRequestCount``. Each completion is called exactly once, and never before
/// its call has returned. Nothing blocks.
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
    // The runner is confined to the main loop, and every entry checks it, but for its snapshot, which is
    // safe by itself: that is the invariant behind `@unchecked`.

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
        checkLoop()
        runner.begin()
    }

    /// Takes back the advertisement and all services.
    ///
    /// What is added before it is done fails as before ``start()``; a ``start()`` before that begins anew
    /// when it is done.
    ///
    /// - Parameter completion: Called when bluetoothd has answered, or has gone.
    public func stop(completion: @escaping () -> Void = {}) {
        checkLoop()
        mainLoop.outside({ _ in completion() }) { done in runner.stop { done(.success(())) } }
    }

    /// Whether ``start()`` was called, and ``stop(completion:)`` has not completed.
    public var hasStarted: Bool { runner.shown.value.hasStarted }

    /// Why Bluetooth can or cannot be used, in words that say what to do.
    public var bluetoothState: BluetoothState { runner.shown.value.bluetoothState }

    /// Called when ``bluetoothState`` has changed; not for the state that there is when it is set.
    public var onStateChange: ((BluetoothState) -> Void)? {
        get { checked().onStateChange }
        set { checked().onStateChange = newValue }
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
        checkLoop()
        mainLoop.outside(completion) { runner.add(service, completion: $0) }
    }

    /// Takes a service back; connected centrals are told that the services changed.
    ///
    /// - Parameters:
    ///   - service: One that was added. An `add` that still waits fails with
    ///     ``BluejayError/cancelled``.
    ///   - completion: Called when bluetoothd has let it go; it may then be added again. Fails with
    ///     ``BluejayError/notAdded(_:)``.
    public func remove(_ service: LocalService, completion: @escaping Completion = { _ in }) {
        checkLoop()
        mainLoop.outside(completion) { runner.remove(service, completion: $0) }
    }

    /// Called when bluetoothd refused a service that was added before, after a restart.
    public var onServiceEnded: ((LocalService, BluejayError) -> Void)? {
        get { checked().onServiceEnded }
        set { checked().onServiceEnded = newValue }
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
    ///   ``BluejayError/tooManyValues(limit:)`` when nobody could take it.
    @discardableResult
    public func notify(_ value: Data, on characteristic: LocalCharacteristic) throws -> Bool {
        checkLoop()
        return try runner.notify(value, on: characteristic)
    }

    // MARK: Advertising

    /// Whether bluetoothd has an advertisement of this server; a connection may pause it.
    public var isAdvertising: Bool { runner.shown.value.isAdvertising }

    /// Whether the adapter in use follows ``LocalAdvertisement/txPower``.
    ///
    /// BlueZ before 5.77 says so only when it was started with `--experimental`.
    public var canSetTxPower: Bool { checked().advertisingFacts?.canSetTxPower ?? false }

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
        checkLoop()
        let session = runner.advertising.make(advertisement)
        mainLoop.outside(completion) {
            runner.advertising.begin(session, completion: $0)
        }
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
        checkLoop()
        mainLoop.outside(completion) {
            runner.advertising.startSingle(
                advertisement,
                onEnd: { [weak runner] in runner?.onAdvertisingEnded?($0) },
                completion: $0
            )
        }
    }

    /// Ends the advertisement of ``startAdvertising(_:completion:)``; connected centrals stay.
    ///
    /// Another one may be started at once.
    ///
    /// - Parameter completion: Called when bluetoothd has let it go; in the next turn when there is none.
    public func stopAdvertising(completion: @escaping () -> Void = {}) {
        checkLoop()
        mainLoop.outside({ _ in completion() }) { done in
            runner.advertising.stopSingle { done(.success(())) }
        }
    }

    /// Called when the advertisement of ``startAdvertising(_:completion:)`` ended by itself.
    ///
    /// Without an error its ``LocalAdvertisement/timeout`` was over; with one, bluetoothd refused to
    /// begin it again after a restart.
    public var onAdvertisingEnded: ((BluejayError?) -> Void)? {
        get { checked().onAdvertisingEnded }
        set { checked().onAdvertisingEnded = newValue }
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
        get { checked().onConnectionChange }
        set { checked().onConnectionChange = newValue }
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
        get { checked().onCentralChange }
        set { checked().onCentralChange = newValue }
    }

    private func checked(_ function: StaticString = #function) -> ServerRunner {
        mainLoop.requireCurrent("GATTServer", function)
        return runner
    }

    func checkLoop(_ function: StaticString = #function) {
        mainLoop.requireCurrent("GATTServer", function)
    }

    func outside(_ completion: @escaping Completion, _ call: (@escaping Completion) -> Void) {
        mainLoop.outside(completion, call)
    }
}
