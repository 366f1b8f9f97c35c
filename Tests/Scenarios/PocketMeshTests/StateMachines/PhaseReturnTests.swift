import Testing

@testable import PocketMesh

@Suite("Reconnection of a lost link")
struct PhaseReturnTests {
    private typealias Action = PhaseStateMachine.Action

    private static let returning = BLEPhase.autoReconnecting(PhaseExample.a)

    @Test("Each example handles a lost link", arguments: PhaseExample.allCases)
    func lost(example: PhaseExample) {
        var machine = example.machine
        let expected: [Action] =
            switch example {
            case .connected:
                [
                    .closeStream, .releaseLink(2), .enter(Self.returning),
                    .setTimer(PhaseExample.now + .milliseconds(250)),
                ]
            case .services, .characteristics, .subscription, .takenOverServices:
                example.failed(.connectionFailed("the link was lost"))
            case .returningServices, .returningCharacteristics, .returningSubscription:
                [.releaseLink(3), .enter(Self.returning), .pause(failures: 1)]
            case .idle, .waiting, .connecting, .searching, .losing, .returning, .pausing,
                .takenOver, .restoring, .restoringForCaller, .leaving, .leavingConnected:
                []
            }
        #expect(machine.lost(example.attempt, now: PhaseExample.now) == expected)
    }

