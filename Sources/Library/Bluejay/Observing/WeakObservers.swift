/// An ordered list of weakly held observers.
///
/// `Observer` is a class-bound protocol, such as `any ConnectionObserver`.
struct WeakObservers<Observer> {
    private struct Entry {
        weak var object: AnyObject?
    }

    private var entries: [Entry] = []

    /// The number of entries, including dead observers that are not yet removed.
    var count: Int { entries.count }

    mutating func register(_ observer: Observer) {
        unregister(observer)
        entries.append(Entry(object: observer as AnyObject))
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
    mutating func snapshot() -> [Observer] {
        entries.removeAll { $0.object == nil }
        return entries.compactMap { $0.object as? Observer }
    }
}
