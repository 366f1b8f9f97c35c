import TestSupport
import Testing

@testable import GameHost

@Suite("The steps from start to advertisement and back")
struct HostSessionStateMachineTests {
    @Test(
        "A start adds the service, requests the name once and advertises; a stop reverses the steps"
    )
    func order() {
        var machine = HostSessionStateMachine()
        #expect(machine.start(1).isEmpty)
        #expect(machine.status == .waiting)
        #expect(machine.bluetoothChanged(isOn: true) == [.addService])
        #expect(machine.added(nil) == [.requestName(session: 1)])
        #expect(machine.status == .adding)
        #expect(machine.named("Game", session: 1) == [.startAdvertising(name: "Game")])
        #expect(machine.status == .adding)
        #expect(machine.started(nil).isEmpty)
        #expect(machine.status == .advertising(name: "Game"))
        #expect(machine.stop() == [.stopAdvertising])
        #expect(machine.status == .idle)
        #expect(machine.stopped() == [.removeService])
        #expect(machine.removed().isEmpty)
        #expect(machine.isIdle)
    }

    @Test(
        "After a power cycle the service and the advertisement return without another name request"
    )
    func power() {
        var machine = advertising()
        #expect(machine.bluetoothChanged(isOn: false) == [.stopAdvertising])
        #expect(machine.status == .waiting)
        #expect(machine.stopped() == [.removeService])
        #expect(machine.removed().isEmpty)
        #expect(machine.bluetoothChanged(isOn: true) == [.addService])
        #expect(machine.added(nil) == [.startAdvertising(name: "Game")])
        #expect(machine.started(nil).isEmpty)
        #expect(machine.status == .advertising(name: "Game"))
    }

    @Test("A pending name request is not repeated")
    func askedOnce() {
        var machine = HostSessionStateMachine()
        _ = machine.start(1)
        _ = machine.bluetoothChanged(isOn: true)
        #expect(machine.added(nil) == [.requestName(session: 1)])
        _ = machine.bluetoothChanged(isOn: false)
        _ = machine.removed()
        #expect(machine.bluetoothChanged(isOn: true) == [.addService])
        #expect(machine.added(nil).isEmpty)
        #expect(machine.named("Game", session: 1) == [.startAdvertising(name: "Game")])
    }

    @Test("A refusal by bluetoothd lasts until Bluetooth returns or the host stops")
    func refused() {
        var machine = HostSessionStateMachine()
        _ = machine.start(1)
        _ = machine.bluetoothChanged(isOn: true)
        #expect(machine.added("no room").isEmpty)
        #expect(machine.status == .failed("no room"))
        #expect(machine.bluetoothChanged(isOn: false).isEmpty)
        #expect(machine.bluetoothChanged(isOn: true) == [.addService])
        _ = machine.added(nil)
        _ = machine.named("Game", session: 1)
        #expect(machine.started("too many") == [.removeService])
        #expect(machine.status == .failed("too many"))
        #expect(machine.stop().isEmpty)
        #expect(machine.removed().isEmpty)
        #expect(machine.start(2) == [.addService])
    }

    @Test("A stop followed by a start begins a new session after the end of the old one")
    func again() {
        var machine = advertising()
        #expect(machine.stop() == [.stopAdvertising])
        #expect(machine.start(2).isEmpty)
        #expect(machine.status == .adding)
        #expect(machine.named("Late", session: 1).isEmpty)
        #expect(machine.stopped() == [.removeService])
        #expect(machine.removed() == [.addService])
        #expect(machine.added(nil) == [.requestName(session: 2)])
    }

    private func advertising() -> HostSessionStateMachine {
        var machine = HostSessionStateMachine()
        _ = machine.start(1)
        _ = machine.bluetoothChanged(isOn: true)
        _ = machine.added(nil)
        _ = machine.named("Game", session: 1)
        _ = machine.started(nil)
        return machine
    }

    @Test("In random sequences, each session requests one name, and a stop leaves nothing")
    func random() {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        for round in UInt64(0)..<300 {
            var dice = SeededGenerator(seed: seed &+ round)
            var machine = HostSessionStateMachine()
            var open: [HostSessionStateMachine.Action] = []
            var asked: [Int: Int] = [:]
            var session = 0
            func take(_ actions: [HostSessionStateMachine.Action]) {
                for action in actions {
                    if case .requestName(let number) = action { asked[number, default: 0] += 1 }
                }
                open += actions
            }
            func answer(_ isGood: Bool) {
                guard !open.isEmpty else { return }
                let failure = isGood ? nil : "no"
                switch open.removeFirst() {
                case .addService: take(machine.added(failure))
                case .removeService: take(machine.removed())
                case .requestName(let number): take(machine.named("Game", session: number))
                case .startAdvertising: take(machine.started(failure))
                case .stopAdvertising: take(machine.stopped())
                }
            }
            for _ in 0..<60 {
                switch dice.next() % 8 {
                case 0:
                    session += 1
                    take(machine.stop())
                    take(machine.start(session))
                case 1: take(machine.stop())
                case 2: take(machine.bluetoothChanged(isOn: dice.next() % 2 == 0))
                case 3: take(machine.advertisementEnded("gone"))
                default: answer(dice.next() % 6 > 0)
                }
                let steps = open.filter { if case .requestName = $0 { false } else { true } }
                #expect(steps.count <= 1, "seed \(seed), round \(round)")
            }
            take(machine.stop())
            while !open.isEmpty { answer(true) }
            #expect(machine.isIdle, "seed \(seed), round \(round)")
            #expect(asked.values.allSatisfy { $0 == 1 }, "seed \(seed), round \(round)")
        }
    }
}
