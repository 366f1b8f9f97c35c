import Testing

@testable import PocketMesh

@Suite("Reconnection of a lost link")
struct PhaseReturnTests {
    private typealias Action = PhaseStateMachine.Action

    private static let returning = BLEPhase.autoReconnecting(Stage.a)

    @Test("Each stage handles a lost link", arguments: Stage.allCases)
    func lost(stage: Stage) {
        var machine = stage.machine
        let expected: [Action] =
            switch stage {
            case .connected:
                [
                    .closeStream, .releaseLink(2), .enter(Self.returning),
                    .setTimer(Stage.now + .milliseconds(250)),
                ]
            case .services, .characteristics, .subscription, .takenOverServices:
                stage.failed(.connectionFailed("the link was lost"))
            case .returningServices, .returningCharacteristics, .returningSubscription:
                [.releaseLink(3), .enter(Self.returning), .pause(failures: 1)]
            case .idle, .waiting, .connecting, .searching, .losing, .returning, .pausing,
                .takenOver, .restoring, .restoringForCaller, .leaving, .leavingConnected:
                []
            }
        #expect(machine.lost(stage.attempt, now: Stage.now) == expected)
    }

    @Test("Discovery after a reconnection has its own timeout; the stream opens before the report")
    func comesBack() {
        var machine = Stage.returning.machine
        #expect(
            machine.progressed(3, .connected, now: Stage.now)
                == [.enter(.discoveringServices(Stage.a)), .setTimer(.seconds(35))]
        )
        #expect(machine.linkUp(3, now: Stage.now) == [.findService(3)])
        #expect(
            machine.serviceFound(3, true)
                == [.enter(.discoveringCharacteristics(Stage.a)), .findCharacteristics(3)]
        )
        #expect(
            machine.characteristicsFound(3, true)
                == [.enter(.subscribingToNotifications(Stage.a)), .subscribe(3)]
        )
        #expect(
            machine.subscribed(3, nil, now: Stage.now) == [
                .setTimer(nil), .enter(.discoveryComplete(Stage.a)), .openStream(3, Stage.a),
                .reportReconnected(Stage.a), .enter(.connected(Stage.a)),
            ]
        )
    }

    @Test("Delays grow with consecutive failures, even after a connection that was too short")
    func pauses() {
        var machine = Stage.connected.machine
        #expect(
            machine.lost(2, now: .milliseconds(6_900)) == [
                .closeStream, .releaseLink(2), .enter(Self.returning),
                .setTimer(.milliseconds(7_150)),
            ]
        )
        #expect(
            machine.timerFired(now: .seconds(7.15))
                == [.pause(failures: 1), .reportReconnecting(Stage.a)]
        )
        for attempt in 3...5 {
            #expect(
                machine.timerFired(now: .seconds(10)) == [
                    .setTimer(nil), .connect(attempt, Stage.a),
                ]
            )
            #expect(
                machine.linkFailed(attempt, .connectionTimeout)
                    == [.releaseLink(attempt), .pause(failures: attempt - 1)]
            )
        }
        _ = machine.timerFired(now: .seconds(10))
        machine.play(6, until: nil, now: .seconds(10))
        _ = machine.lost(6, now: .seconds(14.9))
        #expect(
            machine.timerFired(now: .seconds(15.15))
                == [.pause(failures: 5), .reportReconnecting(Stage.a)]
        )
    }

    @Test("After a connection of five seconds the radio is dialled at once, and the delays restart")
    func steady() {
        var machine = Stage.pausing.machine
        _ = machine.timerFired(now: .seconds(10))
        machine.play(3, until: nil, now: .seconds(10))
        _ = machine.lost(3, now: .seconds(15))
        #expect(
            machine.timerFired(now: .seconds(15.25))
                == [.setTimer(nil), .connect(4, Stage.a), .reportReconnecting(Stage.a)]
        )
        #expect(
            machine.linkFailed(4, .connectionFailed("no"))
                == [.releaseLink(4), .pause(failures: 1)]
        )
    }

    @Test("A link that drops during the discovery is dialled again, without a limit")
    func breaksAgain() {
        for progress in [PhaseStateMachine.LinkStage.connecting, .discovering] {
            var machine = Stage.returningServices.machine
            #expect(
                machine.progressed(3, progress, now: Stage.now)
                    == [.setTimer(nil), .enter(Self.returning)]
            )
            #expect(
                machine.progressed(3, .connected, now: Stage.now)
                    == [.enter(.discoveringServices(Stage.a)), .setTimer(.seconds(35))]
            )
        }
    }

    @Test("A permanent failure ends the reconnection and is reported")
    func givesUp() {
        let pairing = BLEError.pairingFailed("the keys are gone")
        var machine = Stage.returning.machine
        #expect(machine.linkFailed(3, pairing) == gaveUp(pairing))
        machine = Stage.returningServices.machine
        _ = machine.linkUp(3, now: Stage.now)
        #expect(machine.serviceFound(3, false) == gaveUp(.characteristicNotFound))
        machine = Stage.returningCharacteristics.machine
        #expect(machine.characteristicsFound(3, false) == gaveUp(.characteristicNotFound))
        for error in [pairing, .pairingCancelled, .connectionFailed("refused")] {
            machine = Stage.returningSubscription.machine
            #expect(machine.subscribed(3, error, now: Stage.now) == gaveUp(error))
        }
        machine = Stage.returningSubscription.machine
        #expect(
            machine.subscribed(3, .notConnected, now: Stage.now)
                == [.releaseLink(3), .enter(Self.returning), .pause(failures: 1)]
        )
    }

    private func gaveUp(_ error: BLEError) -> [Action] {
        [
            .setTimer(nil), .releaseLink(3), .enter(.idle), .remember(nil),
            .reportDisconnected(Stage.a, error),
        ]
    }

    @Test("A lost pairing releases the radio and is reported once", arguments: Stage.allCases)
    func givenUp(stage: Stage) {
        let error = BLEError.pairingFailed("insufficient encryption")
        var machine = stage.machine
        let expected: [Action] =
            stage == .connected
            ? [
                .closeStream, .releaseLink(2), .enter(.idle), .remember(nil),
                .reportDisconnected(Stage.a, error),
            ] : []
        #expect(machine.becameUnusable(stage.attempt, error) == expected)
        #expect(stage == .connected || machine == stage.machine)
    }

    @Test(
        "A radio whose identifier changes keeps its phase, and the new identifier is saved",
        .bug(id: 17),
        arguments: Stage.allCases
    )
    func moved(stage: Stage) {
        var machine = stage.machine
        #expect(machine.identifierChanged(stage.attempt, to: Stage.a).isEmpty)
        let expected: [Action] =
            switch stage {
            case .connecting, .searching, .services, .characteristics, .subscription:
                [.enter(stage.phase(Stage.b))]
            case .connected, .returning, .returningServices, .returningCharacteristics,
                .returningSubscription, .takenOver, .takenOverServices:
                [.enter(stage.phase(Stage.b)), .remember(Stage.b)]
            case .idle, .waiting, .losing, .pausing, .restoring, .restoringForCaller, .leaving,
                .leavingConnected:
                []
            }
        #expect(machine.identifierChanged(stage.attempt, to: Stage.b) == expected)
    }

    @Test("An identifier learnt during the reconnection is saved and dialled later")
    func movedOnTheWay() {
        var machine = Stage.subscription.machine
        _ = machine.identifierChanged(2, to: Stage.b)
        #expect(
            machine.subscribed(2, nil, now: .seconds(2)) == [
                .setTimer(nil), .enter(.discoveryComplete(Stage.b)), .openStream(2, Stage.b),
                .remember(Stage.b), .enter(.connected(Stage.b)), .complete(1, .connected),
            ]
        )
        _ = machine.lost(2, now: Stage.now)
        #expect(machine.timerFired(now: Stage.now).contains(.connect(3, Stage.b)))
    }

    @Test("A connect during a reconnection takes it over", arguments: Stage.allCases)
    func takeover(stage: Stage) {
        var machine = stage.machine
        let expected: [Action]? =
            switch stage {
            case .returning: [.setTimer(.seconds(30))]
            case .pausing: [.setTimer(.seconds(30)), .connect(3, Stage.a)]
            case .losing:
                [.setTimer(.seconds(30)), .connect(3, Stage.a), .reportReconnecting(Stage.a)]
            case .returningServices, .returningCharacteristics, .returningSubscription:
                [.setTimer(.seconds(60))]
            case .restoring: [.awaitBluetooth(1)]
            // No reconnection runs, or another caller has taken it over.
            case .idle, .waiting, .connecting, .searching, .services, .characteristics,
                .subscription, .connected, .takenOver, .takenOverServices, .restoringForCaller,
                .leaving, .leavingConnected:
                nil
            }
        let actions = machine.connect(9, to: Stage.a, isOn: true, now: Stage.now)
        if let expected {
            #expect(actions == expected)
        } else if stage != .idle {
            #expect(actions.count == 1 && machine == stage.machine)
        }
    }

    @Test("A caller that took over a reconnection receives the stream, and no handler is called")
    func takenOver() {
        var machine = Stage.takenOver.machine
        #expect(
            machine.progressed(3, .connected, now: Stage.now)
                == [.enter(.discoveringServices(Stage.a)), .setTimer(.seconds(60))]
        )
        machine.play(3, until: .subscription, now: Stage.now)
        #expect(
            machine.subscribed(3, nil, now: Stage.now) == [
                .setTimer(nil), .enter(.discoveryComplete(Stage.a)), .openStream(3, Stage.a),
                .enter(.connected(Stage.a)), .complete(2, .connected),
            ]
        )
    }
}
