public import BluejayBlueZ
public import BluejayCore
public import FoundationEssentials

/// A GATT server: publishes services and advertisements of this machine through BlueZ.
///
/// Any thread may call it. On the server's `MainLoop` a call is made at once; other threads post it to the
/// loop, in the order of their calls, and properties return the last state that the loop published. Callbacks
/// run on the loop. Each completion is called exactly once, after its call has returned. On other threads,
/// only ``notify(_:on:)`` and ``notify(_:on:to:)`` wait for the loop.
///
/// Services and advertisements persist: they are registered again when bluetoothd restarts or the adapter is
/// replugged. A failed call has no lasting effect.
///
/// ```swift
/// let level = LocalCharacteristic(
///     uuid: "2A19",
///     properties: [.read, .notify],
///     value: Data([100])
/// )
/// let battery = LocalService(uuid: "180F", characteristics: [level])
/// let server = GATTServer()
/// server.start()
/// server.add(battery) { result in print(result) }
/// server.startAdvertising(LocalAdvertisement(serviceUUIDs: [battery.uuid])) { print($0) }
/// MainLoop.main.run()
/// ```
public final class GATTServer: @unchecked Swift.Sendable {
    // Calls from other threads are posted to the main loop, which the instance is confined to; its snapshot and
    // its properties are thread-safe. That is the invariant behind `@unchecked`.

    /// The completion of a call: success, or a ``BluejayError``.
    public typealias Completion = (Result<Void, any Error>) -> Void

    /// The loop that runs calls and callbacks.
    public let mainLoop: MainLoop

    let instance: ServerInstance

    /// Creates a server; Bluetooth is not used before ``start()``.
    ///
    /// - Parameters:
    ///   - mainLoop: The loop that runs calls and callbacks.
    ///   - adapter: A name (`hci1`) or an address; nil is the first adapter that is on.
    ///   - busAddress: The address of bluetoothd's bus; nil is `DBUS_SYSTEM_BUS_ADDRESS`, or else the system
    ///     bus.
    public convenience init(
        mainLoop: MainLoop = .main,
        adapter: String? = nil,
        busAddress: String? = nil
    ) {
        self.init(mainLoop: mainLoop, adapter: adapter) {
            BlueZEngine.shared(on: mainLoop, busAddress: busAddress)
        }
    }

    /// Creates a server on a host; Bluetooth is not used before ``start()``.
    public convenience init(host: BluetoothHost) {
        self.init(mainLoop: host.mainLoop, adapter: host.adapter, busAddress: host.busAddress)
    }

    /// Creates a server with a given engine, for example one with a separate clock.
    package init(
        mainLoop: MainLoop,
        adapter: String?,
        makeEngine: @escaping () -> BlueZEngine
    ) {
        self.mainLoop = mainLoop
        instance = ServerInstance(
            on: mainLoop.context,
            choice: adapter.map { .named($0) } ?? .any,
            makeEngine: makeEngine
        )
    }

    deinit {
        // Any thread may release the last reference.
        if mainLoop.isCurrent { return instance.shutDown() }
        mainLoop.post { [instance] in instance.shutDown() }
    }

    // MARK: State

    /// Opens the bus and begins to follow bluetoothd; a second call does nothing.
    ///
    /// It never fails: ``onStateChange`` reports problems, which make later calls fail. The server stops with its
    /// loop, as by ``stop(completion:)``. If the loop runs again, the server can be started again.
    public func start() {
        mainLoop.callOrPost { [instance] in instance.start() }
    }

    /// Removes all advertisements and services.
    ///
    /// Until the stop completes, adding services or advertisements fails as before ``start()``, and a
    /// ``start()`` takes effect afterwards.
    ///
    /// - Parameter completion: Called when bluetoothd has replied, or is gone.
    public func stop(completion: @escaping @isolated(any) () -> Void) {
        let completion = mainLoop.context.callback(completion)
        perform({ _ in completion() }) { instance, completion in
            instance.stop { completion(.success(())) }
        }
    }

