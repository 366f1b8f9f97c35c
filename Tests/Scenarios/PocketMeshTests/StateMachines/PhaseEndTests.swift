import Testing

@testable import PocketMesh

@Suite("Disconnects and cancelled calls")
struct PhaseEndTests {
    private typealias Action = PhaseStateMachine.Action

    private static let requested = PhaseStateMachine.Outcome.failed(
        .connectionFailed("disconnect() was called")
    )

    @Test("Each example handles a disconnect", arguments: PhaseExample.allCases)
    func disconnect(example: PhaseExample) {
        var machine = example.machine
        let cut: [Action] = [
            .setTimer(nil), .enter(.disconnecting(PhaseExample.a)), .disconnect(example.attempt),
        ]
        let expected: [Action] =
            switch example {
            case .idle: [.disconnected]
            case .waiting:
                [.stopAwaiting(1), .enter(.idle), .complete(1, Self.requested), .disconnected]
            case .connecting, .searching, .services, .characteristics, .subscription:
                cut + [.complete(1, Self.requested)]
            case .connected:
                [
                    .remember(nil), .closeStream, .enter(.disconnecting(PhaseExample.a)),
                    .disconnect(2),
                ]
            case .returning, .returningServices, .returningCharacteristics, .returningSubscription:
                [.remember(nil)] + cut
            case .takenOver, .takenOverServices:
                [.remember(nil)] + cut + [.complete(2, Self.requested)]
            case .losing, .pausing: [.remember(nil), .setTimer(nil), .enter(.idle), .disconnected]
            case .restoring: [.remember(nil), .enter(.idle), .disconnected]
            case .restoringForCaller:
                [
                    .remember(nil), .stopAwaiting(1), .enter(.idle), .complete(2, Self.requested),
                    .disconnected,
                ]
            case .leaving, .leavingConnected: []
            }
        #expect(machine.disconnect(clearsState: true) == expected)
        // The second and the third call wait for the same end.
        let isOver = expected.last == .disconnected
        for _ in 0..<2 {
            #expect(machine.disconnect(clearsState: true) == (isOver ? [.disconnected] : []))
        }
        #expect(
            machine.linkReleased(example.attempt) == (isOver ? [] : [.enter(.idle), .disconnected])
        )
        #expect(machine.phase == .idle)
        #expect(machine.becameAvailable(now: PhaseExample.now).isEmpty)
    }

    @Test(
        "The shutdown of a program keeps the radio saved for the next run",
        arguments: PhaseExample.allCases
    )
    func shutdown(example: PhaseExample) {
        var machine = example.machine
        let actions = machine.disconnect(clearsState: false)
        #expect(!actions.contains(.remember(nil)))
        var other = example.machine
        #expect(actions == other.disconnect(clearsState: true).filter { $0 != .remember(nil) })
        #expect(machine.phase == other.phase)
    }

    @Test("While the link is being released, its other events are ignored")
    func leaving() {
        for example in [PhaseExample.leaving, .leavingConnected] {
            var machine = example.machine
            #expect(machine.progressed(2, .connected, now: PhaseExample.now).isEmpty)
            #expect(machine.linkUp(2, now: PhaseExample.now).isEmpty)
            #expect(machine.linkFailed(2, .connectionTimeout).isEmpty)
            #expect(machine.subscribed(2, nil, now: PhaseExample.now).isEmpty)
            #expect(machine.timerFired(now: PhaseExample.now).isEmpty)
            #expect(machine == example.machine)
            #expect(machine.linkReleased(2) == [.enter(.idle), .disconnected])
        }
    }

    @Test("Each example handles a cancelled call", .bug(id: 17), arguments: PhaseExample.allCases)
    func cancel(example: PhaseExample) {
        var machine = example.machine
        let expected: [Action] =
            switch example {
            case .waiting: [.stopAwaiting(1), .enter(.idle), .complete(1, .cancelled)]
            case .connecting, .searching, .services, .characteristics, .subscription, .takenOver,
                .takenOverServices:
                example.ended(.cancelled)
            case .restoringForCaller: [.stopAwaiting(1), .complete(2, .cancelled)]
            // The call has its result already; a disconnect that waits for the link to close keeps waiting.
            case .idle, .connected, .losing, .returning, .pausing, .returningServices,
                .returningCharacteristics, .returningSubscription, .restoring, .leaving,
                .leavingConnected:
                []
            }
        #expect(machine.cancel(example.caller) == expected)
        #expect(machine.cancel(example.caller).isEmpty)
        if expected.isEmpty { #expect(machine == example.machine) }
    }

    @Test("A cancellation of an unknown call changes nothing", arguments: PhaseExample.allCases)
    func cancelOther(example: PhaseExample) {
        var machine = example.machine
        #expect(machine.cancel(9).isEmpty)
        #expect(machine == example.machine)
    }

    @Test(
        "A connect to another radio forgets the earlier one, a connect to the same radio keeps it"
    )
    func remembers() {
        var machine = PhaseStateMachine()
        machine.loadRemembered(PhaseExample.a)
        #expect(
            machine.connect(1, to: PhaseExample.a, isOn: true, now: .zero) == [
                .enter(.connecting(PhaseExample.a)), .setTimer(.seconds(10)),
                .connect(2, PhaseExample.a),
            ]
        )
        _ = machine.cancel(1)
        #expect(
            machine.connect(2, to: PhaseExample.b, isOn: true, now: .zero) == [
                .remember(nil), .enter(.connecting(PhaseExample.b)), .setTimer(.seconds(10)),
                .connect(4, PhaseExample.b),
            ]
        )
    }
}
