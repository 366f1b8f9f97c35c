internal import BluejayGLib

/// An ordered list of weakly held observers.
///
/// `Observer` is a class-bound protocol, such as `any ConnectionObserver`.
struct WeakObservers<Observer> {
    private struct Entry {
        weak var object: AnyObject?
        let observer: () -> Observer?
        let isolation: ObserverIsolation
    }

    private var entries: [Entry] = []

    /// The number of entries, including dead observers that are not yet removed.
    var count: Int { entries.count }

    /// Adds an observer, or moves it to the end.
    ///
    /// - Parameters:
    ///   - observer: The observer.
    ///   - isolation: The isolation of its methods.
    ///   - get: Returns the observer, which it holds weakly. The list cannot cast the object instead: on the
    ///     loop, a cast to a conformance of the main actor fails.
    mutating func register(
        _ observer: Observer,
        _ isolation: ObserverIsolation,
        _ get: @escaping () -> Observer?
    ) {
        unregister(observer)
        entries.append(Entry(object: observer as AnyObject, observer: get, isolation: isolation))
    }

    mutating func unregister(_ observer: Observer) {
        let object = observer as AnyObject
        entries.removeAll { $0.object == nil || $0.object === object }
    }

    mutating func removeAll() {
        entries.removeAll()
    }

    /// Removes dead observers and returns the others, in the order of registration.
    ///
    /// Call the observers of the returned array. They may register and unregister meanwhile, which takes
    /// effect with the next event.
    mutating func snapshot() -> [IsolatedObserver<Observer>] {
        entries.removeAll { $0.object == nil }
        return entries.compactMap { entry in
            entry.observer().map { IsolatedObserver($0, entry.isolation) }
        }
    }
}

/// An observer with its isolation.
struct IsolatedObserver<Observer> {
    let observer: Observer
    let isolation: ObserverIsolation

    init(_ observer: Observer, _ isolation: ObserverIsolation) {
        self.observer = observer
        self.isolation = isolation
    }

    func notify(on context: MainContext, _ call: @escaping (Observer) -> Void) {
        isolation.perform(on: context) { call(observer) }
    }
}