    /// Whether ``start()`` was called, and ``stop(completion:)`` has not completed.
    public var hasStarted: Bool { instance.publicState.value.hasStarted }

    /// The state of Bluetooth, with a description that includes the remedy.
    public var bluetoothState: BluetoothState { instance.publicState.value.bluetoothState }

    /// Called when ``bluetoothState`` has changed; not called for the current state when it is set.
    public var onStateChange: (@isolated(any) (BluetoothState) -> Void)? {
        get { instance.handlers.onStateChange.latest }
        set {
            instance.handlers.onStateChange.set(
                newValue.map { mainLoop.context.callback($0) },
                on: mainLoop
            )
        }
    }

    // MARK: Services

    /// Publishes a service and notifies connected centrals that the services changed.
    ///
    /// A call made before the state of Bluetooth is known waits for it.
    ///
    /// - Parameters:
    ///   - service: The service, which belongs to this server until it is removed.
    ///   - completion: Called when centrals can discover the service. Fails with
    ///     ``BluejayError/bluetoothUnavailable(_:)``, also before ``start()``,
    ///     ``BluejayError/alreadyAdded(_:)``, ``BluejayError/reservedUUID(_:)``,
    ///     ``BluejayError/invalidProperties(_:_:)``, ``BluejayError/malformedUUID(_:)``,
    ///     ``BluejayError/valueTooLong(length:limit:)``, or ``BluejayError/cancelled`` if the service was
    ///     removed meanwhile.
    public func add(
        _ service: LocalService,
        completion: @escaping @isolated(any) (Result<Void, any Error>) -> Void
    ) {
        perform(completion) { $0.publisher.add(service, completion: $1) }
    }

    /// Removes a service and notifies connected centrals that the services changed.
    ///
    /// - Parameters:
    ///   - service: An added service. A pending `add` fails with ``BluejayError/cancelled``.
    ///   - completion: Called when bluetoothd has removed the service, which may then be added again. Fails
    ///     with ``BluejayError/notAdded(_:)``.
    public func remove(
        _ service: LocalService,
        completion: @escaping @isolated(any) (Result<Void, any Error>) -> Void
    ) {
        perform(completion) { $0.publisher.remove(service, completion: $1) }
    }

    /// Called when bluetoothd refuses an added service after a restart.
    public var onServiceEnded: (@isolated(any) (LocalService, BluejayError) -> Void)? {
        get { instance.handlers.onServiceEnded.latest }
        set {
            instance.handlers.onServiceEnded.set(
                newValue.map { mainLoop.context.callback($0) },
                on: mainLoop
            )
        }
    }

    /// Sends a value to every subscribed central, as a notification or, if the central requested it, as an
    /// indication.
    ///
    /// A central receives at most its MTU − 3 bytes. It can read the whole value from
    /// ``LocalCharacteristic/value``, which this call sets. An empty value is sent too.
    ///
    /// With `subscriptions: .perCentral` the result is false if the MTU of a subscriber cuts the value. The
    /// other subscribers receive all of it; compare ``Subscriber/maximumValueLength``.
    ///
    /// With `subscriptions: .perCentral` the value follows those already queued for the
    /// ``LocalCharacteristic/subscribers``. A subscriber with 256 queued values misses it, and its
    /// ``Subscriber/droppedValueCount`` increases. An empty value may overtake queued ones.
    ///
    /// - Parameters:
    ///   - value: At most 512 bytes.
    ///   - characteristic: A characteristic with the property `notify` or `indicate` of an added service.
    /// - Returns: Whether the whole value was sent; false without a subscriber, or if an MTU that BlueZ has
    ///   reported is too short.
    /// - Throws: ``BluejayError/valueTooLong(length:limit:)``, ``BluejayError/notSubscribable(_:)`` or
    ///   ``BluejayError/notAdded(_:)``, and ``BluejayError/tooManyValues(limit:)`` if no subscriber could
    ///   accept the value; on another thread ``BluejayError/blockedMainLoop`` if the loop does not respond
    ///   within 3 s, for example while it waits for that thread. After an error the value was not sent.
    @discardableResult
    public func notify(_ value: Data, on characteristic: LocalCharacteristic) throws -> Bool {
        try result {
            let isSent = try $0.publisher.notify(value, on: characteristic)
            return isSent && characteristic.requestHandler?.subscribers?.fits(value) != false
        }
    }

