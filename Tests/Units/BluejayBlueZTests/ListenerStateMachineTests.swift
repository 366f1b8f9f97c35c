import TestSupport
import Testing

@testable import BluejayBlueZ

@Suite("The life cycle of a listener")
struct ListenerStateMachineTests {
    @Test("A listener is open while an adapter is usable, and keeps its first number")
    func listening() {
        var machine = ListenerStateMachine<String>(psm: 0)
        #expect(machine.open(nil, isAvailabilityKnown: false) == [])
        #expect(machine.changed("hci0", isAvailabilityKnown: true) == [.listen("hci0", psm: 0)])
        #expect(machine.listened(on: 0x90) == [.opened(psm: 0x90)])
        #expect(machine.changed("hci0", isAvailabilityKnown: true) == [])
        #expect(machine.changed(nil, isAvailabilityKnown: true) == [.stop])
        #expect(machine.changed("hci1", isAvailabilityKnown: true) == [.listen("hci1", psm: 0x90)])
        #expect(machine.listened(on: 0x90) == [])
        #expect(machine.close(.cancelled) == [.stop, .ended(nil)])
        #expect(machine.close(.cancelled) == [])
    }

    @Test("A new listener fails once Bluetooth is known to be missing; an open one waits")
    func unavailable() {
        var machine = ListenerStateMachine<String>(psm: 0x80)
        #expect(machine.open(nil, isAvailabilityKnown: true) == [.stop, .openFailed(.unavailable)])
        machine = ListenerStateMachine(psm: 0x80)
        _ = machine.open("hci0", isAvailabilityKnown: true)
        _ = machine.listened(on: 0x80)
        _ = machine.changed(nil, isAvailabilityKnown: true)
        _ = machine.changed("hci0", isAvailabilityKnown: true)
        #expect(machine.failed(.link(.failed("gone"))) == [])
        #expect(machine.changed("hci0", isAvailabilityKnown: true) == [.listen("hci0", psm: 0x80)])
        #expect(machine.failed(.inUse) == [.stop, .ended(.inUse)])
    }

    @Test("The user receives one result and at most one end, in this order", arguments: 0..<300)
    func conservation(seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        var machine = ListenerStateMachine<Int>(psm: 0)
        var (isAsked, isListening) = (false, false)
        var reports: [String] = []
        func perform(_ actions: [ListenerStateMachine<Int>.Action]) {
            for action in actions {
                switch action {
                case .listen:
                    #expect(!isAsked && !isListening, "seed \(seed)")
                    isAsked = true
                case .stop: (isAsked, isListening) = (false, false)
                case .opened: reports.append("opened")
                case .openFailed: reports.append("refused")
                case .ended: reports.append("ended")
                }
            }
        }
        let failures: [ChannelFailure] = [.unavailable, .link(.failed("lost"))]
        perform(machine.open(Int.random(in: 0...1, using: &dice), isAvailabilityKnown: true))
        for _ in 0..<60 {
            switch Int.random(in: 0..<10, using: &dice) {
            case 0...3:
                let adapter = [nil, 0, 1].randomElement(using: &dice) ?? nil
                perform(machine.changed(adapter, isAvailabilityKnown: Bool.random(using: &dice)))
            case 4...7 where isAsked:
                isAsked = false
                isListening = true
                perform(machine.listened(on: 0x80))
            case 8 where isAsked:
                isAsked = false
                perform(machine.failed(failures.randomElement(using: &dice) ?? .unavailable))
            case 9 where Int.random(in: 0..<20, using: &dice) == 0:
                perform(machine.close(.unavailable))
            default: break
            }
        }
        perform(machine.close(.unavailable))
        #expect(machine.isClosed && !isAsked && !isListening, "seed \(seed)")
        #expect([["refused"], ["opened", "ended"]].contains(reports), "seed \(seed): \(reports)")
        perform(machine.changed(0, isAvailabilityKnown: true))
        #expect(!isAsked, "seed \(seed)")
    }
}
