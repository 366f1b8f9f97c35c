internal import BluejayGLib

/// The adapter observers of one instance, and the adapters of which they were last notified.
final class AdapterObservers {
    private var registrations: [AdapterObserverRegistration] = []
    private var list = AdapterList()
    private let snapshot = LockedValue(AdapterList())
    private let context: MainContext

    init(_ context: MainContext) {
        self.context = context
    }

    /// The adapters, for any thread.
    var published: AdapterList { snapshot.value }

    /// Whether bluetoothd has reported its adapters.
    var areAdaptersKnown: Bool { list.isKnown }

    /// Records the current adapters, and returns a notification of each change for each observer.
    func update(to adapters: [BluetoothAdapter], using name: String?) -> [AdapterNotification] {
        let changes = list.update(to: adapters, using: name)
        guard !changes.isEmpty else { return [] }
        snapshot.value = list
        registrations.removeAll { $0.observer == nil }
        return changes.flatMap { change in
            registrations.map { AdapterNotification(registration: $0, change: change, context) }
        }
    }

    /// Removes all adapters, because the instance no longer follows bluetoothd.
    func stop() -> [AdapterNotification] {
        let notifications = list.isKnown ? update(to: [], using: nil) : []
        list = AdapterList()
        snapshot.value = list
        return notifications
    }

    /// Adds an observer at the end, or moves it there, and notifies it of the current adapters.
    func register(_ observer: any AdapterObserver, _ isolation: ObserverIsolation) {
        unregister(observer)
        let registration = AdapterObserverRegistration(observer, isolation)
        registrations.append(registration)
        for change in list.initialChanges {
            AdapterNotification(registration: registration, change: change, context).deliver()
        }
    }

    func unregister(_ observer: any AdapterObserver) {
        for registration in registrations where registration.observer === observer {
            registration.end()
        }
        registrations.removeAll { $0.observer == nil }
    }
}

struct AdapterNotification {
    fileprivate let registration: AdapterObserverRegistration
    fileprivate let change: AdapterList.Change

    private let context: MainContext

    fileprivate init(
        registration: AdapterObserverRegistration,
        change: AdapterList.Change,
        _ context: MainContext
    ) {
        self.registration = registration
        self.change = change
        self.context = context
    }

    func deliver() {
        guard let observer = registration.observer else { return }
        registration.isolation.perform(on: context) { [change] in observer.receive(change) }
    }
}

/// One registration of an observer; its end discards pending notifications.
private final class AdapterObserverRegistration {
    private(set) weak var observer: (any AdapterObserver)?
    let isolation: ObserverIsolation

    init(_ observer: any AdapterObserver, _ isolation: ObserverIsolation) {
        self.observer = observer
        self.isolation = isolation
    }

    func end() {
        observer = nil
    }
}

extension AdapterObserver {
    fileprivate func receive(_ change: AdapterList.Change) {
        switch change {
        case .added(let adapter): adapterAppeared(adapter)
        case .removed(let adapter): adapterVanished(adapter)
        case .changed(let adapter, let old): adapterChanged(adapter, from: old)
        case .inUse(let adapter): adapterInUseChanged(to: adapter)
        }
    }
}
