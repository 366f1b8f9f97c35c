internal import BluejayGLib

extension Bluejay {
    /// Adds an observer, or moves it to the end; held weakly.
    ///
    /// If Bluejay has started, the observer immediately receives the availability and any existing
    /// connection.
    public func register(
        connectionObserver: any ConnectionObserver,
        isolation: (any Actor)? = #isolation
    ) {
        let isolation = ObserverIsolation(isolation)
        change { instance in
            instance.observers.register(connectionObserver, isolation)
            guard instance.adapters.hasStarted else { return }
            let isAvailable = instance.adapters.bluetoothState == .poweredOn
            instance.observers.notify(connectionObserver, isolation) {
                $0.bluetoothAvailable(isAvailable)
            }
            if instance.queue.isConnected, !instance.queue.isDisconnecting,
                instance.link.session.isAnnounced,
                let peripheral = instance.link.peripheral
            {
                instance.observers.notify(connectionObserver, isolation) {
                    $0.connected(to: peripheral)
                }
            }
        }
    }

    /// Removes an observer; a released observer needs no removal.
    public func unregister(connectionObserver: any ConnectionObserver) {
        change { $0.observers.unregister(connectionObserver) }
    }

    /// Adds an observer of the connected peripheral's services, or moves it to the end; held weakly.
    public func register(
        serviceObserver: any ServiceObserver,
        isolation: (any Actor)? = #isolation
    ) {
        let isolation = ObserverIsolation(isolation)
        change { $0.observers.register(serviceObserver, isolation) }
    }

    /// Removes an observer of services.
    public func unregister(serviceObserver: any ServiceObserver) {
        change { $0.observers.unregister(serviceObserver) }
    }

    /// Adds a log observer, or moves it to the end; held weakly.
    ///
    /// The observer receives lines of level debug and above; see ``LogObserver``.
    public func register(logObserver: any LogObserver, isolation: (any Actor)? = #isolation) {
        let isolation = ObserverIsolation(isolation)
        change {
            $0.log.observers.list.register(logObserver, isolation) { [weak logObserver] in
                logObserver
            }
        }
    }

    /// Removes a log observer.
    public func unregister(logObserver: any LogObserver) {
        change { $0.log.observers.list.unregister(logObserver) }
    }

    /// Sets the handler that decides after a disconnection, replacing the previous one; held weakly.
    public func registerDisconnectHandler(
        handler: any DisconnectHandler,
        isolation: (any Actor)? = #isolation
    ) {
        let isolation = ObserverIsolation(isolation)
        change { $0.observers.setDisconnectHandler(handler, isolation) }
    }

    /// Removes the handler that decides after a disconnection.
    public func unregisterDisconnectHandler() {
        change { $0.observers.setDisconnectHandler(nil) }
    }
}
