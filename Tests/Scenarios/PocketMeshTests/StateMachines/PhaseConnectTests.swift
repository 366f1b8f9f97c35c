import Testing

@testable import PocketMesh

@Suite("The steps of a connect")
struct PhaseConnectTests {
    private typealias Action = PhaseStateMachine.Action

    @Test("Each stage has its phase, and only an earlier connection counts as a reconnection")
    func stages() {
        for stage in Stage.allCases {
            #expect(stage.machine.phase == stage.phase())
        }
        #expect(
            Stage.allCases.filter(\.machine.isReconnecting) == [
                .losing, .returning, .pausing, .returningServices, .returningCharacteristics,
                .returningSubscription, .takenOver, .takenOverServices,
            ]
        )
    }

    @Test(
        "A connect passes through the phases in order, with one timeout for the link and one after it"
    )
    func phases() {
        var machine = PhaseStateMachine()
        #expect(
            machine.connect(1, to: Stage.a, isOn: false, now: .zero)
                == [.enter(.waitingForBluetooth), .awaitBluetooth(1)]
        )
        #expect(
            machine.bluetoothReady(1, now: .seconds(1)) == [
                .enter(.connecting(Stage.a)), .setTimer(.seconds(11)), .connect(2, Stage.a),
            ]
        )
        #expect(machine.progressed(2, .discovering, now: .seconds(2)).isEmpty)
        #expect(machine.progressed(2, .connecting, now: .seconds(3)).isEmpty)
        #expect(
            machine.progressed(2, .connected, now: .seconds(4))
                == [.enter(.discoveringServices(Stage.a)), .setTimer(.seconds(44))]
        )
        #expect(machine.linkUp(2, now: .seconds(5)) == [.findService(2)])
        #expect(
            machine.serviceFound(2, true)
                == [.enter(.discoveringCharacteristics(Stage.a)), .findCharacteristics(2)]
        )
        #expect(
            machine.characteristicsFound(2, true)
                == [.enter(.subscribingToNotifications(Stage.a)), .subscribe(2)]
        )
        #expect(
            machine.subscribed(2, nil, now: .seconds(6)) == [
                .setTimer(nil), .enter(.discoveryComplete(Stage.a)), .openStream(2, Stage.a),
                .remember(Stage.a), .enter(.connected(Stage.a)), .complete(1, .connected),
            ]
        )
    }

    @Test("A connect with Bluetooth on and an existing link starts with the service discovery")
    func short() {
        var machine = PhaseStateMachine()
        #expect(
            machine.connect(1, to: Stage.a, isOn: true, now: .zero) == [
                .enter(.connecting(Stage.a)), .setTimer(.seconds(10)), .connect(2, Stage.a),
            ]
        )
        #expect(
            machine.linkUp(2, now: .seconds(1)) == [
                .enter(.discoveringServices(Stage.a)), .setTimer(.seconds(41)), .findService(2),
            ]
        )
    }

    @Test("The configured timeouts apply")
    func settings() {
        var machine = PhaseStateMachine(
            PhaseStateMachine.Timeouts(
                connectionTimeout: .seconds(1),
                discoveryTimeout: .seconds(2),
                reconnectDiscoveryTimeout: .seconds(3),
                linkLossSettleTime: .seconds(5),
                stableConnectionInterval: .seconds(4)
            )
        )
        let dialled = machine.connect(1, to: Stage.a, isOn: true, now: .zero)
        #expect(dialled.contains(.setTimer(.seconds(1))))
        #expect(machine.progressed(2, .connected, now: .zero).contains(.setTimer(.seconds(2))))
        machine.play(2, until: nil, now: .zero)
        #expect(machine.lost(2, now: .seconds(4)).contains(.setTimer(.seconds(9))))
        #expect(machine.timerFired(now: .seconds(9)).contains(.connect(3, Stage.a)))
        #expect(machine.progressed(3, .connected, now: .zero).contains(.setTimer(.seconds(3))))
    }

    @Test("Each stage handles a timeout", arguments: Stage.allCases)
    func limits(stage: Stage) {
        let expected: [Action]? =
            switch stage {
            case .connecting, .services, .characteristics, .subscription, .takenOver,
                .takenOverServices:
                stage.failed(.connectionTimeout)
            // Neither bluetoothd nor a scan knows the device.
            case .searching: stage.failed(.deviceNotFound)
            case .returningServices, .returningCharacteristics, .returningSubscription:
                [
                    .setTimer(nil), .releaseLink(3), .enter(.idle), .remember(nil),
                    .reportDisconnected(Stage.a, .connectionTimeout),
                ]
            case .pausing: [.setTimer(nil), .connect(3, Stage.a)]
            case .losing: [.setTimer(nil), .connect(3, Stage.a), .reportReconnecting(Stage.a)]
            // No timer is armed.
            case .idle, .waiting, .connected, .returning, .restoring, .restoringForCaller,
                .leaving, .leavingConnected:
                nil
            }
        guard let expected else { return }
        var machine = stage.machine
        #expect(machine.timerFired(now: Stage.now) == expected)
    }

    @Test("Each stage handles a failed link", arguments: Stage.allCases)
    func linkFailed(stage: Stage) {
        let error = BLEError.connectionFailed("le-connection-abort-by-local")
        var machine = stage.machine
        let expected: [Action] =
            switch stage {
            case .connecting, .searching, .services, .characteristics, .subscription, .takenOver,
                .takenOverServices:
                stage.failed(error)
            case .returning: [.releaseLink(3), .pause(failures: 1)]
            case .returningServices, .returningCharacteristics, .returningSubscription:
                [.releaseLink(3), .enter(.autoReconnecting(Stage.a)), .pause(failures: 1)]
            case .idle, .waiting, .connected, .losing, .pausing, .restoring, .restoringForCaller,
                .leaving, .leavingConnected:
                []
            }
        #expect(machine.linkFailed(stage.attempt, error) == expected)
    }

    @Test(
        "A radio without the service, TX or RX is disconnected, and the next connect succeeds at once"
    )
    func missing() {
        var machine = Stage.services.machine
        _ = machine.linkUp(2, now: Stage.now)
        #expect(machine.serviceFound(2, false) == Stage.services.failed(.characteristicNotFound))
        machine = Stage.characteristics.machine
        #expect(
            machine.characteristicsFound(2, false)
                == Stage.characteristics.failed(.characteristicNotFound)
        )
        #expect(
            machine.connect(2, to: Stage.a, isOn: true, now: Stage.now) == [
                .enter(.connecting(Stage.a)), .setTimer(.seconds(30)), .connect(4, Stage.a),
            ]
        )
    }

    @Test(
        "A refused subscription ends the connect with its reason, a lost link with a lost link",
        arguments: [
            (BLEError.pairingFailed("wrong number"), BLEError.pairingFailed("wrong number")),
            (.pairingCancelled, .pairingCancelled),
            (.connectionTimeout, .connectionTimeout),
            (.connectionFailed("busy"), .connectionFailed("busy")),
            (.notConnected, .connectionFailed("the link was lost")),
        ]
    )
    func refusedSubscription(error: BLEError, reported: BLEError) {
        var machine = Stage.subscription.machine
        #expect(machine.subscribed(2, error, now: Stage.now) == Stage.subscription.failed(reported))
        #expect(machine.phase == .idle)
    }

    @Test("A link that drops and is dialled again keeps the timeout of the caller")
    func brokenOnce() {
        var machine = Stage.services.machine
        #expect(machine.progressed(2, .connecting, now: Stage.now).isEmpty)
        #expect(machine.progressed(2, .connected, now: Stage.now).isEmpty)
        #expect(machine.phase == .discoveringServices(Stage.a))
        #expect(machine.linkUp(2, now: Stage.now) == [.findService(2)])
    }

    @Test("A connect without Bluetooth fails with the reason")
    func refused() {
        var machine = Stage.waiting.machine
        #expect(
            machine.bluetoothFailed(1, .bluetoothPoweredOff)
                == [.enter(.idle), .complete(1, .failed(.bluetoothPoweredOff))]
        )
        #expect(machine.bluetoothReady(1, now: Stage.now).isEmpty)
    }

    @Test("A second connect is refused with the name of the phase, and the first one continues")
    func second() {
        for stage in Stage.allCases where stage != .idle {
            var machine = stage.machine
            let text =
                "the phase is \(stage.phase().name); disconnect() or switchDevice(to:) ends it"
            #expect(
                machine.connect(9, to: Stage.b, isOn: true, now: Stage.now)
                    == [.complete(9, .failed(.connectionFailed(text)))]
            )
            #expect(machine == stage.machine)
        }
    }

    @Test("Events of another attempt are ignored", arguments: Stage.allCases)
    func late(stage: Stage) {
        for attempt in [stage.attempt - 1, stage.attempt + 1] {
            var machine = stage.machine
            let now = Stage.now
            for progress in [PhaseStateMachine.LinkStage.discovering, .connecting, .connected] {
                #expect(machine.progressed(attempt, progress, now: now).isEmpty)
            }
            #expect(machine.linkUp(attempt, now: now).isEmpty)
            #expect(machine.linkFailed(attempt, .connectionTimeout).isEmpty)
            #expect(machine.serviceFound(attempt, false).isEmpty)
            #expect(machine.characteristicsFound(attempt, false).isEmpty)
            #expect(machine.subscribed(attempt, nil, now: now).isEmpty)
            #expect(machine.subscribed(attempt, .notConnected, now: now).isEmpty)
            #expect(machine.lost(attempt, now: now).isEmpty)
            #expect(machine.becameUnusable(attempt, .pairingCancelled).isEmpty)
            #expect(machine.identifierChanged(attempt, to: Stage.b).isEmpty)
            #expect(machine.linkReleased(attempt).isEmpty)
            #expect(machine.bluetoothReady(attempt, now: now).isEmpty)
            #expect(machine.bluetoothFailed(attempt, .bluetoothPoweredOff).isEmpty)
            #expect(machine == stage.machine)
        }
    }
}

extension Stage {
    func failed(_ error: BLEError) -> [PhaseStateMachine.Action] { ended(.failed(error)) }

    /// The actions of a call to `connect` that ends without a connection.
    func ended(_ outcome: PhaseStateMachine.Outcome) -> [PhaseStateMachine.Action] {
        let released: [PhaseStateMachine.Action] = [
            .setTimer(nil), .releaseLink(attempt), .enter(.idle),
        ]
        // A caller that took over a reconnection also ends it for the next run.
        let forgotten: [PhaseStateMachine.Action] = attempt == 3 ? [.remember(nil)] : []
        return released + forgotten + [.complete(caller, outcome)]
    }
}
