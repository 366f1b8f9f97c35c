import Testing

@testable import BluejayBlueZ

@Suite("Registration of the pairing agent")
struct AgentRegistrationStateMachineTests {
    private static let limit = AgentRegistrationStateMachine.Action.setTimer(
        AgentRegistrationStateMachine.replyTimeout
    )

    private static func registering() -> AgentRegistrationStateMachine {
        var machine = AgentRegistrationStateMachine()
        _ = machine.available(true, now: .zero)
        _ = machine.requested(true, now: .zero)
        return machine
    }

    @Test("The agent is registered with each bluetoothd while a caller needs it")
    func registered() {
        var machine = AgentRegistrationStateMachine()
        #expect(machine.available(true, now: .zero) == [])
        #expect(machine.requested(true, now: .zero) == [.register(1), Self.limit])
        #expect(machine.isAwaitingReply)
        #expect(
            machine.registered(1, succeeded: true, now: .zero) == [.setTimer(nil), .resumeWaiters]
        )
        #expect(machine.isRegistered)
        #expect(machine.requested(true, now: .zero) == [])
        // bluetoothd was killed, and restarts.
        #expect(machine.available(false, now: .zero) == [.unexport])
        #expect(machine.available(true, now: .zero) == [.register(2), Self.limit])
        #expect(machine.registered(1, succeeded: true, now: .zero) == [])
        #expect(
            machine.registered(2, succeeded: true, now: .zero) == [.setTimer(nil), .resumeWaiters]
        )
        #expect(machine.requested(false, now: .zero) == [.unregister])
        #expect(machine.available(false, now: .zero) == [])
    }

    @Test("A change of the capability registers the agent again while its callers wait")
    func capability() {
        var machine = AgentRegistrationStateMachine()
        #expect(machine.capabilityChanged(now: .zero) == [])
        machine = Self.registering()
        #expect(machine.capabilityChanged(now: .zero) == [.unregister, .register(2), Self.limit])
        #expect(machine.registered(1, succeeded: true, now: .zero) == [])
        #expect(machine.isAwaitingReply)
        #expect(
            machine.registered(2, succeeded: true, now: .zero) == [.setTimer(nil), .resumeWaiters]
        )
        #expect(machine.capabilityChanged(now: .zero) == [.unregister, .register(3), Self.limit])
        #expect(machine.requested(true, now: .zero) == [])
        // bluetoothd refuses the agent; the retry has the new abilities.
        #expect(
            machine.registered(3, succeeded: false, now: .zero)
                == [
                    .unregister,
                    .setTimer(AgentRegistrationStateMachine.firstRetryDelay),
                    .resumeWaiters,
                ]
        )
        #expect(machine.capabilityChanged(now: .zero) == [])
    }

    @Test("A late reply still completes the registration, for which no caller waits any longer")
    func late() {
        var machine = Self.registering()
        #expect(machine.timerFired(now: .seconds(25)) == [.resumeWaiters])
        #expect(machine.isLate && !machine.isAwaitingReply)
        #expect(machine.timerFired(now: .seconds(26)) == [])
        #expect(machine.registered(1, succeeded: true, now: .seconds(60)) == [.setTimer(nil)])
        #expect(machine.isRegistered)
    }

    @Test("A late registration that no caller needs is withdrawn")
    func lateAndUnwanted() {
        var machine = Self.registering()
        _ = machine.timerFired(now: .seconds(25))
        #expect(machine.requested(false, now: .seconds(30)) == [.setTimer(nil), .unregister])
        #expect(
            machine.requested(true, now: .seconds(31))
                == [
                    .register(2),
                    .setTimer(.seconds(31) + AgentRegistrationStateMachine.replyTimeout),
                ]
        )
    }

    @Test("A rejected registration is retried with growing delays")
    func refused() {
        var machine = Self.registering()
        #expect(
            machine.registered(1, succeeded: false, now: .zero)
                == [.unregister, .setTimer(.seconds(1)), .resumeWaiters]
        )
        #expect(machine.requested(true, now: .zero) == [])
        #expect(
            machine.timerFired(now: .seconds(1))
                == [
                    .register(2),
                    .setTimer(.seconds(1) + AgentRegistrationStateMachine.replyTimeout),
                ]
        )
        #expect(
            machine.registered(2, succeeded: false, now: .seconds(1))
                == [.unregister, .setTimer(.seconds(3)), .resumeWaiters]
        )
        var pauses: [Duration] = []
        for call in 3...14 {
            _ = machine.timerFired(now: .zero)
            for case .setTimer(let pause?) in machine.registered(call, succeeded: false, now: .zero)
            { pauses.append(pause) }
        }
        #expect(pauses.first == .seconds(4))
        #expect(pauses.last == AgentRegistrationStateMachine.maximumRetryDelay)
        #expect(machine.available(false, now: .zero) == [.setTimer(nil)])
        _ = machine.available(true, now: .zero)
        #expect(machine.registered(15, succeeded: true, now: .zero).contains(.resumeWaiters))
    }

    @Test("An agent that bluetoothd releases is not registered again before the next bluetoothd")
    func released() {
        var machine = Self.registering()
        _ = machine.registered(1, succeeded: true, now: .zero)
        #expect(machine.released() == [.unexport])
        #expect(machine.requested(false, now: .zero) == [])
    }

    @Test("Waiting callers resume when no caller needs the registration")
    func unwanted() {
        var machine = Self.registering()
        #expect(
            machine.requested(false, now: .zero) == [.setTimer(nil), .unregister, .resumeWaiters]
        )
        #expect(machine.registered(1, succeeded: true, now: .zero) == [])
        _ = machine.requested(true, now: .zero)
        #expect(
            machine.available(false, now: .zero) == [.setTimer(nil), .unexport, .resumeWaiters]
        )
    }
}
