import Foundation

@testable import PocketMesh

/// A state of a `PhaseStateMachine`, reached on the shortest way.
///
/// Caller 1 waits as attempt 1, dials `a` as attempt 2 and is connected from 2 s on. The link is lost at 3 s,
/// which is early, or at 12 s; a quarter of a second later the reconnection starts as attempt 3. Caller 2
/// takes over. An earlier run was connected to `a`.
enum PhaseExample: CaseIterable {
    case idle, waiting, connecting, searching, services, characteristics, subscription, connected
    case losing, returning, pausing, returningServices, returningCharacteristics,
        returningSubscription
    case takenOver, takenOverServices, restoring, restoringForCaller, leaving, leavingConnected

    static let a = UUID(uuid: (10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    static let b = UUID(uuid: (11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    static let now = Duration.seconds(20)

    var machine: PhaseStateMachine {
        var machine = PhaseStateMachine()
        switch self {
        case .idle: break
        case .restoring, .restoringForCaller:
            machine.loadRemembered(Self.a)
            _ = machine.restore(Self.a, isOn: false, now: .zero)
        case .waiting: _ = machine.connect(1, to: Self.a, isOn: false, now: .zero)
        case .connecting, .searching, .services, .characteristics, .subscription, .connected,
            .losing, .returning, .pausing, .returningServices, .returningCharacteristics,
            .returningSubscription, .takenOver, .takenOverServices, .leaving, .leavingConnected:
            _ = machine.connect(1, to: Self.a, isOn: true, now: .zero)
        }
        advance(&machine)
        return machine
    }

    private func advance(_ machine: inout PhaseStateMachine) {
        switch self {
        case .idle, .waiting, .connecting, .restoring: break
        case .restoringForCaller: _ = machine.connect(2, to: Self.a, isOn: false, now: .zero)
        case .searching: _ = machine.progressed(2, .discovering, now: .zero)
        case .services: machine.play(2, until: .services, now: .seconds(1))
        case .characteristics: machine.play(2, until: .characteristics, now: .seconds(1))
        case .subscription: machine.play(2, until: .subscription, now: .seconds(1))
        case .connected: machine.play(2, until: nil, now: .seconds(2))
        case .pausing:
            machine.play(2, until: nil, now: .seconds(2))
            _ = machine.lost(2, now: .seconds(3))
            _ = machine.timerFired(now: .seconds(3.25))
        case .losing:
            machine.play(2, until: nil, now: .seconds(2))
            _ = machine.lost(2, now: .seconds(12))
        case .returning: machine.lose()
        case .returningServices: machine.lose(andPlayUntil: .services)
        case .returningCharacteristics: machine.lose(andPlayUntil: .characteristics)
        case .returningSubscription: machine.lose(andPlayUntil: .subscription)
        case .takenOver:
            machine.lose()
            _ = machine.connect(2, to: Self.a, isOn: true, now: .seconds(13))
        case .takenOverServices:
            machine.lose(andPlayUntil: .services)
            _ = machine.connect(2, to: Self.a, isOn: true, now: .seconds(14))
        case .leaving: _ = machine.disconnect(clearsState: true)
        case .leavingConnected:
            machine.play(2, until: nil, now: .seconds(2))
            _ = machine.disconnect(clearsState: true)
        }
    }

    var attempt: PhaseStateMachine.AttemptID {
        switch self {
        case .idle, .waiting, .restoring, .restoringForCaller: 1
        case .connecting, .searching, .services, .characteristics, .subscription, .connected,
            .losing, .pausing, .leaving, .leavingConnected:
            2
        case .returning, .returningServices, .returningCharacteristics, .returningSubscription,
            .takenOver, .takenOverServices:
            3
        }
    }

    var caller: PhaseStateMachine.Caller {
        switch self {
        case .idle, .waiting, .connecting, .searching, .services, .characteristics, .subscription,
            .connected, .losing, .returning, .pausing, .returningServices,
            .returningCharacteristics, .returningSubscription, .restoring, .leaving,
            .leavingConnected:
            1
        case .takenOver, .takenOverServices, .restoringForCaller: 2
        }
    }

    func phase(_ device: UUID = a) -> BLEPhase {
        switch self {
        case .idle: .idle
        case .waiting: .waitingForBluetooth
        case .connecting, .searching: .connecting(device)
        case .services, .returningServices, .takenOverServices: .discoveringServices(device)
        case .characteristics, .returningCharacteristics: .discoveringCharacteristics(device)
        case .subscription, .returningSubscription: .subscribingToNotifications(device)
        case .connected: .connected(device)
        case .losing, .returning, .pausing, .takenOver: .autoReconnecting(device)
        case .restoring, .restoringForCaller: .restoringState(device)
        case .leaving, .leavingConnected: .disconnecting(device)
        }
    }
}

extension PhaseStateMachine {
    /// Brings an attempt up to a step, or to the connection if `step` is `nil`.
    mutating func play(_ attempt: AttemptID, until step: Step?, now: Duration) {
        _ = progressed(attempt, .connected, now: now)
        guard step != .services else { return }
        _ = linkUp(attempt, now: now)
        _ = serviceFound(attempt, true)
        guard step != .characteristics else { return }
        _ = characteristicsFound(attempt, true)
        guard step != .subscription else { return }
        _ = subscribed(attempt, nil, now: now)
    }

    fileprivate mutating func lose() {
        play(2, until: nil, now: .seconds(2))
        _ = lost(2, now: .seconds(12))
        _ = timerFired(now: .seconds(12.25))
    }

    fileprivate mutating func lose(andPlayUntil step: Step) {
        lose()
        play(3, until: step, now: .seconds(13))
    }
}
