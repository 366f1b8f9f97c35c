internal import BluejayGLib

/// The observers and the disconnect handler of one instance, all held weakly.
final class ObserverRegistry {
    private var connectionObservers = WeakObservers<any ConnectionObserver>()
    private var serviceObservers = WeakObservers<any ServiceObserver>()
    private var peripheralObservers = WeakObservers<any PeripheralObserver>()
    #if Foundation || Encryption
        private var rssiObservers = WeakObservers<any RSSIObserver>()
    #endif
    private var shutdownObservers = WeakObservers<any ShutdownObserver>()
    private weak var disconnectHandler: (any DisconnectHandler)?
    private var handlerIsolation = ObserverIsolation(nil)
    private let context: MainContext

    init(_ context: MainContext) {
        self.context = context
    }

    // MARK: The connection

    func register(_ observer: any ConnectionObserver, _ isolation: ObserverIsolation) {
        connectionObservers.register(observer, isolation) { [weak observer] in observer }
    }

    func unregister(_ observer: any ConnectionObserver) { connectionObservers.unregister(observer) }

    func notifyConnection(_ notify: @escaping (any ConnectionObserver) -> Void) {
        for observer in connectionObservers.snapshot() { observer.notify(on: context, notify) }
    }

    func removeConnectionObservers() {
        connectionObservers.removeAll()
        setDisconnectHandler(nil)
    }

    /// Notifies an observer that has just been registered.
    func notify(
        _ observer: any ConnectionObserver,
        _ isolation: ObserverIsolation,
        _ notify: @escaping (any ConnectionObserver) -> Void
    ) {
        IsolatedObserver(observer, isolation).notify(on: context, notify)
    }

    // MARK: The disconnect handler

    func setDisconnectHandler(
        _ handler: (any DisconnectHandler)?,
        _ isolation: ObserverIsolation = ObserverIsolation(nil)
    ) {
        disconnectHandler = handler
        handlerIsolation = isolation
    }

    /// Whether the handler belongs to an actor that has another thread.
    var disconnectHandlerDecidesLater: Bool {
        disconnectHandler != nil && handlerIsolation.isElsewhere(on: context)
    }

    /// Asks the handler; without one, the decision is `noChange`.
    func askDisconnectHandler(
        _ ask: (any DisconnectHandler) -> AutoReconnectMode
    ) -> AutoReconnectMode {
        disconnectHandler.map(ask) ?? .noChange
    }

    /// Asks the handler on its actor, and passes its decision to `decide` on the loop.
    func askDisconnectHandler(
        _ ask: @escaping (any DisconnectHandler) -> AutoReconnectMode,
        _ decide: @escaping (AutoReconnectMode) -> Void
    ) {
        guard let handler = disconnectHandler else { return decide(.noChange) }
        let decision = UncheckedTransfer(decide)
        handlerIsolation.perform(on: context) { [context] in
            let mode = ask(handler)
            context.post { decision.value(mode) }
        }
    }

    // MARK: The peripheral

    func register(_ observer: any ServiceObserver, _ isolation: ObserverIsolation) {
        serviceObservers.register(observer, isolation) { [weak observer] in observer }
    }

    func unregister(_ observer: any ServiceObserver) { serviceObservers.unregister(observer) }

    func notifyServices(_ notify: @escaping (any ServiceObserver) -> Void) {
        for observer in serviceObservers.snapshot() { observer.notify(on: context, notify) }
    }

    func register(_ observer: any PeripheralObserver, _ isolation: ObserverIsolation) {
        peripheralObservers.register(observer, isolation) { [weak observer] in observer }
    }

    func unregister(_ observer: any PeripheralObserver) { peripheralObservers.unregister(observer) }

    /// Notifies the peripheral observers; `read` is expensive, and not called without an observer.
    func notifyPeripheral<News>(
        _ read: () -> News?,
        _ notify: @escaping (any PeripheralObserver, News) -> Void
    ) {
        let observers = peripheralObservers.snapshot()
        guard !observers.isEmpty, let value = read() else { return }
        for observer in observers { observer.notify(on: context) { notify($0, value) } }
    }

    #if Foundation || Encryption
        func register(_ observer: any RSSIObserver, _ isolation: ObserverIsolation) {
            rssiObservers.register(observer, isolation) { [weak observer] in observer }
        }

        func unregister(_ observer: any RSSIObserver) { rssiObservers.unregister(observer) }

        func notifyRSSI(_ notify: @escaping (any RSSIObserver) -> Void) {
            for observer in rssiObservers.snapshot() { observer.notify(on: context, notify) }
        }
    #endif

    // MARK: Shutdown

    func register(_ observer: any ShutdownObserver) {
        shutdownObservers.register(observer, ObserverIsolation(nil)) { [weak observer] in observer }
    }

    /// Notifies each shutdown observer once.
    func notifyShutdown() {
        let observers = shutdownObservers.snapshot()
        shutdownObservers.removeAll()
        for observer in observers { observer.observer.didShutDown() }
    }
}
