import Testing

@testable import PocketMesh

@Suite("The steps of a connect")
struct PhaseConnectTests {
    private typealias Action = PhaseStateMachine.Action

    @Test("Each example has its phase, and only an earlier connection counts as a reconnection")
    func examples() {
        for example in PhaseExample.allCases {
            #expect(example.machine.phase == example.phase())
        }
        #expect(
            PhaseExample.allCases.filter(\.machine.isReconnecting) == [
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
            machine.connect(1, to: PhaseExample.a, isOn: false, now: .zero)
                == [.enter(.waitingForBluetooth), .awaitBluetooth(1)]
        )
        #expect(
            machine.bluetoothReady(1, now: .seconds(1)) == [
                .enter(.connecting(PhaseExample.a)), .setTimer(.seconds(11)),
                .connect(2, PhaseExample.a),
            ]
        )
        #expect(machine.progressed(2, .discovering, now: .seconds(2)).isEmpty)
        #expect(machine.progressed(2, .connecting, now: .seconds(3)).isEmpty)
        #expect(
            machine.progressed(2, .connected, now: .seconds(4))
                == [.enter(.discoveringServices(PhaseExample.a)), .setTimer(.seconds(44))]
        )
        #expect(machine.linkUp(2, now: .seconds(5)) == [.findService(2)])
        #expect(
            machine.serviceFound(2, true)
                == [.enter(.discoveringCharacteristics(PhaseExample.a)), .findCharacteristics(2)]
        )
        #expect(
            machine.characteristicsFound(2, true)
                == [.enter(.subscribingToNotifications(PhaseExample.a)), .subscribe(2)]
        )
        #expect(
            machine.subscribed(2, nil, now: .seconds(6)) == [
                .setTimer(nil), .enter(.discoveryComplete(PhaseExample.a)),
                .openStream(2, PhaseExample.a),
                .remember(PhaseExample.a), .enter(.connected(PhaseExample.a)),
                .complete(1, .connected),
            ]
        )
    }

    @Test("A connect with Bluetooth on and an existing link starts with the service discovery")
    func short() {
        var machine = PhaseStateMachine()
        #expect(
            machine.connect(1, to: PhaseExample.a, isOn: true, now: .zero) == [
                .enter(.connecting(PhaseExample.a)), .setTimer(.seconds(10)),
                .connect(2, PhaseExample.a),
            ]
        )
        #expect(
            machine.linkUp(2, now: .seconds(1)) == [
                .enter(.discoveringServices(PhaseExample.a)), .setTimer(.seconds(41)),
                .findService(2),
            ]
        )
    }

    @Test("The configured timeouts apply")
    func settings() {
        var machine = PhaseStateMachine(
            RadioSettings(
                connectionTimeout: .seconds(1),
                serviceDiscoveryTimeout: .seconds(2),
                autoReconnectDiscoveryTimeout: .seconds(3),
                stableConnectionInterval: .seconds(4),
                linkLossSettleTime: .seconds(5)
            )
        )
        let dialled = machine.connect(1, to: PhaseExample.a, isOn: true, now: .zero)
        #expect(dialled.contains(.setTimer(.seconds(1))))
        #expect(machine.progressed(2, .connected, now: .zero).contains(.setTimer(.seconds(2))))
        machine.play(2, until: nil, now: .zero)
        #expect(machine.lost(2, now: .seconds(4)).contains(.setTimer(.seconds(9))))
        #expect(machine.timerFired(now: .seconds(9)).contains(.connect(3, PhaseExample.a)))
        #expect(machine.progressed(3, .connected, now: .zero).contains(.setTimer(.seconds(3))))
    }

    @Test("Each example handles a timeout", arguments: PhaseExample.allCases)
    func limits(example: PhaseExample) {
        let expected: [Action]? =
            switch example {
            case .connecting, .services, .characteristics, .subscription, .takenOver,
                .takenOverServices:
                example.failed(.connectionTimeout)
            // Neither bluetoothd nor a scan knows the device.
            case .searching: example.failed(.deviceNotFound)
            case .returningServices, .returningCharacteristics, .returningSubscription:
                [
                    .setTimer(nil), .releaseLink(3), .enter(.idle), .remember(nil),
                    .reportDisconnected(PhaseExample.a, .connectionTimeout),
                ]
            case .pausing: [.setTimer(nil), .connect(3, PhaseExample.a)]
            case .losing:
                [.setTimer(nil), .connect(3, PhaseExample.a), .reportReconnecting(PhaseExample.a)]
            // No timer is armed.
            case .idle, .waiting, .connected, .returning, .restoring, .restoringForCaller,
                .leaving, .leavingConnected:
                nil
            }
        guard let expected else { return }
        var machine = example.machine
        #expect(machine.timerFired(now: PhaseExample.now) == expected)
    }

    @Test("Each example handles a failed link", arguments: PhaseExample.allCases)
    func linkFailed(example: PhaseExample) {
        let error = BLEError.connectionFailed("le-connection-abort-by-local")
        var machine = example.machine
        let expected: [Action] =
            switch example {
            case .connecting, .searching, .services, .characteristics, .subscription, .takenOver,
                .takenOverServices:
                example.failed(error)
            case .returning: [.releaseLink(3), .pause(failures: 1)]
            case .returningServices, .returningCharacteristics, .returningSubscription:
                [.releaseLink(3), .enter(.autoReconnecting(PhaseExample.a)), .pause(failures: 1)]
            case .idle, .waiting, .connected, .losing, .pausing, .restoring, .restoringForCaller,
                .leaving, .leavingConnected:
                []
            }
        #expect(machine.linkFailed(example.attempt, error) == expected)
    }

    @Test(
        "A radio without the service, TX or RX is disconnected, and the next connect succeeds at once"
    )
    func missing() {
        var machine = PhaseExample.services.machine
        _ = machine.linkUp(2, now: PhaseExample.now)
        #expect(
            machine.serviceFound(2, false) == PhaseExample.services.failed(.characteristicNotFound)
        )
        machine = PhaseExample.characteristics.machine
        #expect(
            machine.characteristicsFound(2, false)
                == PhaseExample.characteristics.failed(.characteristicNotFound)
        )
        #expect(
            machine.connect(2, to: PhaseExample.a, isOn: true, now: PhaseExample.now) == [
                .enter(.connecting(PhaseExample.a)), .setTimer(.seconds(30)),
                .connect(4, PhaseExample.a),
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
        var machine = PhaseExample.subscription.machine
        #expect(
            machine.subscribed(2, error, now: PhaseExample.now)
                == PhaseExample.subscription.failed(reported)
        )
        #expect(machine.phase == .idle)
    }

    @Test("A link that drops and is dialled again keeps the timeout of the caller")
    func brokenOnce() {
        var machine = PhaseExample.services.machine
        #expect(machine.progressed(2, .connecting, now: PhaseExample.now).isEmpty)
        #expect(machine.progressed(2, .connected, now: PhaseExample.now).isEmpty)
        #expect(machine.phase == .discoveringServices(PhaseExample.a))
        #expect(machine.linkUp(2, now: PhaseExample.now) == [.findService(2)])
    }

    @Test("A connect without Bluetooth fails with the reason")
    func refused() {
        var machine = PhaseExample.waiting.machine
        #expect(
            machine.bluetoothFailed(1, .bluetoothPoweredOff)
                == [.enter(.idle), .complete(1, .failed(.bluetoothPoweredOff))]
        )
        #expect(machine.bluetoothReady(1, now: PhaseExample.now).isEmpty)
    }

    @Test("A second connect is refused with the name of the phase, and the first one continues")
    func second() {
        for example in PhaseExample.allCases where example != .idle {
            var machine = example.machine
            let text =
                "the phase is \(example.phase().name); disconnect() or switchDevice(to:) ends it"
            #expect(
                machine.connect(9, to: PhaseExample.b, isOn: true, now: PhaseExample.now)
                    == [.complete(9, .failed(.connectionFailed(text)))]
            )
            #expect(machine == example.machine)
        }
    }

    @Test("Events of another attempt are ignored", arguments: PhaseExample.allCases)
    func late(example: PhaseExample) {
        for attempt in [example.attempt - 1, example.attempt + 1] {
            var machine = example.machine
            let now = PhaseExample.now
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
            #expect(machine.identifierChanged(attempt, to: PhaseExample.b).isEmpty)
            #expect(machine.linkReleased(attempt).isEmpty)
            #expect(machine.bluetoothReady(attempt, now: now).isEmpty)
            #expect(machine.bluetoothFailed(attempt, .bluetoothPoweredOff).isEmpty)
            #expect(machine == example.machine)
        }
    }
}

extension PhaseExample {
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
