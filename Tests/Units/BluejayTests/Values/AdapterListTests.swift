import BluejayCore
import Testing

@testable import Bluejay

@Suite("Changes of the adapter list")
struct AdapterListTests {
    private let zero = BluetoothAdapter(name: "hci0", address: "00:AA:01:00:00:00")
    private let one = BluetoothAdapter(name: "hci1", address: "00:AA:01:01:00:01")

    @Test("The first update reports all adapters and the selected one, which may be nil")
    func first() {
        var roster = AdapterList()
        #expect(roster.initialChanges == [])
        #expect(
            roster.update(to: [zero, one], using: "hci1")
                == [.added(zero), .added(one), .inUse(one)]
        )
        #expect(roster.initialChanges == [.added(zero), .added(one), .inUse(one)])
        var empty = AdapterList()
        #expect(empty.update(to: [], using: nil) == [.inUse(nil)])
        #expect(empty.update(to: [], using: nil) == [])
        #expect(empty.initialChanges == [.inUse(nil)])
    }

    @Test("An update reports removals first, then changes, additions and the selected adapter")
    func order() {
        var roster = AdapterList()
        _ = roster.update(to: [zero, one], using: "hci0")
        var on = one
        on.isPowered = true
        let two = BluetoothAdapter(name: "hci2", address: "00:AA:01:02:00:02")
        #expect(
            roster.update(to: [on, two], using: "hci1")
                == [.removed(zero), .changed(on, from: one), .added(two), .inUse(on)]
        )
    }

    @Test("A change of the selected adapter is not reported as a new selection")
    func changed() {
        var roster = AdapterList()
        _ = roster.update(to: [zero], using: "hci0")
        var on = zero
        on.isPowered = true
        #expect(roster.update(to: [on], using: "hci0") == [.changed(on, from: zero)])
        #expect(roster.adapterInUse == on)
    }

    @Test("An adapter with the same name and another address is another adapter")
    func renamed() {
        var roster = AdapterList()
        _ = roster.update(to: [zero], using: "hci0")
        let other = BluetoothAdapter(name: "hci0", address: one.address)
        #expect(
            roster.update(to: [other], using: "hci0")
                == [.removed(zero), .added(other), .inUse(other)]
        )
    }
}
