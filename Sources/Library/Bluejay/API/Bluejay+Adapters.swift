internal import BluejayBlueZ
internal import BluejayDBus
internal import BluejayGLib

/// The adapters of the computer.
///
/// These calls bypass the queue, need no radio, and wait for bluetoothd's first reply. Each completion is
/// called once, on a later iteration of the main loop.
extension Bluejay {
    // MARK: State

    /// The adapters of this computer, ordered by number.
    ///
    /// Empty before the start, until bluetoothd has replied, and while it is not running;
    /// ``listAdapters(completion:)`` waits for the reply.
    public var adapters: [BluetoothAdapter] {
        mainLoop.isCurrent ? instance.adapters.all : instance.adapters.observers.published.adapters
    }

    /// The adapter in use, which may be off, or `nil` without an adapter.
    ///
    /// Unless the initializer or ``useAdapter(_:completion:)`` names an adapter, another one may take its
    /// place while no operation or connection uses it. An ``AdapterObserver`` receives the change.
    public var adapter: BluetoothAdapter? {
        mainLoop.isCurrent
            ? instance.adapters.inUse : instance.adapters.observers.published.adapterInUse
    }

    // MARK: Calls

    /// Lists the adapters of this computer.
    ///
    /// - Parameter completion: Called once, with the adapters ordered by number, possibly empty. Fails with
    ///   ``BluejayError/bluetoothUnavailable(_:)`` before the start, or if bluetoothd cannot be reached.
    public func listAdapters(
        completion: @escaping @isolated(any) (Result<[BluetoothAdapter], BluejayError>) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        startRequest(.listAdapters, completion) { instance, finish in
            let adapters = instance.adapters
            adapters.whenKnown {
                guard adapters.engine?.client.state == .running else {
                    return finish(.failure(adapters.unavailableError))
                }
                finish(.success(adapters.all))
            }
        }
    }

    /// Switches an adapter on or off, for all programs.
    ///
    /// Switching off ends connections and operations on the adapter in all programs, as if another program
    /// had done it. It takes milliseconds, or seconds if the adapter loads its firmware.
    ///
    /// - Parameters:
    ///   - isOn: Whether to switch the adapter on.
    ///   - adapter: A name (`hci1`) or an address. If `nil`, the adapter in use.
    ///   - completion: Called once, with the adapter in the requested state, even without a change. Fails
    ///     with ``BluejayError/bluetoothUnavailable(_:)``, whose state has the reason: `blocked` by rfkill,
    ///     `unauthorized`, `adapterNotFound`, no bluetoothd, or not started; with
    ///     ``BluejayError/operationTimedOut`` after 15 s; or with ``BluejayError/daemon(name:message:)``.
    /// - Note: `org.bluez.Adapter1.Powered`.
    public func setPowered(
        _ isOn: Bool,
        of adapter: String? = nil,
        completion: @escaping @isolated(any) (Result<BluetoothAdapter, BluejayError>) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        startRequest(.setPowered, completion) { instance, finish in
            instance.adapters.change(adapter, finish) { $0.setPowered($1, isOn, completion: $2) }
        }
    }

    /// Sets an adapter's name, for all programs and for devices that see the adapter.
    ///
    /// bluetoothd stores the name.
    ///
    /// - Parameters:
    ///   - alias: At most 248 bytes of UTF-8. An empty string restores the name of the computer.
    ///   - adapter: A name (`hci1`) or an address. If `nil`, the adapter in use.
    ///   - completion: Called once, with the adapter. Fails with ``BluejayError/nameTooLong(length:limit:)``,
    ///     with ``BluejayError/notSupported(_:)`` if the name contains a NUL character, and like
    ///     ``setPowered(_:of:completion:)``. An adapter that is off can be named.
    /// - Note: `org.bluez.Adapter1.Alias`.
    public func setAdapterAlias(
        _ alias: String,
        of adapter: String? = nil,
        completion: @escaping @isolated(any) (Result<BluetoothAdapter, BluejayError>) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        startRequest(.setAdapterAlias, completion) { instance, finish in
            // Core Specification, Vol 3, Part C, 3.2.2.3.
            let limit = 248
            let length = alias.utf8.count
            guard length <= limit else {
                return finish(.failure(.nameTooLong(length: length, limit: limit)))
            }
            // D-Bus strings cannot contain NUL.
            guard !alias.utf8.contains(0) else {
                return finish(.failure(.notSupported("a name that holds a NUL character")))
            }
            instance.adapters.change(adapter, finish) { $0.setAlias($1, alias, completion: $2) }
        }
    }

