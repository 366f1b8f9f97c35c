import Testing

@testable import BluejayBlueZ

@Suite("D-Bus activation of bluetoothd")
struct ActivationStateMachineTests {
    @Test("The first activation request is sent at once, the later ones after growing delays")
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

    @Test("Each loss of bluetoothd is followed by an activation request after 1 s")
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

    @Test("A bluetoothd that exits right after its start is activated less and less often")
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

    @Test(
        "A bus without an activation file for bluetoothd receives no request before the next loss"
    )
    func unknown() {
        var machine = ActivationStateMachine()
        _ = machine.missing(isFirst: true, now: .zero)
        #expect(machine.replied(1, .unknown) == [])
        #expect(machine.timerFired() == [])
        #expect(machine.missing(isFirst: false, now: .zero) == [])
        _ = machine.found(now: .zero)
        #expect(machine.missing(isFirst: false, now: .seconds(1)) == [.setTimer(.seconds(1))])
    }

    @Test("No activation request follows the loss of the bus")
    func busLost() {
        var machine = ActivationStateMachine()
        _ = machine.missing(isFirst: true, now: .zero)
        #expect(machine.busLost() == [.setTimer(nil)])
        #expect(machine.replied(1, .failed) == [])
        #expect(machine.missing(isFirst: true, now: .zero) == [.startService(2)])
    }
}
