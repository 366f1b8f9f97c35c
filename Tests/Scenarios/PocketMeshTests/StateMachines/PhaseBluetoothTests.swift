import Testing

@testable import PocketMesh

@Suite("Loss, return and restoration of Bluetooth")
struct PhaseBluetoothTests {
    private typealias Action = PhaseStateMachine.Action

    private static let off = BLEError.bluetoothPoweredOff

    @Test("Each example handles the loss of Bluetooth", arguments: PhaseExample.allCases)
    func off(example: PhaseExample) {
        var machine = example.machine
        let expected: [Action] =
            switch example {
            case .connecting, .searching, .services, .characteristics, .subscription:
                example.failed(Self.off)
            case .takenOver, .takenOverServices:
                [
                    .setTimer(nil), .releaseLink(3), .enter(.idle), .complete(2, .failed(Self.off)),
                ]
            case .connected:
                [
                    .closeStream, .releaseLink(2), .enter(.idle),
                    .reportDisconnected(PhaseExample.a, Self.off),
                ]
            case .returning, .returningServices, .returningCharacteristics, .returningSubscription:
                [
                    .setTimer(nil), .releaseLink(3), .enter(.idle),
                    .reportDisconnected(PhaseExample.a, Self.off),
                ]
            case .losing, .pausing:
                [.setTimer(nil), .enter(.idle), .reportDisconnected(PhaseExample.a, Self.off)]
            // Either no link exists yet, or its end is reported after the disconnection.
            case .idle, .waiting, .restoring, .restoringForCaller, .leaving, .leavingConnected: []
            }
        #expect(machine.becameUnavailable(Self.off) == expected)
    }

    @Test(
        "When Bluetooth returns, the earlier radio is connected without a report",
        arguments: PhaseExample.allCases
    )
    func back(example: PhaseExample) {
        var machine = example.machine
        _ = machine.becameUnavailable(Self.off)
        let expected: [Action] =
            switch example {
            case .connected, .losing, .pausing: dialled(4)
            case .returning, .returningServices, .returningCharacteristics, .returningSubscription,
                .takenOver, .takenOverServices:
                dialled(5)
            case .restoring: dialled(2) + [.reportReconnecting(PhaseExample.a)]
            case .restoringForCaller:
                [.stopAwaiting(1)] + dialled(2, until: .seconds(30)) + [
                    .reportReconnecting(PhaseExample.a)
                ]
            case .idle, .waiting, .connecting, .searching, .services, .characteristics,
                .subscription, .leaving, .leavingConnected:
                []
            }
        #expect(machine.becameAvailable(now: PhaseExample.now) == expected)
        #expect(machine.becameAvailable(now: PhaseExample.now).isEmpty)
    }

    private func dialled(_ attempt: Int, until limit: Duration? = nil) -> [Action] {
        [
            .enter(.autoReconnecting(PhaseExample.a)), .setTimer(limit),
            .connect(attempt, PhaseExample.a),
        ]
    }

    private func offWhileConnected() -> PhaseStateMachine {
        var machine = PhaseExample.connected.machine
        _ = machine.becameUnavailable(Self.off)
        return machine
    }