    /// Selects the adapter for later calls.
    ///
    /// The next call already uses it. ``bluetoothState`` and the observers follow on a later iteration,
    /// before the completion. If the call fails, nothing changes.
    ///
    /// The call is rejected while a peripheral is connected, connecting or reconnecting, and while any
    /// operation runs, waits or scans. Disconnect and stop scanning first, and call it in the completion.
    ///
    /// - Parameters:
    ///   - adapter: The name (`hci1`) or the address of an existing adapter, on or off. If `nil`, the first
    ///     adapter that is on.
    ///   - completion: Called once, with the adapter. Fails with ``BluejayError/inUse(_:)``, or with
    ///     ``BluejayError/bluetoothUnavailable(_:)``: `adapterNotFound`, `noAdapter`, no bluetoothd, or not
    ///     started (the initializer selects the adapter for the start).
    public func useAdapter(
        _ adapter: String?,
        completion: @escaping @isolated(any) (Result<BluetoothAdapter, BluejayError>) -> Void
    ) {
        let completion = mainLoop.context.callback(completion)
        startRequest(.useAdapter, completion) { instance, finish in
            instance.use(adapter.map { .named($0) } ?? .any, finish)
        }
    }

    // MARK: Observing

    /// Adds an observer of the adapters, or moves it to the end; held weakly.
    ///
    /// The observer immediately receives the existing adapters and the adapter in use.
    public func register(
        adapterObserver: any AdapterObserver,
        isolation: (any Actor)? = #isolation
    ) {
        let isolation = ObserverIsolation(isolation)
        change { $0.adapters.observers.register(adapterObserver, isolation) }
    }

    /// Removes an observer of the adapters, which receives nothing more.
    ///
    /// A released observer needs no removal.
    public func unregister(adapterObserver: any AdapterObserver) {
        change { $0.adapters.observers.unregister(adapterObserver) }
    }
}

extension Bluejay {
    /// Begins a call that bypasses the queue.
    ///
    /// `kind` and `peripheral` are added to errors. `completion` is called once, on a later iteration, even
    /// if the call is rejected. `work` runs on the loop and receives the closure that completes the call.
    func startRequest<Value>(
        _ kind: BluejayError.Call,
        about peripheral: PeripheralIdentifier? = nil,
        _ completion: @escaping (Result<Value, BluejayError>) -> Void,
        _ function: StaticString = #function,
        _ work: @escaping (Instance, @escaping (Result<Value, BluejayError>) -> Void) -> Void
    ) {
        func end(_ result: Result<Value, BluejayError>) {
            completion(result.mapError { $0.during(kind, peripheral: peripheral) })
        }
        call(function, onRejection: { end(.failure($0 as? BluejayError ?? .cancelled)) }) {
            instance in
            work(instance, instance.adapters.startRequest(end))
        }
    }
}

/// Hooks into these calls for layers above the callbacks.
extension Bluejay {
    /// Runs one of these calls and returns its number, or `nil` if it was rejected.
    package func adapterCall(_ call: () -> Void) -> Int? {
        let last = instance.adapters.lastRequestID
        call()
        return instance.adapters.lastRequestID == last ? nil : instance.adapters.lastRequestID
    }

    /// Fails one of these calls with ``BluejayError/cancelled``.
    ///
    /// A request already sent to bluetoothd continues, but its result is not reported.
    package func cancelAdapterCall(_ id: Int) {
        instance.adapters.cancel(id)
    }
}
