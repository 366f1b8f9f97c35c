import Testing

@testable import PocketMesh

@Suite("Loss, return and restoration of Bluetooth")
struct PhaseBluetoothTests {
    private typealias Action = PhaseStateMachine.Action

    private static let off = BLEError.bluetoothPoweredOff

    @Test("Each stage handles the loss of Bluetooth", arguments: Stage.allCases)
    func off(stage: Stage) {
        var machine = stage.machine
        let expected: [Action] =
            switch stage {
            case .connecting, .searching, .services, .characteristics, .subscription:
                stage.failed(Self.off)
            case .takenOver, .takenOverServices:
                [
                    .setTimer(nil), .releaseLink(3), .enter(.idle), .complete(2, .failed(Self.off)),
                ]
            case .connected:
                [
                    .closeStream, .releaseLink(2), .enter(.idle),
                    .reportDisconnected(Stage.a, Self.off),
                ]
            case .returning, .returningServices, .returningCharacteristics, .returningSubscription:
                [
                    .setTimer(nil), .releaseLink(3), .enter(.idle),
                    .reportDisconnected(Stage.a, Self.off),
                ]
            case .losing, .pausing:
                [.setTimer(nil), .enter(.idle), .reportDisconnected(Stage.a, Self.off)]
            // Either no link exists yet, or its end is reported after the disconnection.
            case .idle, .waiting, .restoring, .restoringForCaller, .leaving, .leavingConnected: []
            }
        #expect(machine.becameUnavailable(Self.off) == expected)
    }

    @Test(
        "When Bluetooth returns, the earlier radio is connected without a report",
        arguments: Stage.allCases
    )
    func back(stage: Stage) {
        var machine = stage.machine
        _ = machine.becameUnavailable(Self.off)
        let expected: [Action] =
            switch stage {
            case .connected, .losing, .pausing: dialled(4)
            case .returning, .returningServices, .returningCharacteristics, .returningSubscription,
                .takenOver, .takenOverServices:
                dialled(5)
            case .restoring: dialled(2) + [.reportReconnecting(Stage.a)]
            case .restoringForCaller:
                [.stopAwaiting(1)] + dialled(2, until: .seconds(30)) + [
                    .reportReconnecting(Stage.a)
                ]
            case .idle, .waiting, .connecting, .searching, .services, .characteristics,
                .subscription, .leaving, .leavingConnected:
                []
            }
        #expect(machine.becameAvailable(now: Stage.now) == expected)
        #expect(machine.becameAvailable(now: Stage.now).isEmpty)
    }

    private func dialled(_ attempt: Int, until limit: Duration? = nil) -> [Action] {
        [.enter(.autoReconnecting(Stage.a)), .setTimer(limit), .connect(attempt, Stage.a)]
    }

    private func offWhileConnected() -> PhaseStateMachine {
        var machine = Stage.connected.machine
        _ = machine.becameUnavailable(Self.off)
        return machine
    }

