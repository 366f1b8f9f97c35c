import Testing

@testable import PocketMesh

@Suite("Disconnects and cancelled calls")
struct PhaseEndTests {
    private typealias Action = PhaseStateMachine.Action

    private static let requested = PhaseStateMachine.Outcome.failed(
        .connectionFailed("disconnect() was called")
    )

    @Test("Each stage handles a disconnect", arguments: Stage.allCases)
    func disconnect(stage: Stage) {
        var machine = stage.machine
        let cut: [Action] = [
            .setTimer(nil), .enter(.disconnecting(Stage.a)), .disconnect(stage.attempt),
        ]
        let expected: [Action] =
            switch stage {
            case .idle: [.disconnected]
            case .waiting:
                [.stopAwaiting(1), .enter(.idle), .complete(1, Self.requested), .disconnected]
            case .connecting, .searching, .services, .characteristics, .subscription:
                cut + [.complete(1, Self.requested)]
            case .connected:
                [.remember(nil), .closeStream, .enter(.disconnecting(Stage.a)), .disconnect(2)]
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
            machine.linkReleased(stage.attempt) == (isOver ? [] : [.enter(.idle), .disconnected])
        )
        #expect(machine.phase == .idle)
        #expect(machine.becameAvailable(now: Stage.now).isEmpty)
    }

    @Test(
        "The shutdown of a program keeps the radio saved for the next run",
        arguments: Stage.allCases
    )
    func shutdown(stage: Stage) {
        var machine = stage.machine
        let actions = machine.disconnect(clearsState: false)
        #expect(!actions.contains(.remember(nil)))
        var other = stage.machine
        #expect(actions == other.disconnect(clearsState: true).filter { $0 != .remember(nil) })
        #expect(machine.phase == other.phase)
    }

    @Test("While the link is being released, its other events are ignored")
    func leaving() {
        for stage in [Stage.leaving, .leavingConnected] {
            var machine = stage.machine
            #expect(machine.progressed(2, .connected, now: Stage.now).isEmpty)
            #expect(machine.linkUp(2, now: Stage.now).isEmpty)
            #expect(machine.linkFailed(2, .connectionTimeout).isEmpty)
            #expect(machine.subscribed(2, nil, now: Stage.now).isEmpty)
            #expect(machine.timerFired(now: Stage.now).isEmpty)
            #expect(machine == stage.machine)
            #expect(machine.linkReleased(2) == [.enter(.idle), .disconnected])
        }
    }

    @Test("Each stage handles a cancelled call", .bug(id: 17), arguments: Stage.allCases)
    func cancel(stage: Stage) {
        var machine = stage.machine
        let expected: [Action] =
            switch stage {
            case .waiting: [.stopAwaiting(1), .enter(.idle), .complete(1, .cancelled)]
            case .connecting, .searching, .services, .characteristics, .subscription, .takenOver,
                .takenOverServices:
                stage.ended(.cancelled)
            case .restoringForCaller: [.stopAwaiting(1), .complete(2, .cancelled)]
            // The call has its result already; a disconnect that waits for the link to close keeps waiting.
            case .idle, .connected, .losing, .returning, .pausing, .returningServices,
                .returningCharacteristics, .returningSubscription, .restoring, .leaving,
                .leavingConnected:
                []
            }
        #expect(machine.cancel(stage.caller) == expected)
        #expect(machine.cancel(stage.caller).isEmpty)
        if expected.isEmpty { #expect(machine == stage.machine) }
    }

    @Test("A cancellation of an unknown call changes nothing", arguments: Stage.allCases)
    func cancelOther(stage: Stage) {
        var machine = stage.machine
        #expect(machine.cancel(9).isEmpty)
        #expect(machine == stage.machine)
    }

    @Test(
        "A connect to another radio forgets the earlier one, a connect to the same radio keeps it"
    )
    func remembers() {
        var machine = PhaseStateMachine()
        machine.loadRemembered(Stage.a)
        #expect(
            machine.connect(1, to: Stage.a, isOn: true, now: .zero) == [
                .enter(.connecting(Stage.a)), .setTimer(.seconds(10)), .connect(2, Stage.a),
            ]
        )
        _ = machine.cancel(1)
        #expect(
            machine.connect(2, to: Stage.b, isOn: true, now: .zero) == [
                .remember(nil), .enter(.connecting(Stage.b)), .setTimer(.seconds(10)),
                .connect(4, Stage.b),
            ]
        )
    }
}
