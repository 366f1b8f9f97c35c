/// The observers and the disconnect handler of one instance, all held weakly.
final class ObserverRegistry {
    private var connectionObservers = WeakObservers<any ConnectionObserver>()
    private var serviceObservers = WeakObservers<any ServiceObserver>()
    private var peripheralObservers = WeakObservers<any PeripheralObserver>()
    #if Foundation || Tool
        private var rssiObservers = WeakObservers<any RSSIObserver>()
    #endif
    private var shutdownObservers = WeakObservers<any ShutdownObserver>()
    /// The handler that decides after a disconnection.
    weak var disconnectHandler: (any DisconnectHandler)?

    // MARK: The connection

    func register(_ observer: any ConnectionObserver) { connectionObservers.register(observer) }

    func unregister(_ observer: any ConnectionObserver) { connectionObservers.unregister(observer) }

    func notifyConnection(_ notify: (any ConnectionObserver) -> Void) {
        connectionObservers.snapshot().forEach(notify)
    }

    func removeConnectionObservers() {
        connectionObservers.removeAll()
        disconnectHandler = nil
    }

    // MARK: The peripheral

    func register(_ observer: any ServiceObserver) { serviceObservers.register(observer) }

    func unregister(_ observer: any ServiceObserver) { serviceObservers.unregister(observer) }

    func notifyServices(_ notify: (any ServiceObserver) -> Void) {
        serviceObservers.snapshot().forEach(notify)
    }

    func register(_ observer: any PeripheralObserver) { peripheralObservers.register(observer) }

    func unregister(_ observer: any PeripheralObserver) { peripheralObservers.unregister(observer) }

    /// Notifies the peripheral observers; `read` is expensive, and not called without an observer.
    func notifyPeripheral<News>(
        _ read: () -> News?,
        _ notify: (any PeripheralObserver, News) -> Void
    ) {
        let observers = peripheralObservers.snapshot()
        guard !observers.isEmpty, let value = read() else { return }
        for observer in observers { notify(observer, value) }
    }

    #if Foundation || Tool
        func register(_ observer: any RSSIObserver) { rssiObservers.register(observer) }

        func unregister(_ observer: any RSSIObserver) { rssiObservers.unregister(observer) }

        func notifyRSSI(_ notify: (any RSSIObserver) -> Void) {
            rssiObservers.snapshot().forEach(notify)
        }
    #endif

    // MARK: Shutdown

    func register(_ observer: any ShutdownObserver) { shutdownObservers.register(observer) }

    /// Notifies each shutdown observer once.
    func notifyShutdown() {
        let observers = shutdownObservers.snapshot()
        shutdownObservers.removeAll()
        for observer in observers { observer.didShutDown() }
    }
}