    @Test("After Bluetooth returns, a reconnection is reported and a failure is not")
    func backAndForth() {
        var machine = offWhileConnected()
        _ = machine.becameAvailable(now: Stage.now)
        machine.play(4, until: .subscription, now: Stage.now)
        #expect(
            machine.subscribed(4, nil, now: Stage.now) == [
                .setTimer(nil), .enter(.discoveryComplete(Stage.a)), .openStream(4, Stage.a),
                .reportReconnected(Stage.a), .enter(.connected(Stage.a)),
            ]
        )
        machine = offWhileConnected()
        _ = machine.becameAvailable(now: Stage.now)
        machine.play(4, until: .characteristics, now: Stage.now)
        #expect(
            machine.characteristicsFound(4, false)
                == [.setTimer(nil), .releaseLink(4), .enter(.idle), .remember(nil)]
        )
        #expect(machine.becameAvailable(now: Stage.now).isEmpty)
    }

    @Test(
        "Bluetooth off during a reconnection is not a second loss; its next return connects again"
    )
    func offTwice() {
        var machine = offWhileConnected()
        _ = machine.becameAvailable(now: Stage.now)
        #expect(
            machine.becameUnavailable(Self.off) == [.setTimer(nil), .releaseLink(4), .enter(.idle)]
        )
        #expect(machine.becameAvailable(now: Stage.now) == dialled(6))
    }

    @Test("A disconnect or a connect to another radio ends the reconnection")
    func wishes() {
        var machine = offWhileConnected()
        #expect(machine.disconnect(clearsState: true) == [.remember(nil), .disconnected])
        #expect(machine.becameAvailable(now: Stage.now).isEmpty)
        machine = offWhileConnected()
        #expect(
            machine.connect(2, to: Stage.b, isOn: false, now: Stage.now)
                == [.remember(nil), .enter(.waitingForBluetooth), .awaitBluetooth(3)]
        )
        _ = machine.bluetoothFailed(3, Self.off)
        #expect(machine.becameAvailable(now: Stage.now).isEmpty)
    }

    @Test("A connect to the same radio that fails in its wait for Bluetooth keeps the reconnection")
    func wishStays() {
        for isCancelled in [false, true] {
            var machine = offWhileConnected()
            #expect(
                machine.connect(2, to: Stage.a, isOn: false, now: Stage.now)
                    == [.enter(.waitingForBluetooth), .awaitBluetooth(3)]
            )
            _ = isCancelled ? machine.cancel(2) : machine.bluetoothFailed(3, Self.off)
            #expect(machine.becameAvailable(now: Stage.now) == dialled(5))
        }
    }

    @Test("A connect to the same radio replaces the reconnection once Bluetooth is available")
    func wishFulfilled() {
        var machine = offWhileConnected()
        _ = machine.connect(2, to: Stage.a, isOn: false, now: Stage.now)
        #expect(
            machine.bluetoothReady(3, now: Stage.now) == [
                .enter(.connecting(Stage.a)), .setTimer(.seconds(30)), .connect(4, Stage.a),
            ]
        )
        _ = machine.cancel(2)
        #expect(machine.becameAvailable(now: Stage.now).isEmpty)
    }

    // MARK: Restoration

    @Test("When Bluetooth is available, a restored run reports a loss and a reconnection")
    func restores() {
        var machine = PhaseStateMachine()
        machine.loadRemembered(Stage.a)
        #expect(
            machine.restore(Stage.a, isOn: false, now: .zero) == [.enter(.restoringState(Stage.a))]
        )
        #expect(
            machine.becameAvailable(now: .seconds(1)) == dialled(2) + [.reportReconnecting(Stage.a)]
        )
        #expect(
            machine.linkUp(2, now: .seconds(2)) == [
                .enter(.discoveringServices(Stage.a)), .setTimer(.seconds(17)), .findService(2),
            ]
        )
        machine.play(2, until: .subscription, now: .seconds(2))
        #expect(
            machine.subscribed(2, nil, now: .seconds(3)) == [
                .setTimer(nil), .enter(.discoveryComplete(Stage.a)), .openStream(2, Stage.a),
                .reportReconnected(Stage.a), .enter(.connected(Stage.a)),
            ]
        )
    }

    @Test("With Bluetooth on, a restore enters both phases at once; a later failure is reported")
    func restoresAtOnce() {
        var machine = PhaseStateMachine()
        machine.loadRemembered(Stage.a)
        #expect(
            machine.restore(Stage.a, isOn: true, now: .zero)
                == [.enter(.restoringState(Stage.a))] + dialled(2) + [.reportReconnecting(Stage.a)]
        )
        #expect(
            machine.linkFailed(2, .pairingCancelled) == [
                .setTimer(nil), .releaseLink(2), .enter(.idle), .remember(nil),
                .reportDisconnected(Stage.a, .pairingCancelled),
            ]
        )
    }

    @Test("A restore has no effect during another connection or a reconnection")
    func restoresNothing() {
        for stage in Stage.allCases where stage != .idle {
            var machine = stage.machine
            #expect(machine.restore(Stage.b, isOn: true, now: Stage.now).isEmpty)
            #expect(machine == stage.machine)
        }
        var machine = offWhileConnected()
        #expect(machine.restore(Stage.a, isOn: false, now: Stage.now).isEmpty)
    }

    @Test("A connect to a restored radio fails with Bluetooth, and the restoration continues")
    func restoringForCaller() {
        var machine = Stage.restoringForCaller.machine
        #expect(machine.bluetoothFailed(1, Self.off) == [.complete(2, .failed(Self.off))])
        #expect(machine == Stage.restoring.machine)
        machine = Stage.restoringForCaller.machine
        #expect(machine.bluetoothReady(1, now: Stage.now).isEmpty)
        _ = machine.becameAvailable(now: Stage.now)
        machine.play(2, until: .subscription, now: Stage.now)
        #expect(
            machine.subscribed(2, nil, now: Stage.now) == [
                .setTimer(nil), .enter(.discoveryComplete(Stage.a)), .openStream(2, Stage.a),
                .enter(.connected(Stage.a)), .complete(2, .connected),
            ]
        )
    }
}
