import BluejayBlueZ
import TestSupport
import Testing

@Suite("Registration of services and advertisements")
struct RegistrationStateMachineTests {
    typealias Machine = RegistrationStateMachine<Int>
    typealias Action = Machine.Action

    static func registered() -> Machine {
        var machine = Machine()
        _ = machine.start(at: 0, isAvailabilityKnown: true)
        _ = machine.replied(.registered, attempt: 1)
        return machine
    }

    static func registering() -> Machine {
        var machine = Machine()
        _ = machine.start(at: 0, isAvailabilityKnown: true)
        return machine
    }

    @Test("With Bluetooth on, a registration starts immediately and completes with the reply")
    func begin() {
        var machine = Machine()
        #expect(machine.start(at: 0, isAvailabilityKnown: true) == [.register(at: 0, attempt: 1)])
        #expect(!machine.isRegistered)
        #expect(machine.replied(.registered, attempt: 1) == [.completeStart(.registered)])
        #expect(machine.isRegistered)
    }

    @Test("While the Bluetooth state is unknown, a registration waits")
    func waits() {
        var machine = Machine()
        #expect(machine.start(at: nil, isAvailabilityKnown: false) == [])
        #expect(machine.available(at: 0) == [.register(at: 0, attempt: 1)])
    }

    @Test("Without Bluetooth, a registration fails and is disposed of")
    func unavailable() {
        var known = Machine()
        #expect(
            known.start(at: nil, isAvailabilityKnown: true) == [
                .dispose, .completeStart(.unavailable),
            ]
        )
        var learned = Machine()
        _ = learned.start(at: nil, isAvailabilityKnown: false)
        #expect(learned.unavailable() == [.dispose, .completeStart(.unavailable)])
        #expect(learned.available(at: 0) == [])
    }

    @Test("A rejected registration fails and is disposed of")
    func refused() {
        var machine = Self.registering()
        #expect(
            machine.replied(.failed, attempt: 1) == [.dispose, .completeStart(.failed)]
        )
        #expect(machine.isEnded)
    }

    @Test("A withdrawal waits for bluetoothd")
    func withdraw() {
        var machine = Self.registered()
        #expect(machine.withdraw() == [.unregister(at: 0, attempt: 2)])
        #expect(machine.withdraw() == [])
        #expect(
            machine.unregistered(attempt: 2) == [.dispose, .completeWithdraw, .completeWithdraw]
        )
        #expect(machine.withdraw() == [.completeWithdraw])
    }

    @Test("A withdrawal during a registration waits for the reply before it unregisters")
    func withdrawEarly() {
        var machine = Self.registering()
        #expect(machine.withdraw() == [.completeStart(.withdrawn)])
        #expect(machine.replied(.registered, attempt: 1) == [.unregister(at: 0, attempt: 2)])
        #expect(machine.unregistered(attempt: 2) == [.dispose, .completeWithdraw])
    }

    @Test("A withdrawal before the registration was sent completes immediately")
    func withdrawWaiting() {
        var machine = Machine()
        _ = machine.start(at: nil, isAvailabilityKnown: false)
        #expect(
            machine.withdraw() == [.dispose, .completeStart(.withdrawn), .completeWithdraw]
        )
    }

    @Test("After a lost daemon, the object is registered again without a report")
    func lost() {
        var machine = Self.registered()
        #expect(machine.lost() == [])
        #expect(!machine.isRegistered)
        #expect(machine.unavailable() == [])
        #expect(machine.available(at: 0) == [.register(at: 0, attempt: 3)])
        #expect(machine.replied(.registered, attempt: 1) == [])
        #expect(machine.replied(.registered, attempt: 3) == [])
        #expect(machine.isRegistered)
    }

    @Test("If registering again fails, the end is reported")
    func lostForGood() {
        var machine = Self.registered()
        _ = machine.lost()
        _ = machine.available(at: 0)
        #expect(machine.replied(.failed, attempt: 3) == [.dispose, .reportEnded(.failed)])
    }

    @Test("A lost daemon fails the first registration and completes a withdrawal")
    func lostInBetween() {
        var first = Self.registering()
        #expect(first.lost() == [])
        #expect(first.unavailable() == [.dispose, .completeStart(.unavailable)])
        var withdrawn = Self.registering()
        _ = withdrawn.withdraw()
        #expect(withdrawn.lost() == [.dispose, .completeWithdraw])
        var leaving = Self.registered()
        _ = leaving.withdraw()
        #expect(leaving.lost() == [.dispose, .completeWithdraw])
    }

    @Test("A released advertisement is registered again unless it has timed out")
    func released() {
        var machine = Self.registered()
        #expect(machine.released(isFinal: false) == [])
        #expect(machine.available(at: 0) == [.register(at: 0, attempt: 3)])
        var timed = Self.registered()
        #expect(timed.released(isFinal: true) == [.dispose, .reportEnded(.registered)])
    }

    @Test("An advertisement that timed out while bluetoothd was missing ends")
    func over() {
        var machine = Self.registered()
        _ = machine.released(isFinal: false)
        #expect(machine.available(at: 0, isExpired: true) == [.dispose, .reportEnded(.registered)])
    }

    @Test("An earlier attempt that reached the new adapter is replaced")
    func alreadyRegistered() {
        var machine = Self.registered()
        _ = machine.lost()
        _ = machine.available(at: 0)
        #expect(
            machine.alreadyRegistered(attempt: 3) == [
                .unregisterWithoutReply(at: 0), .register(at: 0, attempt: 4),
            ]
        )
        #expect(machine.replied(.registered, attempt: 4) == [])
        #expect(machine.isRegistered)
    }

    @Test("A registration that already exists without an earlier attempt, or again, is rejected")
    func alreadyRegisteredTwice() {
        var first = Self.registering()
        #expect(
            first.alreadyRegistered(attempt: 1) == [.dispose, .completeStart(.failed)]
        )
        var again = Self.registering()
        _ = again.lost()
        _ = again.available(at: 0)
        _ = again.alreadyRegistered(attempt: 3)
        #expect(
            again.alreadyRegistered(attempt: 4) == [.dispose, .completeStart(.failed)]
        )
    }

    @Test("An earlier attempt that succeeds late is withdrawn, unless a later one replaces it")
    func registeredLate() {
        var withdrawn = Self.registering()
        _ = withdrawn.lost()
        _ = withdrawn.withdraw()
        #expect(withdrawn.registeredLate(at: 0) == [.unregisterWithoutReply(at: 0)])
        var moved = Self.registering()
        _ = moved.lost()
        _ = moved.available(at: 1)
        #expect(moved.registeredLate(at: 0) == [.unregisterWithoutReply(at: 0)])
        var renewed = Self.registering()
        _ = renewed.lost()
        _ = renewed.available(at: 0)
        #expect(renewed.registeredLate(at: 0) == [])
    }

    @Test("An earlier attempt that reached the new adapter is withdrawn with the object")
    func alreadyRegisteredWithdrawn() {
        var machine = Self.registered()
        _ = machine.lost()
        _ = machine.available(at: 0)
        _ = machine.withdraw()
        #expect(machine.alreadyRegistered(attempt: 3) == [.unregister(at: 0, attempt: 4)])
        #expect(machine.unregistered(attempt: 4) == [.dispose, .completeWithdraw])
    }

    @Test("A temporarily rejected renewal is retried with increasing delays")
    func refusedForNow() {
        var machine = Self.registered()
        _ = machine.lost()
        _ = machine.available(at: 0)
        for (attempt, seconds) in zip(3..., [1, 2, 4, 8, 16, 32, 32]) {
            #expect(
                machine.refusedForNow(attempt: attempt) == [
                    .retry(attempt: attempt, after: .seconds(seconds))
                ]
            )
            #expect(machine.retryTimerFired(attempt: attempt - 1, isExpired: false) == [])
            #expect(
                machine.retryTimerFired(attempt: attempt, isExpired: false) == [
                    .register(at: 0, attempt: attempt + 1)
                ]
            )
        }
        #expect(machine.replied(.registered, attempt: 10) == [])
        #expect(machine.isRegistered)
    }

    @Test("A temporarily rejected first registration fails")
    func firstRefusedForNow() {
        var machine = Self.registering()
        #expect(machine.refusedForNow(attempt: 1) == [.dispose, .completeStart(.failed)])
    }

    @Test("A retry is cancelled by a withdrawal, a timeout or a new adapter")
    func pauseEnds() {
        func pausing() -> Machine {
            var machine = Self.registered()
            _ = machine.lost()
            _ = machine.available(at: 0)
            _ = machine.refusedForNow(attempt: 3)
            return machine
        }
        var withdrawn = pausing()
        #expect(withdrawn.withdraw() == [.dispose, .completeWithdraw])
        #expect(withdrawn.retryTimerFired(attempt: 3, isExpired: false) == [])
        var expired = pausing()
        #expect(
            expired.retryTimerFired(attempt: 3, isExpired: true) == [
                .dispose, .reportEnded(.registered),
            ]
        )
        var replaced = pausing()
        #expect(replaced.lost() == [])
        #expect(replaced.retryTimerFired(attempt: 3, isExpired: false) == [])
        #expect(replaced.available(at: 1) == [.register(at: 1, attempt: 5)])
    }

    // MARK: Two adapters

    @Test("If another adapter replaces the first, the object is registered there")
    func elsewhere() {
        var machine = Self.registering()
        #expect(machine.lost() == [])
        #expect(machine.available(at: 1) == [.register(at: 1, attempt: 3)])
        #expect(machine.replied(.registered, attempt: 3) == [.completeStart(.registered)])
    }

    @Test("A registered object moves to the new adapter in use")
    func moves() {
        var machine = Self.registered()
        #expect(machine.available(at: 0) == [])
        #expect(
            machine.available(at: 1) == [
                .unregisterWithoutReply(at: 0), .register(at: 1, attempt: 2),
            ]
        )
        #expect(machine.isInUse)
        #expect(machine.replied(.registered, attempt: 2) == [])
        #expect(machine.withdraw() == [.unregister(at: 1, attempt: 3)])
    }

    @Test("An object that is registering waits for the reply before it moves to another adapter")
    func movesEarly() {
        for (answer, forsaken) in [
            (Machine.Outcome.registered, [Action.unregisterWithoutReply(at: 0)]), (.failed, []),
        ] {
            var machine = Self.registering()
            #expect(machine.available(at: 1) == [])
            #expect(machine.adapter == 0)
            let moved = forsaken + [.register(at: 1, attempt: 2)]
            #expect(machine.replied(answer, attempt: 1) == moved)
            #expect(machine.replied(.registered, attempt: 2) == [.completeStart(.registered)])
        }
    }

    @Test("An object stays if the other adapter has gone before the reply arrives")
    func stays() {
        for event in [{ $0.available(at: 0) }, { $0.unavailable() }]
            as [(inout Machine) -> [Action]]
        {
            var machine = Self.registering()
            _ = machine.available(at: 1)
            #expect(event(&machine) == [])
            #expect(machine.replied(.registered, attempt: 1) == [.completeStart(.registered)])
            #expect(machine.adapter == 0)
        }
    }

    @Test("An object is unregistered from the adapter that registered it")
    func takenBack() {
        var registering = Self.registering()
        _ = registering.available(at: 1)
        _ = registering.withdraw()
        #expect(registering.replied(.registered, attempt: 1) == [.unregister(at: 0, attempt: 2)])
        #expect(registering.available(at: 1) == [])
        #expect(registering.adapter == 0)
    }

    @Test("Every call completes exactly once", arguments: 0..<300 as Range<UInt64>)
    func conservation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = Machine()
        var ledger = Ledger()
        ledger.take(
            machine.start(
                at: [nil, 0, 1].randomElement(using: &random) ?? nil,
                isAvailabilityKnown: true
            )
        )
        for _ in 0..<30 {
            switch Int.random(in: 0..<11, using: &random) {
            case 0:
                ledger.withdrawals += 1
                ledger.take(machine.withdraw())
            case 1:
                let isOver = Bool.random(using: &random)
                let adapter = Int.random(in: 0..<2, using: &random)
                ledger.take(machine.available(at: adapter, isExpired: isOver))
            case 2: ledger.take(machine.unavailable())
            case 3: ledger.take(machine.lost())
            case 4: ledger.take(machine.released(isFinal: .random(using: &random)))
            case 5: ledger.take(machine.replied(.registered, attempt: ledger.attempt))
            case 6: ledger.take(machine.replied(.failed, attempt: ledger.attempt))
            case 7: ledger.take(machine.alreadyRegistered(attempt: ledger.attempt))
            case 8: ledger.take(machine.refusedForNow(attempt: ledger.attempt))
            case 9:
                ledger.take(machine.retryTimerFired(attempt: ledger.attempt, isExpired: false))
            default: ledger.take(machine.unregistered(attempt: ledger.attempt))
            }
        }
        // Withdraw everything, so that no request can stay open.
        ledger.withdrawals += 1
        ledger.take(machine.withdraw())
        ledger.take(machine.lost())
        #expect(ledger.begun == 1, "seed \(seed)")
        #expect(ledger.withdrawn == ledger.withdrawals, "seed \(seed)")
        #expect(ledger.disposed == 1, "seed \(seed)")
        #expect(ledger.ended <= 1, "seed \(seed)")
        #expect(machine.isEnded, "seed \(seed)")
    }

    private struct Ledger {
        var attempt = 0
        var begun = 0
        var withdrawals = 0
        var withdrawn = 0
        var disposed = 0
        var ended = 0

        mutating func take(_ actions: [Action]) {
            for action in actions {
                switch action {
                case .register(_, let attempt), .unregister(_, let attempt): self.attempt = attempt
                case .unregisterWithoutReply, .retry: break
                case .completeStart: begun += 1
                case .completeWithdraw: withdrawn += 1
                case .reportEnded: ended += 1
                case .dispose: disposed += 1
                }
            }
        }
    }
}
