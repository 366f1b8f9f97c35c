internal import BluejayBlueZ
internal import BluejayDBus

/// The adapters of the computer.
///
/// What is asked here joins no queue and needs no radio: it is done beside what is under way. Calls that
/// are made before bluetoothd has answered wait for it. Each completion is called once, on the main loop,
/// in a later turn.
extension Bluejay {
    // MARK: State

    /// The adapters of this computer, in the order of their numbers.
    ///
    /// Empty before the start, until bluetoothd has answered, and while it does not run;
    /// ``listAdapters(completion:)`` waits for its answer.
    public var adapters: [BluetoothAdapter] {
        mainLoop.isCurrent ? instance.adapters.all : instance.adapters.observers.published.adapters
    }

    /// The adapter that calls go to, which may be off; nil when there is none.
    ///
    /// Without a name in the initialiser, or in ``useAdapter(_:completion:)``, it may become another one
    /// whenever nothing is in use; an ``AdapterObserver`` is told.
    public var adapter: BluetoothAdapter? {
        mainLoop.isCurrent ? instance.adapters.inUse : instance.adapters.observers.published.used
    }

    // MARK: Calls

    /// Lists the adapters of this computer.
    ///
    /// - Parameter completion: Called once, with the adapters in the order of their numbers, or none.
    ///   Fails with ``BluejayError/bluetoothUnavailable(_:)`` before the start, or when bluetoothd
    ///   cannot be reached.
    public func listAdapters(
        completion: @escaping (Result<[BluetoothAdapter], BluejayError>) -> Void
    ) {
        begin(.listAdapters, completion) { instance, finish in
            let adapters = instance.adapters
            adapters.whenKnown {
                guard adapters.engine?.client.state == .running else {
                    return finish(.failure(adapters.unusable))
                }
                finish(.success(adapters.all))
            }
        }
    }

    /// Switches an adapter on or off, for all programs.
    ///
    /// Switching off ends what is connected and under way on it, here and in other programs, as if
    /// somebody else had done it. It takes milliseconds, or some seconds where the adapter loads its
    /// firmware.
    ///
    /// - Parameters:
    ///   - isOn: What it is to be.
    ///   - adapter: A name (`hci1`) or an address; nil is the one in use.
    ///   - completion: Called once, with the adapter when it is on or off, also when it was so before.
    ///     Fails with ``BluejayError/bluetoothUnavailable(_:)``, whose state says why: `blocked` by
    ///     rfkill, `unauthorized`, `adapterNotFound`, no bluetoothd, or not started; with
    ///     ``BluejayError/operationTimedOut`` after 15 s, or ``BluejayError/daemon(name:message:)``.
    /// - Note: `org.bluez.Adapter1.Powered`.
    public func setPowered(
        _ isOn: Bool,
        of adapter: String? = nil,
        completion: @escaping (Result<BluetoothAdapter, BluejayError>) -> Void = { _ in }
    ) {
        begin(.setPowered, completion) { instance, finish in
            instance.adapters.change(adapter, finish) { $0.setPowered($1, isOn, done: $2) }
        }
    }

    /// Names an adapter, for all programs and for everybody who sees it.
    ///
    /// bluetoothd keeps the name.
    ///
    /// - Parameters:
    ///   - alias: At most 248 bytes of UTF-8; an empty text is the computer's name again.
    ///   - adapter: A name (`hci1`) or an address; nil is the one in use.
    ///   - completion: Called once, with the adapter. Fails with
    ///     ``BluejayError/nameTooLong(length:limit:)``, ``BluejayError/notSupported(_:)`` (it holds a NUL
    ///     character), and as ``setPowered(_:of:completion:)``; an adapter that is off can be named.
    /// - Note: `org.bluez.Adapter1.Alias`.
    public func setAdapterAlias(
        _ alias: String,
        of adapter: String? = nil,
        completion: @escaping (Result<BluetoothAdapter, BluejayError>) -> Void = { _ in }
    ) {
        begin(.setAdapterAlias, completion) { instance, finish in
            // Core Specification, Vol 3, Part C, 3.2.2.3.
            let limit = 248
            let length = alias.utf8.count
            guard length <= limit else {
                return finish(.failure(.nameTooLong(length: length, limit: limit)))
            }
            // D-Bus has no such text.
            guard !alias.utf8.contains(0) else {
                return finish(.failure(.notSupported("a name that holds a NUL character")))
            }
            instance.adapters.change(adapter, finish) { $0.setAlias($1, alias, done: $2) }
        }
    }

