import BluejayDBus
import Testing

@testable import BluejayBlueZ

private let hci0: ObjectPath = "/org/bluez/hci0"
private let hci1: ObjectPath = "/org/bluez/hci1"
private let hci10: ObjectPath = "/org/bluez/hci10"
private let sensor: ObjectPath = "/org/bluez/hci1/dev_C4_7C_8D_6A_1F_02"
private let other: ObjectPath = "/org/bluez/hci1/dev_C4_7C_8D_6A_1F_03"
private let value: ObjectPath = "/org/bluez/hci1/dev_C4_7C_8D_6A_1F_02/service0001/char0002"

/// Owns observers, as the client does.
private final class Owner {
    var observers = ClientObservers()

    func observe(_ scope: ObservationScope, _ handler: @escaping () -> Void = {})
        -> ObservationToken
    {
        let id = observers.add(scope) { _ in handler() }
        return ObservationToken { [unowned self] in
            let removed = observers.remove(id)
            withExtendedLifetime(removed) {}
        }
    }
}

@Suite("Scopes of observers")
struct ClientObserversTests {
    @Test(
        "The handler of an observer may hold the last reference to another observer",
        arguments: [ObservationScope.everything, .device(sensor)]
    )
    func lastReference(scope: ObservationScope) {
        let owner = Owner()
        var observation: ObservationToken?
        do {
            let other = owner.observe(scope)
            observation = owner.observe(scope) { withExtendedLifetime(other) {} }
        }
        #expect(owner.observers.all.count == 2)
        observation = nil
        #expect(owner.observers.all.isEmpty)
        withExtendedLifetime(observation) {}
    }

    /// One observer of each scope, numbered from 1 in this order.
    private static func observers(_ scopes: [ObservationScope]) -> ClientObservers {
        var observers = ClientObservers()
        for scope in scopes { _ = observers.add(scope) { _ in } }
        return observers
    }

    struct Row: Swift.Sendable {
        let path: ObjectPath
        let concerned: [Int]
    }

    @Test(
        "A change concerns observers of its object or a parent, in the order of registration",
        arguments: [
            Row(path: sensor, concerned: [1, 3, 5, 7, 8]),
            Row(path: value, concerned: [1, 3, 5, 7, 8]),
            Row(path: other, concerned: [2, 5, 7, 8]),
            // A change of an adapter concerns observers of the objects below it.
            Row(path: hci1, concerned: [1, 2, 3, 4, 5, 7, 8]),
            Row(path: hci10, concerned: [4, 5]),
            Row(path: hci0, concerned: [4, 5, 6]),
            Row(path: "/org/bluez", concerned: [4, 5]),
        ]
    )
    func concerned(row: Row) {
        let observers = Self.observers([
            .device(sensor), .device(other), .device(sensor), .adapters, .everything,
            .devices(of: hci0), .devices(of: hci1), .devices(of: hci1),
        ])
        #expect(observers.concerned(by: row.path).map(\.id) == row.concerned)
        #expect(observers.all.map(\.id) == Array(1...8))
    }

    @Test("hasObservers is true exactly if a change concerns an observer, for any set of scopes")
    func heard() {
        let scopes: [ObservationScope] = [
            .device(sensor), .device(other), .adapters, .everything, .devices(of: hci0),
            .devices(of: hci1),
        ]
        for choice in 0..<(1 << scopes.count) {
            let observers = Self.observers(
                scopes.indices.filter { choice & 1 << $0 != 0 }.map { scopes[$0] }
            )
            for path in [sensor, value, other, hci1, hci10, hci0, "/org/bluez"] {
                let concerned = observers.concerned(by: path)
                #expect(observers.hasObservers(of: path) == !concerned.isEmpty)
            }
        }
    }

    @Test("A removed observer receives no event, even if another one has the same scope")
    func removed() {
        var observers = Self.observers([
            .device(sensor), .everything, .device(sensor), .devices(of: hci1), .everything,
        ])
        for id in [1, 2, 4, 4, 9] { _ = observers.remove(id) }
        #expect(observers.concerned(by: sensor).map(\.id) == [3, 5])
        #expect(observers.all.map(\.id) == [3, 5])
        #expect((1...5).map(observers.isObserving) == [false, false, true, false, true])
        for id in [3, 5] { _ = observers.remove(id) }
        #expect(observers.concerned(by: sensor).isEmpty)
        #expect(observers.all.isEmpty)
    }

    @Test("Each observer receives its own changes of a batch, in order")
    func split() {
        let observers = Self.observers([.device(sensor), .devices(of: hci1), .device(other)])
        let changes = [other, sensor, hci0, sensor].map {
            ObjectTree.Change.removed($0, interface: "a.b")
        }
        let shares = observers.split(changes)
        #expect(shares.map { $0.0.id } == [1, 2, 3])
        #expect(
            shares.map { $0.1 } == [
                [changes[1], changes[3]], [changes[0], changes[1], changes[3]], [changes[0]],
            ]
        )
    }
}
