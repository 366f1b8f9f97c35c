import TestSupport
import TestTraits
import Testing

@testable import Bluejay

@Suite("Reconnection")
struct ReconnectStateMachineTests {
    /// Ends a connection or an attempt, with the reply of a handler.
    private func end(
        _ machine: inout ReconnectStateMachine,
        _ end: QueueStateMachine.ConnectionEndReason,
        handler decision: Bool? = nil,
        isAvailable: Bool = true
    ) -> (willReconnect: Bool, actions: [ReconnectStateMachine.Action]) {
        let will = machine.ended(end)
        let actions = machine.handlerDecided(
            end,
            decision,
            willReconnect: will,
            isAvailable: isAvailable
        )
        return (will, actions)
    }

    private func connected() -> ReconnectStateMachine {
        var machine = ReconnectStateMachine()
        _ = machine.connected()
        return machine
    }

    @Test("A lost connection is retried at once")
    func lost() {
        var machine = connected()
        let (will, actions) = end(&machine, .lost)
        #expect(will)
        #expect(actions == [.setTimer(.zero), .announceAttempt(attempt: 1, after: .zero)])
        #expect(machine.timerFired() == [.setTimer(nil), .attempt])
    }

    @Test("A first attempt that fails is not repeated, unless the handler requests it")
    func firstAttempt() {
        var machine = ReconnectStateMachine()
        let failed = QueueStateMachine.ConnectionEndReason.attempt(.connectionTimedOut)
        #expect(end(&machine, failed) == (false, [.setTimer(nil)]))
        #expect(machine.shouldReconnect && !machine.isPending)
        #expect(end(&machine, failed, handler: false) == (false, [.setTimer(nil)]))
        #expect(!machine.shouldReconnect && !machine.isPending)
        let second = end(&machine, failed, handler: true)
        let pause = Duration.seconds(1)
        #expect(second == (false, [.setTimer(pause), .announceAttempt(attempt: 2, after: pause)]))
        #expect(machine.shouldReconnect && machine.isPending)
        // From now on it behaves like a lost connection.
        #expect(machine.timerFired() == [.setTimer(nil), .attempt])
        let third = end(&machine, failed)
        #expect(
            third == (true, [.setTimer(pause * 2), .announceAttempt(attempt: 3, after: pause * 2)])
        )
    }

    @Test("A link that drops at once counts as a failed attempt, also for the limit")
    func flapping() {
        var machine = connected()
        machine.options.maximumAttempts = 3
        var pauses: [Duration] = []
        while case .setTimer(let pause?)? = end(&machine, .lost).actions.first {
            pauses.append(pause)
            _ = machine.timerFired()
            #expect(machine.connected() == [.setTimer(ReconnectStateMachine.steadyTime)])
        }
        #expect(pauses == [.zero, .seconds(1), .seconds(2)])
        #expect(!machine.isPending)
    }

    @Test("A connection that was stable clears the failures")
    func lasted() {
        var machine = connected()
        for _ in 1...3 {
            _ = end(&machine, .lost)
            _ = machine.timerFired()
            _ = machine.connected()
        }
        #expect(machine.timerFired() == [.setTimer(nil)])
        #expect(end(&machine, .lost).actions.first == .setTimer(.zero))
    }

    @Test("A disconnect between two attempts ends the reconnection")
    func disconnected() {
        var machine = connected()
        _ = end(&machine, .lost)
        #expect(machine.disconnected() == [.setTimer(nil)])
        #expect(!machine.shouldReconnect && !machine.isPending)
    }

    @Test("The number of attempts to an absent peripheral in ten minutes matches the documentation")
    func tenMinutes() {
        var machine = connected()
        let options = machine.options
        var now = Duration.zero
        var begins: [Duration] = []
        var actions = end(&machine, .lost).actions
        while case .setTimer(let delay?)? = actions.first, now + delay < .seconds(600) {
            now += delay
            begins.append(now)
            #expect(machine.timerFired() == [.setTimer(nil), .attempt])
            now += options.attemptTimeout
            actions = end(&machine, .attempt(.connectionTimedOut)).actions
        }
        let table = [0, 21, 43, 67, 95, 131, 183, 263, 343, 423, 503, 583]
        #expect(begins == table.map { .seconds($0) })
    }

    @Test("A deferred attempt does not count as a failure, and starts when the queue is idle")
    func yields() {
        var machine = connected()
        _ = end(&machine, .lost)
        _ = machine.timerFired()
        machine.deferred()
        #expect(machine.isPending)
        #expect(machine.becameIdle() == [.attempt])
        #expect(machine.becameIdle() == [])
        // A connection that the user has requested meanwhile replaces it.
        machine.deferred()
        _ = machine.cancel()
        #expect(machine.becameIdle() == [])
    }

    @Test("A deferred attempt waits for Bluetooth like any other")
    func yieldsWhileOff() {
        var machine = connected()
        _ = end(&machine, .lost)
        _ = machine.timerFired()
        machine.deferred()
        #expect(machine.becameUnavailable() == [.setTimer(nil)])
        #expect(machine.becameIdle() == [])
        #expect(machine.becameAvailable() == [.attempt])
    }

    @Test("An explicit disconnect ends the reconnection, unless the handler requests it")
    func requested() {
        var machine = connected()
        #expect(end(&machine, .requested).willReconnect == false)
        #expect(!machine.shouldReconnect && !machine.isPending)
        machine = connected()
        #expect(end(&machine, .requested, handler: true).actions.first == .setTimer(.zero))
    }

    @Test("The handler's refusal applies until the next connection")
    func veto() {
        var machine = connected()
        let (will, actions) = end(&machine, .lost, handler: false)
        #expect(will)
        #expect(actions == [.setTimer(nil)])
        #expect(!machine.shouldReconnect && !machine.isPending)
        _ = machine.connected()
        #expect(machine.shouldReconnect)
    }

    @Test("The delays double up to the maximum, and a connection resets them")
    func backOff() {
        var machine = connected()
        machine.options = ReconnectOptions(
            initialDelay: .seconds(1),
            maximumDelay: .seconds(5)
        )
        var pauses: [ReconnectStateMachine.Action?] = [end(&machine, .lost).actions.first]
        for _ in 1...4 {
            _ = machine.timerFired()
            pauses.append(end(&machine, .attempt(.unexpectedDisconnect)).actions.first)
        }
        #expect(
            pauses == [
                .setTimer(.zero), .setTimer(.seconds(1)), .setTimer(.seconds(2)),
                .setTimer(.seconds(4)), .setTimer(.seconds(5)),
            ]
        )
        _ = machine.connected()
        #expect(end(&machine, .lost).actions.first == .setTimer(.zero))
    }

    @Test(
        "Durations of zero or less still have a delay between attempts and a limit of each attempt",
        arguments: [.zero, .nanoseconds(1), .seconds(Int64.min)] as [Duration]
    )
    func tinyTimes(_ time: Duration) {
        let options = ReconnectOptions(
            initialDelay: time,
            maximumDelay: time,
            attemptTimeout: time
        )
        #expect(options.delay(after: 0) == .zero)
        #expect(options.delay(after: 7) == .milliseconds(5))
        #expect(options.boundedAttemptTimeout.duration == .milliseconds(100))
    }

    @Test("The limit counts consecutive attempts", arguments: [0, 1, 3])
    func limit(_ limit: Int) {
        var machine = connected()
        machine.options.maximumAttempts = limit
        var attempts = 0
        var will = end(&machine, .lost).willReconnect
        while will, attempts < 10 {
            #expect(machine.timerFired().contains(.attempt))
            attempts += 1
            will = end(&machine, .attempt(.connectionTimedOut)).willReconnect
        }
        #expect(attempts == limit)
        #expect(!machine.isPending)
    }

    @Test("No attempt starts while Bluetooth is off; one starts when Bluetooth returns")
    func switchedOff() {
        var machine = connected()
        let off = QueueStateMachine.ConnectionEndReason.unavailable(.poweredOff)
        let (will, actions) = end(&machine, off, isAvailable: false)
        #expect(will)
        #expect(actions == [.setTimer(nil), .announceAttempt(attempt: 1, after: nil)])
        #expect(machine.isPending)
        #expect(machine.becameAvailable() == [.attempt])
        machine.suspended()
        #expect(machine.becameAvailable() == [.attempt])
    }

    @Test(
        "A delay that Bluetooth interrupts is over when Bluetooth returns",
        .fault(.bluetoothOff, during: .reconnectPause)
    )
    func offDuringPause() {
        var machine = connected()
        _ = end(&machine, .lost)
        #expect(machine.becameUnavailable() == [.setTimer(nil)])
        #expect(machine.timerFired() == [])
        #expect(machine.becameAvailable() == [.attempt])
    }

    @Test("A cancelled attempt is not repeated")
    func cancelled() {
        var machine = connected()
        _ = end(&machine, .lost)
        #expect(machine.cancel() == [.setTimer(nil)])
        #expect(machine.timerFired() == [])
        #expect(machine.becameAvailable() == [])
        // The cancelled attempt ends, too.
        #expect(end(&machine, .attempt(.cancelled)).willReconnect == false)
    }

    @Test(
        "Attempts never overlap or exceed the limit, and each pending reconnection leads to one",
        arguments: 0..<300
    )
    func conservation(seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        var machine = ReconnectStateMachine()
        machine.options.maximumAttempts = [nil, 2, 4][seed % 3]
        var (isAvailable, isConnected, isAttempting, isTimerSet) = (true, false, false, false)
        func perform(_ actions: [ReconnectStateMachine.Action]) {
            for action in actions {
                switch action {
                case .attempt:
                    #expect(!isAttempting && !isConnected && isAvailable, "seed \(seed)")
                    isAttempting = true
                case .setTimer(let pause): isTimerSet = pause != nil
                case .announceAttempt(let attempt, let pause):
                    #expect((pause == nil) == !isAvailable, "seed \(seed)")
                    if let limit = machine.options.maximumAttempts {
                        #expect(attempt <= limit, "seed \(seed)")
                    }
                }
            }
        }
        func end(_ end: QueueStateMachine.ConnectionEndReason) {
            (isConnected, isAttempting) = (false, false)
            let will = machine.ended(end)
            perform(machine.handlerDecided(end, nil, willReconnect: will, isAvailable: isAvailable))
        }
        func connect() {
            (isConnected, isAttempting) = (true, false)
            perform(machine.connected())
        }
        func fireTimer() {
            isTimerSet = false
            perform(machine.timerFired())
        }
        for _ in 0..<80 {
            switch Int.random(in: 0..<9, using: &dice) {
            case 0 where !isConnected && isAvailable && (isAttempting || !machine.isPending):
                connect()
            case 1 where isAttempting && isAvailable: end(.attempt(.connectionTimedOut))
            case 2 where isConnected: end(.lost)
            case 3 where isConnected && Int.random(in: 0..<4, using: &dice) == 0: end(.requested)
            case 4 where isTimerSet: fireTimer()
            case 5 where isAvailable:
                isAvailable = false
                if isConnected {
                    end(.unavailable(.poweredOff))
                } else if isAttempting {
                    isAttempting = false
                    machine.suspended()
                }
                perform(machine.becameUnavailable())
            case 6 where !isAvailable:
                isAvailable = true
                perform(machine.becameAvailable())
            case 7 where isAttempting:
                isAttempting = false
                machine.deferred()
            case 8 where isAvailable: perform(machine.becameIdle())
            default: break
            }
        }
        // In all cases, a pending connection leads to an attempt once no obstacle is left.
        let wasPending = machine.isPending
        if !isAvailable {
            isAvailable = true
            perform(machine.becameAvailable())
        }
        if isTimerSet { fireTimer() }
        perform(machine.becameIdle())
        #expect(isAttempting == wasPending, "seed \(seed)")
        var failures = 0
        while isAttempting, failures < 10 {
            failures += 1
            end(.attempt(.connectionTimedOut))
            if isTimerSet { fireTimer() }
        }
        if let limit = machine.options.maximumAttempts {
            #expect(failures <= limit, "seed \(seed)")
        }
        perform(machine.disconnected())
        #expect(machine.isIdle && !isTimerSet, "seed \(seed)")
    }
}