    // MARK: Advertising

    /// Whether an advertisement of this server is registered; a connection may pause it.
    public var isAdvertising: Bool { instance.publicState.value.isAdvertising }

    /// Whether the adapter in use applies ``LocalAdvertisement/txPower``.
    ///
    /// BlueZ before 5.77 reports this only when started with `--experimental`.
    public var canSetTxPower: Bool {
        mainLoop.isElsewhere
            ? instance.publicState.value.canSetTxPower : instance.adapter.canSetTxPower
    }

    /// Starts an additional advertisement.
    ///
    /// It continues until it is stopped, across restarts of bluetoothd and connections of centrals, even if
    /// the returned object is released. Adapters often support at least five advertisements.
    ///
    /// - Parameters:
    ///   - advertisement: The content, checked with ``LocalAdvertisement/validated()`` first.
    ///   - completion: Called when bluetoothd has accepted it; fails like
    ///     ``startAdvertising(_:completion:)``.
    /// - Returns: An object that updates and stops the advertisement.
    @discardableResult
    public func advertise(
        _ advertisement: LocalAdvertisement,
        completion: @escaping @isolated(any) (Result<Void, any Error>) -> Void
    ) -> ActiveAdvertisement {
        let session = instance.advertising.make(advertisement)
        perform(completion) { $0.advertising.start(session, completion: $1) }
        return ActiveAdvertisement(session, of: instance.advertising, on: mainLoop)
    }

    /// Starts advertising, with one advertisement at a time.
    ///
    /// It continues until ``stopAdvertising(completion:)``, across restarts of bluetoothd. A second call
    /// fails with ``BluejayError/alreadyAdvertising``; advertisements of ``advertise(_:completion:)`` do not
    /// count.
    ///
    /// - Parameters:
    ///   - advertisement: The content, checked with ``LocalAdvertisement/validated()`` first.
    ///   - completion: Called when bluetoothd has accepted it. Fails with the errors of the check,
    ///     ``BluejayError/bluetoothUnavailable(_:)``, also before ``start()``,
    ///     ``BluejayError/tooManyAdvertisements``, or ``BluejayError/cancelled`` if it was stopped meanwhile.
    public func startAdvertising(
        _ advertisement: LocalAdvertisement,
        completion: @escaping @isolated(any) (Result<Void, any Error>) -> Void
    ) {
        perform(completion) { instance, completion in
            instance.advertising.startSingle(
                advertisement,
                onEnd: { [weak instance] in instance?.handlers.onAdvertisingEnded.applied?($0) },
                completion: completion
            )
        }
    }

    /// Stops the advertisement of ``startAdvertising(_:completion:)``; connected centrals stay connected.
    ///
    /// Another one may be started at once.
    ///
    /// - Parameter completion: Called when bluetoothd has removed the advertisement, or on the next iteration
    ///   if bluetoothd had none.
    public func stopAdvertising(completion: @escaping @isolated(any) () -> Void) {
        let completion = mainLoop.context.callback(completion)
        perform({ _ in completion() }) { instance, completion in
            instance.advertising.stopSingle { completion(.success(())) }
        }
    }

    /// Called when the advertisement of ``startAdvertising(_:completion:)`` ends without a call to stop it.
    ///
    /// Without an error, its ``LocalAdvertisement/timeout`` has passed; with one, bluetoothd refused to
    /// register it again after a restart.
    public var onAdvertisingEnded: (@isolated(any) (BluejayError?) -> Void)? {
        get { instance.handlers.onAdvertisingEnded.latest }
        set {
            instance.handlers.onAdvertisingEnded.set(
                newValue.map { mainLoop.context.callback($0) },
                on: mainLoop
            )
        }
    }

