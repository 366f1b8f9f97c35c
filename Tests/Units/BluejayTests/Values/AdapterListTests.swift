import BluejayCore
import Testing

@testable import Bluejay

@Suite("What is told of the adapters")
struct AdapterRosterTests {
    private let zero = BluetoothAdapter(name: "hci0", address: "00:AA:01:00:00:00")
    private let one = BluetoothAdapter(name: "hci1", address: "00:AA:01:01:00:01")

    @Test("At first all that are there, and which one is used, also when it is none")
    func first() {
        var roster = AdapterList()
        #expect(roster.present == [])
        #expect(
            roster.changed(to: [zero, one], using: "hci1")
                == [.appeared(zero), .appeared(one), .inUse(one)]
        )
        #expect(roster.present == [.appeared(zero), .appeared(one), .inUse(one)])
        var empty = AdapterList()
        #expect(empty.changed(to: [], using: nil) == [.inUse(nil)])
        #expect(empty.changed(to: [], using: nil) == [])
        #expect(empty.present == [.inUse(nil)])
    }

    @Test("What went comes first, then what is different, then what came, then what is used")
    func order() {
        var roster = AdapterList()
        _ = roster.changed(to: [zero, one], using: "hci0")
        var on = one
        on.isPowered = true
        let two = BluetoothAdapter(name: "hci2", address: "00:AA:01:02:00:02")
        #expect(
            roster.changed(to: [on, two], using: "hci1")
                == [.vanished(zero), .changed(on, from: one), .appeared(two), .inUse(on)]
        )
    }

    @Test("A change of the one that is used is not another one")
    func changed() {
        var roster = AdapterList()
        _ = roster.changed(to: [zero], using: "hci0")
        var on = zero
        on.isPowered = true
        #expect(roster.changed(to: [on], using: "hci0") == [.changed(on, from: zero)])
        #expect(roster.used == on)
    }

    @Test("Another adapter under the same name is another adapter")
    func renamed() {
        var roster = AdapterList()
        _ = roster.changed(to: [zero], using: "hci0")
        let other = BluetoothAdapter(name: "hci0", address: one.address)
        #expect(
            roster.changed(to: [other], using: "hci0")
                == [.vanished(zero), .appeared(other), .inUse(other)]
        )
    }
}
