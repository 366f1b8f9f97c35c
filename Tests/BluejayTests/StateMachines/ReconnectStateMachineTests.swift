import Testing

@testable import Bluejay

@Suite("Connecting again")
struct ReconnectStateMachineTests {
    /// The end of a connection or an attempt, with the answer of a handler.
    private func end(
        _ machine: inout ReconnectStateMachine,
        _ end: QueueStateMachine.End,
        handler decision: Bool? = nil,
        isAvailable: Bool = true
    ) -> (willReconnect: Bool, actions: [ReconnectStateMachine.Action]) {
        let will = machine.ended(end)
        let actions = machine.decided(
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

    @Test("A lost connection is made again at once")
    func lost() {
        var machine = connected()
        let (will, actions) = end(&machine, .lost)
        #expect(will)
        #expect(actions == [.setTimer(.zero)])
        #expect(machine.pauseEnded() == [.setTimer(nil), .attempt])
    }

    @Test("A first attempt that fails is not repeated, whatever the handler says")
    func firstAttempt() {
        var machine = ReconnectStateMachine()
        let failed = QueueStateMachine.End.attempt(.connectionTimedOut)
        let (will, actions) = end(&machine, failed, handler: true)
        #expect(!will)
        #expect(actions == [])
        #expect(!machine.isPending)
    }

    @Test("After an explicit disconnect nothing is made again, unless the handler says so")
    func requested() {
        var machine = connected()
        #expect(end(&machine, .requested).willReconnect == false)
        #expect(!machine.isWanted && !machine.isPending)
        machine = connected()
        #expect(end(&machine, .requested, handler: true).actions == [.setTimer(.zero)])
    }

    @Test("The handler's veto counts until the next connection")
    func veto() {
        var machine = connected()
        let (will, actions) = end(&machine, .lost, handler: false)
        #expect(will)
        #expect(actions == [.setTimer(nil)])
        #expect(!machine.isWanted && !machine.isPending)
        _ = machine.connected()
        #expect(machine.isWanted)
    }

    @Test("The pauses double up to the longest, and a connection starts anew")
    func backOff() {
        var machine = connected()
        machine.options = ReconnectOptions(
            firstDelay: .seconds(1),
            longestDelay: .seconds(5)
        )
        var pauses: [ReconnectStateMachine.Action?] = [end(&machine, .lost).actions.first]
        for _ in 1...4 {
            _ = machine.pauseEnded()
            pauses.append(end(&machine, .attempt(.unexpectedDisconnect)).actions.first)
        }
        #expect(
            pauses == [
                .setTimer(.zero), .setTimer(.seconds(1)), .setTimer(.seconds(2)),
                .setTimer(.seconds(4)), .setTimer(.seconds(5)),
            ]
        )
        _ = machine.connected()
        #expect(end(&machine, .lost).actions == [.setTimer(.zero)])
    }

    @Test("The limit counts attempts in a row", arguments: [0, 1, 3])
    func limit(_ limit: Int) {
        var machine = connected()
        machine.options.limit = limit
        var attempts = 0
        var will = end(&machine, .lost).willReconnect
        while will, attempts < 10 {
            #expect(machine.pauseEnded().contains(.attempt))
            attempts += 1
            will = end(&machine, .attempt(.connectionTimedOut)).willReconnect
        }
        #expect(attempts == limit)
        #expect(!machine.isPending)
    }

    @Test("While Bluetooth is off nothing is tried; it is when Bluetooth is back")
    func switchedOff() {
        var machine = connected()
        let off = QueueStateMachine.End.unavailable(.poweredOff)
        #expect(end(&machine, off, isAvailable: false).willReconnect)
        #expect(machine.isPending)
        #expect(machine.becameAvailable() == [.attempt])
        machine.interrupted()
        #expect(machine.becameAvailable() == [.attempt])
    }

    @Test("A pause that Bluetooth's end interrupts is over when it is back")
    func offDuringPause() {
        var machine = connected()
        _ = end(&machine, .lost)
        #expect(machine.becameUnavailable() == [.setTimer(nil)])
        #expect(machine.pauseEnded() == [])
        #expect(machine.becameAvailable() == [.attempt])
    }

    @Test("What is cancelled is not tried again")
    func cancelled() {
        var machine = connected()
        _ = end(&machine, .lost)
        #expect(machine.cancel() == [.setTimer(nil)])
        #expect(machine.pauseEnded() == [])
        #expect(machine.becameAvailable() == [])
        // The attempt that was given up ends, too.
        #expect(end(&machine, .attempt(.cancelled)).willReconnect == false)
    }
}
