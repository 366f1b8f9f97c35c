import BluejayBlueZ
import TestSupport
import Testing

@Suite("Detection of connected centrals")
struct CentralStateMachineTests {
    typealias Machine = CentralStateMachine<String>

    @Test("A device that opens the link is a central until it disconnects")
    func comes() {
        var machine = Machine()
        _ = machine.observed([], linked: [])
        #expect(
            machine.observed(["phone"], linked: []) == [
                .connected("phone"), .centralConnected("phone"),
            ]
        )
        #expect(machine.observed(["phone"], linked: []).isEmpty)
        #expect(
            machine.observed([], linked: []) == [
                .centralDisconnected("phone"), .disconnected("phone"),
            ]
        )
        #expect(machine == after { _ = $0.observed([], linked: []) })
    }

    @Test("A device that this program connected is not a central, even after BlueZ keeps the link")
    func ours() {
        var machine = Machine()
        _ = machine.observed([], linked: [])
        #expect(machine.observed(["watch"], linked: ["watch"]) == [.connected("watch")])
        #expect(machine.observed(["watch"], linked: []).isEmpty)
        #expect(machine.centrals.isEmpty)
        #expect(machine.observed([], linked: []) == [.disconnected("watch")])
    }

    @Test(
        "A device that accesses a local attribute is a central, even if this program opened the link"
    )
    func uses() {
        var machine = Machine()
        _ = machine.observed(["watch"], linked: ["watch"])
        #expect(machine.attributeAccessed("watch") == [.centralConnected("watch")])
        #expect(machine.attributeAccessed("watch").isEmpty)
        #expect(machine.centrals == ["watch"])
        #expect(
            machine.observed([], linked: []) == [
                .centralDisconnected("watch"), .disconnected("watch"),
            ]
        )
        #expect(machine.observed(["watch"], linked: ["watch"]) == [.connected("watch")])
        #expect(machine.attributeAccessed("watch") == [.centralConnected("watch")])
    }

    @Test("A central remains one when a local lease joins its link")
    func joined() {
        var machine = Machine()
        _ = machine.observed([], linked: [])
        _ = machine.observed(["phone"], linked: [])
        #expect(machine.observed(["phone"], linked: ["phone"]).isEmpty)
        #expect(machine.centrals == ["phone"])
    }

    @Test(
        "An adopted link counts as local, unless its device has accessed a local attribute"
    )
    func takenOver() {
        var machine = Machine()
        let found: [Machine.Change] = [
            .connected("watch"), .centralConnected("watch"), .connected("phone"),
            .centralConnected("phone"),
        ]
        #expect(machine.observed(["watch", "phone"], linked: []) == found)
        _ = machine.attributeAccessed("phone")
        #expect(
            machine.observed(["watch", "phone"], linked: ["watch", "phone"]) == [
                .centralDisconnected("watch")
            ]
        )
        #expect(machine.centrals == ["phone"])
        #expect(machine.connected == ["watch", "phone"])
    }

    @Test("A loss of bluetoothd disconnects all devices and clears the state")
    func lost() {
        var machine = Machine()
        _ = machine.observed([], linked: [])
        _ = machine.observed(["phone", "watch"], linked: ["watch"])
        #expect(
            machine.lost() == [
                .centralDisconnected("phone"), .disconnected("phone"), .disconnected("watch"),
            ]
        )
        #expect(machine == Machine())
        #expect(machine.lost().isEmpty)
        #expect(machine.attributeAccessed("phone").isEmpty)
        #expect(
            machine.observed(["phone"], linked: []) == [
                .connected("phone"), .centralConnected("phone"),
            ]
        )
    }

    @Test(
        "In random sequences, the reports match the connected devices and centrals",
        arguments: 0..<30 as Range<UInt64>
    )
    func balance(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = Machine()
        var connected: [String] = []
        var centrals: Set<String> = []
        let all = ["a", "b", "c"]
        for _ in 0..<300 {
            let chosen = all.filter { _ in Bool.random(using: &random) }
            let ours = Set(all.filter { _ in Bool.random(using: &random) })
            let changes =
                switch Int.random(in: 0..<8, using: &random) {
                case 0: machine.lost()
                case 1, 2, 3: machine.attributeAccessed(all[Int.random(in: 0..<3, using: &random)])
                default: machine.observed(chosen, linked: ours)
                }
            for change in changes {
                switch change {
                case .connected(let device):
                    #expect(!connected.contains(device), "seed \(seed)")
                    connected.append(device)
                case .disconnected(let device):
                    #expect(connected.contains(device), "seed \(seed)")
                    connected.removeAll { $0 == device }
                case .centralConnected(let device):
                    #expect(connected.contains(device), "seed \(seed)")
                    #expect(centrals.insert(device).inserted, "seed \(seed)")
                case .centralDisconnected(let device):
                    #expect(connected.contains(device), "seed \(seed)")
                    #expect(centrals.remove(device) != nil, "seed \(seed)")
                }
            }
            #expect(machine.connected == connected, "seed \(seed)")
            #expect(Set(machine.centrals) == centrals, "seed \(seed)")
        }
    }

    private func after(_ change: (inout Machine) -> Void) -> Machine {
        var machine = Machine()
        change(&machine)
        return machine
    }
}