    @Test("After Bluetooth returns, a reconnection is reported and a failure is not")
    func backAndForth() {
        var machine = offWhileConnected()
        _ = machine.becameAvailable(now: PhaseExample.now)
        machine.play(4, until: .subscription, now: PhaseExample.now)
        #expect(
            machine.subscribed(4, nil, now: PhaseExample.now) == [
                .setTimer(nil), .enter(.discoveryComplete(PhaseExample.a)),
                .openStream(4, PhaseExample.a),
                .reportReconnected(PhaseExample.a), .enter(.connected(PhaseExample.a)),
            ]
        )
        machine = offWhileConnected()
        _ = machine.becameAvailable(now: PhaseExample.now)
        machine.play(4, until: .characteristics, now: PhaseExample.now)
        #expect(
            machine.characteristicsFound(4, false)
                == [.setTimer(nil), .releaseLink(4), .enter(.idle), .remember(nil)]
        )
        #expect(machine.becameAvailable(now: PhaseExample.now).isEmpty)
    }

    @Test(
        "Bluetooth off during a reconnection is not a second loss; its next return connects again"
    )
    func offTwice() {
        var machine = offWhileConnected()
        _ = machine.becameAvailable(now: PhaseExample.now)
        #expect(
            machine.becameUnavailable(Self.off) == [.setTimer(nil), .releaseLink(4), .enter(.idle)]
        )
        #expect(machine.becameAvailable(now: PhaseExample.now) == dialled(6))
    }

    @Test("A disconnect or a connect to another radio ends the reconnection")
    func wishes() {
        var machine = offWhileConnected()
        #expect(machine.disconnect(clearsState: true) == [.remember(nil), .disconnected])
        #expect(machine.becameAvailable(now: PhaseExample.now).isEmpty)
        machine = offWhileConnected()
        #expect(
            machine.connect(2, to: PhaseExample.b, isOn: false, now: PhaseExample.now)
                == [.remember(nil), .enter(.waitingForBluetooth), .awaitBluetooth(3)]
        )
        _ = machine.bluetoothFailed(3, Self.off)
        #expect(machine.becameAvailable(now: PhaseExample.now).isEmpty)
    }

    @Test("A connect to the same radio that fails in its wait for Bluetooth keeps the reconnection")
    func wishStays() {
        for isCancelled in [false, true] {
            var machine = offWhileConnected()
            #expect(
                machine.connect(2, to: PhaseExample.a, isOn: false, now: PhaseExample.now)
                    == [.enter(.waitingForBluetooth), .awaitBluetooth(3)]
            )
            _ = isCancelled ? machine.cancel(2) : machine.bluetoothFailed(3, Self.off)
            #expect(machine.becameAvailable(now: PhaseExample.now) == dialled(5))
        }
    }

    @Test("A connect to the same radio replaces the reconnection once Bluetooth is available")
    func wishFulfilled() {
        var machine = offWhileConnected()
        _ = machine.connect(2, to: PhaseExample.a, isOn: false, now: PhaseExample.now)
        #expect(
            machine.bluetoothReady(3, now: PhaseExample.now) == [
                .enter(.connecting(PhaseExample.a)), .setTimer(.seconds(30)),
                .connect(4, PhaseExample.a),
            ]
        )
        _ = machine.cancel(2)
        #expect(machine.becameAvailable(now: PhaseExample.now).isEmpty)
    }

    // MARK: Restoration

    @Test("When Bluetooth is available, a restored run reports a loss and a reconnection")
    func restores() {
        var machine = PhaseStateMachine()
        machine.loadRemembered(PhaseExample.a)
        #expect(
            machine.restore(PhaseExample.a, isOn: false, now: .zero) == [
                .enter(.restoringState(PhaseExample.a))
            ]
        )
        #expect(
            machine.becameAvailable(now: .seconds(1)) == dialled(2) + [
                .reportReconnecting(PhaseExample.a)
            ]
        )
        #expect(
            machine.linkUp(2, now: .seconds(2)) == [
                .enter(.discoveringServices(PhaseExample.a)), .setTimer(.seconds(17)),
                .findService(2),
            ]
        )
        machine.play(2, until: .subscription, now: .seconds(2))
        #expect(
            machine.subscribed(2, nil, now: .seconds(3)) == [
                .setTimer(nil), .enter(.discoveryComplete(PhaseExample.a)),
                .openStream(2, PhaseExample.a),
                .reportReconnected(PhaseExample.a), .enter(.connected(PhaseExample.a)),
            ]
        )
    }

    @Test("With Bluetooth on, a restore enters both phases at once; a later failure is reported")
    func restoresAtOnce() {
        var machine = PhaseStateMachine()
        machine.loadRemembered(PhaseExample.a)
        #expect(
            machine.restore(PhaseExample.a, isOn: true, now: .zero)
                == [.enter(.restoringState(PhaseExample.a))] + dialled(2) + [
                    .reportReconnecting(PhaseExample.a)
                ]
        )
        #expect(
            machine.linkFailed(2, .pairingCancelled) == [
                .setTimer(nil), .releaseLink(2), .enter(.idle), .remember(nil),
                .reportDisconnected(PhaseExample.a, .pairingCancelled),
            ]
        )
    }

    @Test("A restore has no effect during another connection or a reconnection")
    func restoresNothing() {
        for example in PhaseExample.allCases where example != .idle {
            var machine = example.machine
            #expect(machine.restore(PhaseExample.b, isOn: true, now: PhaseExample.now).isEmpty)
            #expect(machine == example.machine)
        }
        var machine = offWhileConnected()
        #expect(machine.restore(PhaseExample.a, isOn: false, now: PhaseExample.now).isEmpty)
    }

    @Test("A connect to a restored radio fails with Bluetooth, and the restoration continues")
    func restoringForCaller() {
        var machine = PhaseExample.restoringForCaller.machine
        #expect(machine.bluetoothFailed(1, Self.off) == [.complete(2, .failed(Self.off))])
        #expect(machine == PhaseExample.restoring.machine)
        machine = PhaseExample.restoringForCaller.machine
        #expect(machine.bluetoothReady(1, now: PhaseExample.now).isEmpty)
        _ = machine.becameAvailable(now: PhaseExample.now)
        machine.play(2, until: .subscription, now: PhaseExample.now)
        #expect(
            machine.subscribed(2, nil, now: PhaseExample.now) == [
                .setTimer(nil), .enter(.discoveryComplete(PhaseExample.a)),
                .openStream(2, PhaseExample.a),
                .enter(.connected(PhaseExample.a)), .complete(2, .connected),
            ]
        )
    }
}
