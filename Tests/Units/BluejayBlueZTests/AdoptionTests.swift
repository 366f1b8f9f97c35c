import TestTraits
import Testing

@testable import BluejayBlueZ

extension ConnectStateMachine {
    /// Returns a machine that found a link with its services.
    fileprivate static func checking() -> ConnectStateMachine {
        var machine = ConnectStateMachine()
        #expect(
            machine.start(known: true, connected: true, services: .all, now: .zero)
                == [.setTimer(nil), .check(1)]
        )
        return machine
    }
}

@Suite("A connection attempt that finds an existing link")
struct AdoptionTests {
    @Test(
        "An existing link that lasts is adopted without a call of Connect",
        .pitfall(.connectOfConnectedDevice)
    )
    func adopts() {
        var machine = ConnectStateMachine.checking()
        #expect(machine.isAdopted)
        #expect(machine.progress == .connected)
        #expect(machine.checked(2, .lasting, now: .seconds(1)) == [])
        #expect(
            machine.checked(1, .lasting, now: .seconds(1)) == [.setTimer(nil), .finish(.connected)]
        )
    }

    @Test("A link that another program is disconnecting is followed by a new connection")
    func dying() {
        var machine = ConnectStateMachine.checking()
        #expect(machine.checked(1, .ending, now: .seconds(1)) == [.setTimer(.seconds(6))])
        #expect(machine.progress == .connecting(attempt: 1))
        var abandoned = machine
        #expect(abandoned.cancel() == [.setTimer(nil), .finish(.cancelled)])
        #expect(
            machine.connected(false, now: .seconds(3)) == [.setTimer(nil), .callConnect(2)]
        )
        #expect(!machine.isAdopted)
        _ = machine.connected(true, now: .seconds(3))
        #expect(machine.resolved(.all, now: .seconds(4)) == [.setTimer(nil), .finish(.connected)])
    }

    @Test("A link that drops during the check is followed by a new connection at once")
    func goesWhileChecked() {
        var machine = ConnectStateMachine.checking()
        #expect(
            machine.connected(false, now: .seconds(1)) == [.setTimer(nil), .callConnect(2)]
        )
        #expect(machine.checked(1, .lasting, now: .seconds(1)) == [])
    }

    @Test(
        "A link whose announced disconnection does not happen fails the attempt after three checks"
    )
    func staysForEver() {
        var machine = ConnectStateMachine.checking()
        for round in 1...3 {
            let now = Duration.seconds(10 * round)
            _ = machine.checked(2 * round - 1, .ending, now: now)
            let next = machine.timerFired(now: now + .seconds(5))
            guard round < 3 else {
                let failed = ConnectStateMachine.Outcome.failed("an earlier link did not end")
                #expect(next == [.setTimer(nil), .finish(failed)])
                continue
            }
            #expect(
                machine.timerFired(now: now + .seconds(6)) == [
                    .setTimer(nil), .callConnect(2 * round),
                ]
            )
            #expect(
                machine.found(2 * round, services: .all, isStale: false, now: now + .seconds(6))
                    == [.setTimer(nil), .check(2 * round + 1)]
            )
        }
    }

    @Test("A link of unknown state is adopted if it survives the time of a pending Disconnect")
    func outlasts() {
        var machine = ConnectStateMachine.checking()
        #expect(
            machine.checked(1, .unknown, now: .seconds(1)) == [.setTimer(.milliseconds(3500))]
        )
        var gone = machine
        #expect(
            gone.connected(false, now: .seconds(2)) == [.setTimer(nil), .callConnect(2)]
        )
        #expect(
            machine.timerFired(now: .milliseconds(3500)) == [.setTimer(nil), .finish(.connected)]
        )
    }

    @Test("A link without a Connected signal is checked, because it may have existed before")
    func unsignalled() {
        var machine = ConnectStateMachine()
        _ = machine.start(known: true, connected: false, services: nil, now: .zero)
        _ = machine.replied(1, .accepted, now: .zero)
        _ = machine.connected(true, now: .zero)
        #expect(machine.resolved(.all, now: .seconds(1)) == [.setTimer(nil), .check(3)])
        for life in [ConnectStateMachine.Life.lasting, .unknown] {
            var lasting = machine
            #expect(
                lasting.checked(3, life, now: .seconds(1)) == [.setTimer(nil), .finish(.connected)]
            )
        }
        #expect(machine.checked(3, .ending, now: .seconds(1)) == [.setTimer(.seconds(6))])
        #expect(machine.connected(false, now: .seconds(3)) == [.setTimer(nil), .callConnect(4)])
        _ = machine.connected(true, now: .seconds(3))
        #expect(machine.resolved(.all, now: .seconds(4)) == [.setTimer(nil), .finish(.connected)])
    }

    @Test("The check is repeated until bluetoothd replies")
    func checksAgain() {
        var machine = ConnectStateMachine.checking()
        for call in 1..<10 {
            let now = Duration.seconds(5 * call)
            #expect(
                machine.checked(call, .unanswered, now: now) == [.setTimer(nil), .check(call + 1)]
            )
        }
        var lasting = machine
        #expect(
            lasting.checked(10, .lasting, now: .seconds(50)) == [
                .setTimer(nil), .finish(.connected),
            ]
        )
        #expect(machine.checked(10, .ending, now: .seconds(50)) == [.setTimer(.seconds(55))])
    }

    @Test("A link that existed before its services were resolved is checked, too")
    func adoptsWhileResolving() {
        var machine = ConnectStateMachine()
        _ = machine.start(known: true, connected: true, services: nil, now: .zero)
        #expect(machine.resolved(.all, now: .seconds(1)) == [.setTimer(nil), .check(1)])
    }

    @Test("The link of a killed bluetoothd is disconnected, then the attempt connects again")
    func stale() {
        var machine = ConnectStateMachine()
        #expect(
            machine.start(known: true, connected: true, services: nil, isStale: true, now: .zero)
                == [.setTimer(.seconds(1))]
        )
        // Usually the kernel ends it.
        var ended = machine
        #expect(
            ended.connected(false, now: .milliseconds(100)) == [.setTimer(nil), .callConnect(1)]
        )
        #expect(
            machine.timerFired(now: .seconds(1)) == [.setTimer(.seconds(6)), .callDisconnect(1)]
        )
        #expect(machine.disconnectReplied(1) == [])
        #expect(
            machine.connected(false, now: .seconds(2)) == [.setTimer(nil), .callConnect(2)]
        )
    }
}
