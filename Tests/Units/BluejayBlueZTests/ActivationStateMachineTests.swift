import Testing

@testable import BluejayBlueZ

@Suite("A bluetoothd that the bus starts")
struct ActivationStateMachineTests {
    @Test("32.10: the bus is asked at once at first, and after growing pauses then")
    func pauses() {
        var machine = ActivationStateMachine()
        #expect(machine.missing(isFirst: true, now: .zero) == [.startService(1)])
        var pauses: [Duration] = []
        for call in 1...9 {
            for case .setTimer(let pause?) in machine.replied(call, .failed) {
                pauses.append(pause)
            }
            #expect(machine.timerFired() == [.startService(call + 1)])
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }

    @Test("32.10: it is asked again after each loss")
    func loss() {
        var machine = ActivationStateMachine()
        #expect(machine.found(now: .zero) == [.setTimer(nil)])
        #expect(machine.missing(isFirst: false, now: .seconds(100)) == [.setTimer(.seconds(1))])
        #expect(machine.missing(isFirst: false, now: .seconds(100)) == [])
        #expect(machine.timerFired() == [.startService(1)])
        #expect(machine.found(now: .seconds(102)) == [.setTimer(nil)])
        #expect(machine.replied(1, .accepted) == [])
        #expect(machine.timerFired() == [])
    }

    @Test("32.10: a bluetoothd that dies at once is started less and less often")
    func crashes() {
        var machine = ActivationStateMachine()
        var now = Duration.zero
        var pauses: [Duration] = []
        for _ in 1...8 {
            _ = machine.found(now: now)
            now += .seconds(2)
            for case .setTimer(let pause?) in machine.missing(isFirst: false, now: now) {
                pauses.append(pause)
            }
            _ = machine.timerFired()
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        _ = machine.found(now: now)
        now += ActivationStateMachine.steadyTime
        #expect(machine.missing(isFirst: false, now: now) == [.setTimer(.seconds(1))])
    }

    @Test("32.10: a bus that knows no way to start it is not asked again before the next loss")
    func unknown() {
        var machine = ActivationStateMachine()
        _ = machine.missing(isFirst: true, now: .zero)
        #expect(machine.replied(1, .unknown) == [])
        #expect(machine.timerFired() == [])
        #expect(machine.missing(isFirst: false, now: .zero) == [])
        _ = machine.found(now: .zero)
        #expect(machine.missing(isFirst: false, now: .seconds(1)) == [.setTimer(.seconds(1))])
    }

    @Test("32.10: nothing is asked of a bus that is gone")
    func busLost() {
        var machine = ActivationStateMachine()
        _ = machine.missing(isFirst: true, now: .zero)
        #expect(machine.busLost() == [.setTimer(nil)])
        #expect(machine.replied(1, .failed) == [])
        #expect(machine.missing(isFirst: true, now: .zero) == [.startService(2)])
    }
}
