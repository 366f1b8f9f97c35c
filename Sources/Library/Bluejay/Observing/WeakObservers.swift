/// An ordered list of observers that does not keep them alive.
///
/// `Observer` is a protocol bound to classes, such as `any ConnectionObserver`.
struct WeakObservers<Observer> {
    private struct Entry {
        weak var object: AnyObject?
    }

    private var entries: [Entry] = []

    /// How many entries are held, with those of dead observers not yet purged.
    var count: Int { entries.count }

    /// Adds `observer` at the end, or moves it there.
    mutating func register(_ observer: Observer) {
        unregister(observer)
        entries.append(Entry(object: observer as AnyObject))
    }

    /// Removes `observer`, if it is in the list.
    mutating func unregister(_ observer: Observer) {
        let object = observer as AnyObject
        entries.removeAll { $0.object == nil || $0.object === object }
    }

    /// Removes all observers.
    mutating func removeAll() {
        entries.removeAll()
    }

    /// Purges the dead and returns the living, in order of registration.
    ///
    /// Call the observers of the returned array, outside of this list: they may register and
    /// unregister meanwhile, which counts from the next event on.
    mutating func snapshot() -> [Observer] {
        entries.removeAll { $0.object == nil }
        return entries.compactMap { $0.object as? Observer }
    }
}
