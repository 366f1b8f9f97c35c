import Testing

@testable import BluejayBlueZ

@Suite("The end of a link")
struct LinkEndTests {
    private static let found = LinkStateMachine.DeviceState(
        isKnown: true,
        isConnected: true,
        services: .all
    )

    /// Returns a link that this program connected, with leases.
    private func dialled(_ leases: [Int]) -> LinkStateMachine {
        var machine = LinkStateMachine()
        for lease in leases { _ = machine.addLease(lease) }
        _ = machine.proceed(LinkStateMachine.DeviceState(isKnown: true), now: .zero)
        _ = machine.attempt { $0.connected(true, now: .zero) }
        _ = machine.attempt { $0.resolved(.all, now: .zero) }
        return machine
    }

    /// Returns a link that existed before, with users.
    private func taken(_ leases: [Int]) -> LinkStateMachine {
        var machine = LinkStateMachine()
        for lease in leases { _ = machine.addLease(lease) }
        _ = machine.proceed(Self.found, now: .zero)
        _ = machine.attempt { $0.checked(1, .lasting, now: .zero) }
        return machine
    }

    @Test("The last lease leaves a link that another program opened, even when it is deallocated")
    func leaves() {
        var machine = taken([1])
        var forgotten = machine
        #expect(machine.release(1, disconnecting: .ifLocal, now: .zero) == [.released(1)])
        #expect(machine.isIdle)
        #expect(forgotten.leaseDeinitialized(1, disconnecting: .ifLocal, now: .zero) == [])
        #expect(forgotten.isIdle)
    }

    @Test("A link that this program connected is disconnected with its last lease")
    func cuts() {
        var machine = dialled([1, 2])
        #expect(machine.release(1, disconnecting: .ifLocal, now: .zero) == [.released(1)])
        var forgotten = machine
        #expect(machine.release(2, disconnecting: .ifLocal, now: .zero) == [.disconnect(1)])
        #expect(
            forgotten.leaseDeinitialized(2, disconnecting: .ifLocal, now: .zero) == [.disconnect(1)]
        )
    }

    @Test("A lease released with `always` disconnects the link when the last lease is released")
    func wantedBefore() {
        var machine = taken([1, 2, 3])
        #expect(machine.release(1, disconnecting: .always, now: .zero) == [.released(1)])
        #expect(machine.release(2, disconnecting: .ifLocal, now: .zero) == [.released(2)])
        var never = machine
        #expect(machine.release(3, disconnecting: .ifLocal, now: .zero) == [.disconnect(1)])
        #expect(never.release(3, disconnecting: .never, now: .zero) == [.released(3)])
        // The next link starts from the beginning.
        _ = never.addLease(4)
        _ = never.proceed(Self.found, now: .zero)
        _ = never.attempt { $0.checked(2, .lasting, now: .zero) }
        #expect(never.isActive(4))
        #expect(never.release(4, disconnecting: .ifLocal, now: .zero) == [.released(4)])
    }

    @Test("A link established while another program was connecting belongs to that program")
    func yielded() {
        var machine = LinkStateMachine()
        _ = machine.addLease(1)
        _ = machine.proceed(LinkStateMachine.DeviceState(isKnown: true), now: .zero)
        _ = machine.attempt { $0.replied(1, .busy, now: .zero) }
        _ = machine.attempt { $0.connected(true, now: .zero) }
        _ = machine.attempt { $0.resolved(.all, now: .zero) }
        #expect(machine.isActive(1))
        #expect(machine.release(1, disconnecting: .ifLocal, now: .zero) == [.released(1)])
    }

    @Test("A cancelled lease keeps a link of another program, and disconnects a local one")
    func waiting() {
        let refused: LinkStateMachine.Action = .failed(1, .timedOut)
        var machine = LinkStateMachine()
        _ = machine.addLease(1)
        _ = machine.proceed(Self.found, now: .zero)
        var always = machine
        #expect(
            machine.cancel(1, .timedOut, disconnecting: .ifLocal)
                == [.connecting(.setTimer(nil)), refused, .proceed]
        )
        #expect(
            always.cancel(1, .timedOut)
                == [.connecting(.setTimer(nil)), .connecting(.callDisconnect(2))]
        )
        var dialling = LinkStateMachine()
        _ = dialling.addLease(1)
        _ = dialling.proceed(LinkStateMachine.DeviceState(isKnown: true), now: .zero)
        #expect(
            dialling.cancel(1, .timedOut, disconnecting: .ifLocal)
                == [.connecting(.setTimer(nil)), .connecting(.callDisconnect(2))]
        )
    }
}
