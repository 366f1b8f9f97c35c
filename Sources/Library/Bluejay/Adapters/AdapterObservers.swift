internal import BluejayGLib

/// The adapter observers of one instance, and the adapters of which they were last notified.
final class AdapterObservers {
    private var registrations: [AdapterObserverRegistration] = []
    private var roster = AdapterList()
    private let snapshot = Snapshot(AdapterList())

    /// The adapters, for any thread.
    var published: AdapterList { snapshot.value }

    /// Whether bluetoothd has reported its adapters.
    var areAdaptersKnown: Bool { roster.isKnown }

    /// Records the current adapters, and returns a notification of each change for each observer.
    func changed(to adapters: [BluetoothAdapter], using name: String?) -> [AdapterNotification] {
        let changes = roster.changed(to: adapters, using: name)
        guard !changes.isEmpty else { return [] }
        snapshot.value = roster
        registrations.removeAll { $0.observer == nil }
        return changes.flatMap { change in
            registrations.map { AdapterNotification(registration: $0, change: change) }
        }
    }

    /// Removes all adapters, because the instance no longer follows bluetoothd.
    func stop() -> [AdapterNotification] {
        let notifications = roster.isKnown ? changed(to: [], using: nil) : []
        roster = AdapterList()
        snapshot.value = roster
        return notifications
    }

    /// Adds an observer at the end, or moves it there, and notifies it of the current adapters.
    func register(_ observer: any AdapterObserver) {
        unregister(observer)
        registrations.append(AdapterObserverRegistration(observer))
        for change in roster.present { observer.hear(change) }
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

    func deliver() {
        registration.observer?.hear(change)
    }
}

/// One registration of an observer; its end discards pending notifications.
private final class AdapterObserverRegistration {
    private(set) weak var observer: (any AdapterObserver)?

    init(_ observer: any AdapterObserver) {
        self.observer = observer
    }

    func end() {
        observer = nil
    }
}
