import BluejayGLib
import Testing

@testable import Bluejay

private final class NamedObserver: ConnectionObserver {
    let name: String
    init(_ name: String) { self.name = name }
}

extension WeakObservers<any ConnectionObserver> {
    fileprivate mutating func register(_ observer: any ConnectionObserver) {
        register(observer, ObserverIsolation(nil)) { [weak observer] in observer }
    }

    fileprivate mutating func names() -> [String?] {
        snapshot().map { ($0.observer as? NamedObserver)?.name }
    }
}

@Suite("The list of observers")
struct WeakObserversTests {
    private var observers = WeakObservers<any ConnectionObserver>()
    private let first = NamedObserver("first")
    private let second = NamedObserver("second")

    @Test("Observers are notified in the order of registration")
    mutating func order() {
        observers.register(first)
        observers.register(second)
        #expect(observers.names() == ["first", "second"])
    }

    @Test("A second registration moves an observer to the end")
    mutating func registerAgain() {
        observers.register(first)
        observers.register(second)
        observers.register(first)
        #expect(observers.names() == ["second", "first"])
    }

    @Test("Unregistering removes one observer, and ignores an unknown one")
    mutating func unregister() {
        observers.register(first)
        observers.register(second)
        observers.unregister(first)
        observers.unregister(NamedObserver("stranger"))
        #expect(observers.names() == ["second"])
        observers.removeAll()
        #expect(observers.names() == [])
    }

    @Test("The list retains no observer, and removes released ones at the next event")
    mutating func dead() {
        observers.register(first)
        do {
            let brief = NamedObserver("brief")
            observers.register(brief)
            withExtendedLifetime(brief) {
                #expect(observers.names() == ["first", "brief"])
            }
        }
        #expect(observers.count == 2)
        #expect(observers.names() == ["first"])
        #expect(observers.count == 1)
    }

    @Test("An observer registered during an event receives the next one")
    mutating func registerInside() {
        observers.register(first)
        var told: [String?] = []
        for observer in observers.snapshot() {
            told.append((observer.observer as? NamedObserver)?.name)
            observers.register(second)
            observers.unregister(first)
        }
        #expect(told == ["first"])
        #expect(observers.names() == ["second"])
    }

    @Test("An observer without implementations accepts all events")
    func defaults() throws {
        let identifier = try PeripheralIdentifier(
            address: "C4:7C:8D:6A:1F:02",
            isRandomAddress: true,
            name: nil
        )
        let observer: any ConnectionObserver = first
        observer.bluetoothAvailable(true)
        observer.connected(to: identifier)
        observer.disconnected(from: identifier)
        #expect(first.name == "first")
    }
}