    /// Uses another adapter for what is called from now on.
    ///
    /// It counts at once: a call that is made next goes to it. ``bluetoothState`` follows, and the
    /// observers are told in a later turn, before the completion. When it fails nothing is different.
    ///
    /// A connection does not move. While a peripheral is connected, being connected or to be connected
    /// again, and while anything is under way, waits in the queue or scans beside it, it is refused:
    /// disconnect, stop scanning, and call it in the completion.
    ///
    /// - Parameters:
    ///   - adapter: A name (`hci1`) or an address of one that is there, on or not; nil is the first
    ///     adapter that is on.
    ///   - completion: Called once, with the adapter. Fails with ``BluejayError/inUse(_:)``, or with
    ///     ``BluejayError/bluetoothUnavailable(_:)``: `adapterNotFound`, `noAdapter`, no bluetoothd, or
    ///     not started (what is used from the start on, the initialiser says).
    public func useAdapter(
        _ adapter: String?,
        completion: @escaping (Result<BluetoothAdapter, BluejayError>) -> Void = { _ in }
    ) {
        begin(.useAdapter, completion) { instance, finish in
            instance.use(adapter.map { .named($0) } ?? .any, finish)
        }
    }

    // MARK: Observing

    /// Adds an observer of the adapters, or moves it to the end; held weakly.
    ///
    /// It hears at once of the adapters that are there, and of the one in use.
    public func register(adapterObserver: any AdapterObserver) {
        change { $0.adapters.observers.register(adapterObserver) }
    }

    /// Removes an observer of the adapters, who hears nothing more; needed only before it is released.
    public func unregister(adapterObserver: any AdapterObserver) {
        change { $0.adapters.observers.unregister(adapterObserver) }
    }
}

extension Bluejay {
    /// Begins a call that joins no queue.
    ///
    /// - Parameters:
    ///   - kind: Its errors say so.
    ///   - peripheral: Whom it is about.
    ///   - completion: Called once, in a later turn, also when the call is refused.
    ///   - function: For the log.
    ///   - work: Makes the call on the loop, with what ends it.
    func begin<Value>(
        _ kind: BluejayError.Call,
        about peripheral: PeripheralIdentifier? = nil,
        _ completion: @escaping (Result<Value, BluejayError>) -> Void,
        _ function: StaticString = #function,
        _ work: @escaping (Instance, @escaping (Result<Value, BluejayError>) -> Void) -> Void
    ) {
        func end(_ result: Result<Value, BluejayError>) {
            completion(result.mapError { $0.during(kind, peripheral: peripheral) })
        }
        call(function, refuse: { end(.failure($0 as? BluejayError ?? .cancelled)) }) { instance in
            work(instance, instance.adapters.begin(end))
        }
    }
}

/// What layers beside the callbacks need of these calls.
extension Bluejay {
    /// Makes one of these calls and finds its number; nil when it was refused.
    package func adapterCall(_ call: () -> Void) -> Int? {
        let last = instance.adapters.lastRequest
        call()
        return instance.adapters.lastRequest == last ? nil : instance.adapters.lastRequest
    }

    /// Fails one of these calls with ``BluejayError/cancelled``.
    ///
    /// What was asked of bluetoothd goes on, and nobody is told of its end.
    package func cancelAdapterCall(_ id: Int) {
        instance.adapters.cancel(id)
    }
}