    @Test("Discovery after a reconnection has its own timeout; the stream opens before the report")
    func comesBack() {
        var machine = PhaseExample.returning.machine
        #expect(
            machine.progressed(3, .connected, now: PhaseExample.now)
                == [.enter(.discoveringServices(PhaseExample.a)), .setTimer(.seconds(35))]
        )
        #expect(machine.linkUp(3, now: PhaseExample.now) == [.findService(3)])
        #expect(
            machine.serviceFound(3, true)
                == [.enter(.discoveringCharacteristics(PhaseExample.a)), .findCharacteristics(3)]
        )
        #expect(
            machine.characteristicsFound(3, true)
                == [.enter(.subscribingToNotifications(PhaseExample.a)), .subscribe(3)]
        )
        #expect(
            machine.subscribed(3, nil, now: PhaseExample.now) == [
                .setTimer(nil), .enter(.discoveryComplete(PhaseExample.a)),
                .openStream(3, PhaseExample.a),
                .reportReconnected(PhaseExample.a), .enter(.connected(PhaseExample.a)),
            ]
        )
    }

    @Test("Delays grow with consecutive failures, even after a connection that was too short")
    func pauses() {
        var machine = PhaseExample.connected.machine
        #expect(
            machine.lost(2, now: .milliseconds(6_900)) == [
                .closeStream, .releaseLink(2), .enter(Self.returning),
                .setTimer(.milliseconds(7_150)),
            ]
        )
        #expect(
            machine.timerFired(now: .seconds(7.15))
                == [.pause(failures: 1), .reportReconnecting(PhaseExample.a)]
        )
        for attempt in 3...5 {
            #expect(
                machine.timerFired(now: .seconds(10)) == [
                    .setTimer(nil), .connect(attempt, PhaseExample.a),
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
                == [.pause(failures: 5), .reportReconnecting(PhaseExample.a)]
        )
    }

    @Test("After a connection of five seconds the radio is dialled at once, and the delays restart")
    func steady() {
        var machine = PhaseExample.pausing.machine
        _ = machine.timerFired(now: .seconds(10))
        machine.play(3, until: nil, now: .seconds(10))
        _ = machine.lost(3, now: .seconds(15))
        #expect(
            machine.timerFired(now: .seconds(15.25))
                == [
                    .setTimer(nil), .connect(4, PhaseExample.a),
                    .reportReconnecting(PhaseExample.a),
                ]
        )
        #expect(
            machine.linkFailed(4, .connectionFailed("no"))
                == [.releaseLink(4), .pause(failures: 1)]
        )
    }

    @Test("A link that drops during the discovery is dialled again, without a limit")
    func breaksAgain() {
        for progress in [PhaseStateMachine.LinkStage.connecting, .discovering] {
            var machine = PhaseExample.returningServices.machine
            #expect(
                machine.progressed(3, progress, now: PhaseExample.now)
                    == [.setTimer(nil), .enter(Self.returning)]
            )
            #expect(
                machine.progressed(3, .connected, now: PhaseExample.now)
                    == [.enter(.discoveringServices(PhaseExample.a)), .setTimer(.seconds(35))]
            )
        }
    }

    @Test("A permanent failure ends the reconnection and is reported")
    func givesUp() {
        let pairing = BLEError.pairingFailed("the keys are gone")
        var machine = PhaseExample.returning.machine
        #expect(machine.linkFailed(3, pairing) == gaveUp(pairing))
        machine = PhaseExample.returningServices.machine
        _ = machine.linkUp(3, now: PhaseExample.now)
        #expect(machine.serviceFound(3, false) == gaveUp(.characteristicNotFound))
        machine = PhaseExample.returningCharacteristics.machine
        #expect(machine.characteristicsFound(3, false) == gaveUp(.characteristicNotFound))
        for error in [pairing, .pairingCancelled, .connectionFailed("refused")] {
            machine = PhaseExample.returningSubscription.machine
            #expect(machine.subscribed(3, error, now: PhaseExample.now) == gaveUp(error))
        }
        machine = PhaseExample.returningSubscription.machine
        #expect(
            machine.subscribed(3, .notConnected, now: PhaseExample.now)
                == [.releaseLink(3), .enter(Self.returning), .pause(failures: 1)]
        )
    }

    private func gaveUp(_ error: BLEError) -> [Action] {
        [
            .setTimer(nil), .releaseLink(3), .enter(.idle), .remember(nil),
            .reportDisconnected(PhaseExample.a, error),
        ]
    }

    @Test(
        "A lost pairing releases the radio and is reported once",
        arguments: PhaseExample.allCases
    )
    func givenUp(example: PhaseExample) {
        let error = BLEError.pairingFailed("insufficient encryption")
        var machine = example.machine
        let expected: [Action] =
            example == .connected
            ? [
                .closeStream, .releaseLink(2), .enter(.idle), .remember(nil),
                .reportDisconnected(PhaseExample.a, error),
            ] : []
        #expect(machine.becameUnusable(example.attempt, error) == expected)
        #expect(example == .connected || machine == example.machine)
    }

    @Test(
        "A radio whose identifier changes keeps its phase, and the new identifier is saved",
        .bug(id: 17),
        arguments: PhaseExample.allCases
    )
    func moved(example: PhaseExample) {
        var machine = example.machine
        #expect(machine.identifierChanged(example.attempt, to: PhaseExample.a).isEmpty)
        let expected: [Action] =
            switch example {
            case .connecting, .searching, .services, .characteristics, .subscription:
                [.enter(example.phase(PhaseExample.b))]
            case .connected, .returning, .returningServices, .returningCharacteristics,
                .returningSubscription, .takenOver, .takenOverServices:
                [.enter(example.phase(PhaseExample.b)), .remember(PhaseExample.b)]
            case .idle, .waiting, .losing, .pausing, .restoring, .restoringForCaller, .leaving,
                .leavingConnected:
                []
            }
        #expect(machine.identifierChanged(example.attempt, to: PhaseExample.b) == expected)
    }

    @Test("An identifier learnt during the reconnection is saved and dialled later")
    func movedOnTheWay() {
        var machine = PhaseExample.subscription.machine
        _ = machine.identifierChanged(2, to: PhaseExample.b)
        #expect(
            machine.subscribed(2, nil, now: .seconds(2)) == [
                .setTimer(nil), .enter(.discoveryComplete(PhaseExample.b)),
                .openStream(2, PhaseExample.b),
                .remember(PhaseExample.b), .enter(.connected(PhaseExample.b)),
                .complete(1, .connected),
            ]
        )
        _ = machine.lost(2, now: PhaseExample.now)
        #expect(machine.timerFired(now: PhaseExample.now).contains(.connect(3, PhaseExample.b)))
    }

    @Test("A connect during a reconnection takes it over", arguments: PhaseExample.allCases)
    func takeover(example: PhaseExample) {
        var machine = example.machine
        let expected: [Action]? =
            switch example {
            case .returning: [.setTimer(.seconds(30))]
            case .pausing: [.setTimer(.seconds(30)), .connect(3, PhaseExample.a)]
            case .losing:
                [
                    .setTimer(.seconds(30)), .connect(3, PhaseExample.a),
                    .reportReconnecting(PhaseExample.a),
                ]
            case .returningServices, .returningCharacteristics, .returningSubscription:
                [.setTimer(.seconds(60))]
            case .restoring: [.awaitBluetooth(1)]
            // No reconnection runs, or another caller has taken it over.
            case .idle, .waiting, .connecting, .searching, .services, .characteristics,
                .subscription, .connected, .takenOver, .takenOverServices, .restoringForCaller,
                .leaving, .leavingConnected:
                nil
            }
        let actions = machine.connect(9, to: PhaseExample.a, isOn: true, now: PhaseExample.now)
        if let expected {
            #expect(actions == expected)
        } else if example != .idle {
            #expect(actions.count == 1 && machine == example.machine)
        }
    }

    @Test("A caller that took over a reconnection receives the stream, and no handler is called")
    func takenOver() {
        var machine = PhaseExample.takenOver.machine
        #expect(
            machine.progressed(3, .connected, now: PhaseExample.now)
                == [.enter(.discoveringServices(PhaseExample.a)), .setTimer(.seconds(60))]
        )
        machine.play(3, until: .subscription, now: PhaseExample.now)
        #expect(
            machine.subscribed(3, nil, now: PhaseExample.now) == [
                .setTimer(nil), .enter(.discoveryComplete(PhaseExample.a)),
                .openStream(3, PhaseExample.a),
                .enter(.connected(PhaseExample.a)), .complete(2, .connected),
            ]
        )
    }
}