    // MARK: Centrals

    /// The devices that are connected to the adapter, in the order of their connections.
    ///
    /// They include peripherals that this machine connected to; ``centrals`` lists the devices that connected
    /// to it.
    public var connectedDevices: [PeripheralIdentifier] {
        instance.publicState.value.connectedDevices
    }

    /// Called when a device has connected (true) or disconnected (false), whichever side initiated it.
    ///
    /// After pairing has replaced its private address, a device disconnects under its new identifier.
    public var onConnectionChange: (@isolated(any) (PeripheralIdentifier, Bool) -> Void)? {
        get { instance.handlers.onConnectionChange.latest }
        set {
            instance.handlers.onConnectionChange.set(
                newValue.map { mainLoop.context.callback($0) },
                on: mainLoop
            )
        }
    }

    /// The connected devices that are centrals of this machine, in the order of their connections.
    ///
    /// BlueZ does not report which side initiated a connection. A device counts as a central if this process
    /// had no link to it when it connected, or if it has since requested an attribute of this server; a
    /// peripheral of this process that does so is both. A peripheral connected by another program, or on
    /// another loop or bus, looks like a central. A subscription alone does not make a device a central,
    /// because BlueZ does not report whose it is.
    public var centrals: [PeripheralIdentifier] { instance.publicState.value.centrals }

    /// Called when ``centrals`` has changed: after ``onConnectionChange`` on connect, before it on
    /// disconnect.
    public var onCentralChange: (@isolated(any) (CentralChange) -> Void)? {
        get { instance.handlers.onCentralChange.latest }
        set {
            instance.handlers.onCentralChange.set(
                newValue.map { mainLoop.context.callback($0) },
                on: mainLoop
            )
        }
    }

    /// Answers pairing requests of centrals; nil, the default, handles none.
    ///
    /// The handler runs on the main loop and answers within 25 s: at once, or later through the
    /// ``PairingResponder``. Without an answer the pairing is refused. Peripherals that this process has
    /// connected to do not reach the handler. If several servers share an adapter, the first one with a
    /// handler receives the requests.
    ///
    /// While a handler is set, this program registers an agent with bluetoothd, and its adapters are
    /// `Pairable`. If a desktop has the default agent, that one answers centrals that initiate pairing.
    /// Setting nil refuses the pending request.
    ///
    /// A handler protects no value: a central chooses how it pairs, and may have keys already. A value that needs a
    /// number has ``AttributeProperties/encryptAuthenticatedRead`` and its siblings among its properties.
    ///
    /// - Note: `org.bluez.Agent1`, with the capability `KeyboardDisplay`.
    public var pairingHandler: PairingHandler? {
        get { instance.pairing.handler.latest }
        set {
            let handler = newValue.map { mainLoop.context.callback($0) }
            instance.pairing.handler.set(handler, on: mainLoop) { [instance] _ in
                instance.pairing.follow()
            }
        }
    }

    /// The capabilities of the ``pairingHandler``; set on the loop, before the handler.
    package var pairingCapability: AgentCapability {
        get { instance.pairing.capability }
        set { instance.pairing.capability = newValue }
    }

    // MARK: Calls from any thread

    func perform(
        _ completion: @escaping @isolated(any) (Result<Void, any Error>) -> Void,
        _ call: @escaping (ServerInstance, @escaping Completion) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        mainLoop.callOrPost { [instance, mainLoop] in
            mainLoop.deferringCompletion(completion) { call(instance, $0) }
        }
    }

    /// Makes a call and returns its result; another thread waits for the loop.
    func result<Value>(of call: @escaping (ServerInstance) throws -> Value) throws -> Value {
        let result = mainLoop.result { [instance] in Result { try call(instance) } }
        guard let result else { throw BluejayError.blockedMainLoop.during(.notify) }
        return try result.get()
    }
}
