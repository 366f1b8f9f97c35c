import BluejayBlueZ
import TestSupport
import Testing

@Suite("Who of the connected devices is a central")
struct CentralMachineTests {
    typealias Machine = CentralStateMachine<String>

    @Test("A device that connects by itself is a central until it disconnects")
    func comes() {
        var machine = Machine()
        _ = machine.observed([], ours: [])
        #expect(machine.observed(["phone"], ours: []) == [.connected("phone"), .came("phone")])
        #expect(machine.observed(["phone"], ours: []).isEmpty)
        #expect(machine.observed([], ours: []) == [.left("phone"), .disconnected("phone")])
        #expect(machine == after { _ = $0.observed([], ours: []) })
    }

    @Test("A device to which a link of ours leads is none, also when the link is left to BlueZ")
    func ours() {
        var machine = Machine()
        _ = machine.observed([], ours: [])
        #expect(machine.observed(["watch"], ours: ["watch"]) == [.connected("watch")])
        #expect(machine.observed(["watch"], ours: []).isEmpty)
        #expect(machine.centrals.isEmpty)
        #expect(machine.observed([], ours: []) == [.disconnected("watch")])
    }

    @Test("One that asks for an attribute of ours is one, whoever began the link")
    func uses() {
        var machine = Machine()
        _ = machine.observed(["watch"], ours: ["watch"])
        #expect(machine.used("watch") == [.came("watch")])
        #expect(machine.used("watch").isEmpty)
        #expect(machine.centrals == ["watch"])
        #expect(machine.observed([], ours: []) == [.left("watch"), .disconnected("watch")])
        #expect(machine.observed(["watch"], ours: ["watch"]) == [.connected("watch")])
        #expect(machine.used("watch") == [.came("watch")])
    }

    @Test("One that came by itself stays one when a link of ours joins it")
    func joined() {
        var machine = Machine()
        _ = machine.observed([], ours: [])
        _ = machine.observed(["phone"], ours: [])
        #expect(machine.observed(["phone"], ours: ["phone"]).isEmpty)
        #expect(machine.centrals == ["phone"])
    }

    @Test("One that was there before is ours when a link of ours takes it over before it asks")
    func takenOver() {
        var machine = Machine()
        let found: [Machine.Change] = [
            .connected("watch"), .came("watch"), .connected("phone"), .came("phone"),
        ]
        #expect(machine.observed(["watch", "phone"], ours: []) == found)
        _ = machine.used("phone")
        #expect(
            machine.observed(["watch", "phone"], ours: ["watch", "phone"]) == [.left("watch")]
        )
        #expect(machine.centrals == ["phone"])
        #expect(machine.connected == ["watch", "phone"])
    }

    @Test("After a loss everybody has left, and who is there next was there before")
    func lost() {
        var machine = Machine()
        _ = machine.observed([], ours: [])
        _ = machine.observed(["phone", "watch"], ours: ["watch"])
        #expect(
            machine.lost() == [.left("phone"), .disconnected("phone"), .disconnected("watch")]
        )
        #expect(machine == Machine())
        #expect(machine.lost().isEmpty)
        #expect(machine.used("phone").isEmpty)
        #expect(machine.observed(["phone"], ours: []) == [.connected("phone"), .came("phone")])
    }

    @Test(
        "What is told adds up to who is there, whatever happens",
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
                case 1, 2, 3: machine.used(all[Int.random(in: 0..<3, using: &random)])
                default: machine.observed(chosen, ours: ours)
                }
            for change in changes {
                switch change {
                case .connected(let device):
                    #expect(!connected.contains(device), "seed \(seed)")
                    connected.append(device)
                case .disconnected(let device):
                    #expect(connected.contains(device), "seed \(seed)")
                    connected.removeAll { $0 == device }
                case .came(let device):
                    #expect(connected.contains(device), "seed \(seed)")
                    #expect(centrals.insert(device).inserted, "seed \(seed)")
                case .left(let device):
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
