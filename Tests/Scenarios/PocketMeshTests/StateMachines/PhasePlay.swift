import TestSupport

@testable import PocketMesh

/// Plays random events against a `PhaseStateMachine`, as users and an engine would cause them.
struct PhasePlay {
    /// The engine's progress with the link of the dialled attempt.
    private enum Link {
        case dialling, up, resolved, gone
    }

    private(set) var ledger: PhaseLedger
    private var dice: SeededGenerator
    private var machine = PhaseStateMachine()
    private var link = Link.gone
    private var linkAttempt = 0
    private var lastCaller = 0

    init(_ seed: UInt64) {
        dice = SeededGenerator(seed: seed)
        // In every second play, an earlier run was connected.
        ledger = PhaseLedger(remembered: seed % 2 == 0 ? PhaseExample.a : nil)
        machine.loadRemembered(ledger.remembered)
        if let device = ledger.remembered { restore(device) }
    }

    private mutating func chance(_ one: UInt64) -> Bool { dice.next() % one == 0 }

    // MARK: Steps

    mutating func step() {
        switch dice.next() % 40 {
        case 0...3: connect()
        case 4: cancel()
        case 5: if chance(2) { disconnect(isForgotten: !chance(4)) }
        case 6: if !ledger.isOn || chance(3) { turn(isOn: !ledger.isOn) }
        case 7: if let device = ledger.remembered, chance(2) { restore(device) }
        case 8: beLate()
        case 9...11: passTime()
        case 12...14: admit()
        default: if hasRequests, !chance(4) { answer() } else { move() }
        }
        ledger.expect(machine.phase == ledger.phase, "another phase was reported")
    }

    /// Answers all requests successfully: everything must end and leave nothing.
    mutating func end() {
        turn(isOn: true)
        for _ in 0..<40 where !isAtRest { settle() }
        ledger.expect(isAtRest, "the machine waits without an end")
        ledger.expect(ledger.calls.isEmpty, "a caller was never completed")
        disconnect()
        disconnect()
        for _ in 0..<4 { settle() }
        turn(isOn: false)
        turn(isOn: true)
        ledger.expect(
            ledger.phase == .idle && ledger.remembered == nil,
            "the machine is not idle at the end"
        )
    }

    private var isAtRest: Bool {
        ledger.requests.isEmpty
            && (ledger.phase == .idle || ledger.phase.name == "connected")
    }

    private var hasRequests: Bool { !ledger.requests.isEmpty || ledger.cutting != nil }

    private mutating func settle() {
        if hasRequests {
            answer(isWell: true)
        } else if let attempt = ledger.dialled, linkAttempt != attempt || link != .resolved {
            linkUp(attempt)
        } else if ledger.timer != nil {
            fire()
        }
    }

    // MARK: Users

    private mutating func connect() {
        lastCaller += 1
        let device = chance(4) ? PhaseExample.b : ledger.phase.deviceID ?? PhaseExample.a
        ledger.called(lastCaller, device)
        let actions = machine.connect(lastCaller, to: device, isOn: ledger.isOn, now: ledger.now)
        ledger.take(actions)
    }

    private mutating func cancel() {
        guard lastCaller > 0 else { return }
        let caller = chance(4) ? Int.random(in: 1...lastCaller, using: &dice) : lastCaller
        ledger.take(machine.cancel(caller))
    }

    private mutating func disconnect(isForgotten: Bool = true) {
        ledger.disconnects()
        ledger.take(machine.disconnect(clearsState: isForgotten))
    }

    private mutating func restore(_ device: PhaseStateMachine.Device) {
        let actions = machine.restore(device, isOn: ledger.isOn, now: ledger.now)
        ledger.take(actions, .restored)
    }

    private mutating func turn(isOn: Bool) {
        guard isOn != ledger.isOn else { return }
        if isOn {
            ledger.isOn = true
            admit()
            let target = ledger.phase == .idle ? ledger.reconnectTarget : nil
            let isRestoring = ledger.phase.name == "restoringState"
            let actions = machine.becameAvailable(now: ledger.now)
            ledger.take(actions, isRestoring ? .restored : .anything)
            if let target {
                ledger.expect(
                    ledger.phase == .autoReconnecting(target),
                    "the radio does not reconnect"
                )
            } else if !isRestoring {
                ledger.expect(actions.isEmpty, "reconnects without a request")
            }
        } else {
            let isLoss = ledger.phase.name == "connected"
            ledger.bluetoothGoes()
            let actions = machine.becameUnavailable(.bluetoothPoweredOff)
            ledger.take(actions, isLoss ? .loss : .anything)
            if ledger.dialled == nil { link = .gone }
        }
    }

    /// Answers the attempt that waits for Bluetooth.
    private mutating func admit() {
        guard let attempt = ledger.awaited else { return }
        ledger.awaited = nil
        ledger.answered = attempt
        if ledger.isOn {
            let actions = machine.bluetoothReady(attempt, now: ledger.now)
            // A connect to a restored device joins the restoration once Bluetooth is available.
            if ledger.phase.name == "restoringState" {
                ledger.expect(actions.isEmpty, "\(actions)")
            } else {
                ledger.take(actions)
            }
        } else {
            ledger.take(machine.bluetoothFailed(attempt, .bluetoothPoweredOff))
        }
    }

    private mutating func passTime() {
        if let timer = ledger.timer, chance(3) || timer <= ledger.now { return fire() }
        let most = ledger.timer.map { $0 - ledger.now } ?? .seconds(8)
        let time = Duration.milliseconds(Int.random(in: 0...8_000, using: &dice))
        ledger.now += min(most, time)
    }

    private mutating func fire() {
        guard let timer = ledger.timer else { return }
        ledger.now = max(timer, ledger.now)
        ledger.timer = nil
        ledger.take(machine.timerFired(now: ledger.now))
    }

    // MARK: The engine

    private mutating func answer(isWell: Bool = false) {
        if let attempt = ledger.cutting, isWell || chance(2) {
            ledger.cutting = nil
            return ledger.take(machine.linkReleased(attempt))
        }
        guard !ledger.requests.isEmpty else { return }
        let isGood = isWell || !chance(8)
        switch ledger.requests.removeFirst() {
        case .findService(let attempt): ledger.take(machine.serviceFound(attempt, isGood))
        case .findCharacteristics(let attempt):
            ledger.take(machine.characteristicsFound(attempt, isGood))
        case .subscribe(let attempt):
            if !isGood, chance(3) {
                return ledger.take(machine.reconnectWithoutPairing(attempt, now: ledger.now))
            }
            let error = isGood ? nil : anyError()
            ledger.take(machine.subscribed(attempt, error, now: ledger.now))
        default: ledger.expect(false, "no question")
        }
    }

    private mutating func anyError() -> BLEError {
        let errors: [BLEError] = [
            .notConnected, .pairingFailed("no"), .pairingCancelled, .connectionTimeout,
            .connectionFailed("no"),
        ]
        return errors[Int.random(in: errors.indices, using: &dice)]
    }

    private mutating func move() {
        guard let attempt = ledger.dialled else { return }
        if attempt != linkAttempt { (linkAttempt, link) = (attempt, .dialling) }
        if link != .gone, chance(20) {
            let device = chance(2) ? PhaseExample.a : PhaseExample.b
            return ledger.take(machine.identifierChanged(attempt, to: device), .moved)
        }
        switch link {
        case .dialling: dial(attempt)
        case .up:
            if chance(4) { return fall(attempt) }
            linkUp(attempt)
        case .resolved: if chance(3) { lose(attempt) }
        case .gone: break
        }
    }

    private mutating func dial(_ attempt: PhaseStateMachine.AttemptID) {
        let now = ledger.now
        switch dice.next() % 8 {
        case 0: ledger.take(machine.progressed(attempt, .discovering, now: now))
        case 1, 2: ledger.take(machine.progressed(attempt, .connecting, now: now))
        case 3: fail(attempt)
        case 4: linkUp(attempt)
        default:
            link = .up
            ledger.take(machine.progressed(attempt, .connected, now: now))
        }
    }

    private mutating func fall(_ attempt: PhaseStateMachine.AttemptID) {
        guard chance(2) else { return fail(attempt) }
        link = .dialling
        ledger.take(machine.progressed(attempt, .connecting, now: ledger.now))
    }

    private mutating func fail(_ attempt: PhaseStateMachine.AttemptID) {
        link = .gone
        ledger.take(machine.linkFailed(attempt, anyError()))
    }

    private mutating func linkUp(_ attempt: PhaseStateMachine.AttemptID) {
        (linkAttempt, link) = (attempt, .resolved)
        ledger.take(machine.linkUp(attempt, now: ledger.now))
    }

    private mutating func lose(_ attempt: PhaseStateMachine.AttemptID) {
        link = .gone
        let isConnected = ledger.phase.name == "connected"
        if isConnected, chance(4) {
            ledger.take(machine.becameUnusable(attempt, .pairingFailed("no")), .loss)
        } else {
            ledger.take(machine.lost(attempt, now: ledger.now), isConnected ? .loss : .anything)
        }
    }

    /// Events of a released attempt must change nothing.
    private mutating func beLate() {
        guard ledger.lastAttempt > 0 else { return }
        let attempt = Int.random(in: 1...ledger.lastAttempt, using: &dice)
        guard attempt != ledger.dialled, attempt != ledger.cutting, attempt != ledger.awaited
        else { return }
        let before = machine
        let now = ledger.now
        let expected: [[PhaseStateMachine.Action]] = [
            machine.progressed(attempt, .connected, now: now), machine.linkUp(attempt, now: now),
            machine.linkFailed(attempt, .connectionTimeout), machine.serviceFound(attempt, true),
            machine.characteristicsFound(attempt, true),
            machine.subscribed(attempt, nil, now: now), machine.lost(attempt, now: now),
            machine.becameUnusable(attempt, .pairingCancelled),
            machine.identifierChanged(attempt, to: PhaseExample.b),
            machine.linkReleased(attempt), machine.bluetoothFailed(attempt, .bluetoothPoweredOff),
        ]
        let actions = Array(expected.joined())
        ledger.expect(actions.isEmpty && machine == before, "late: \(actions)")
    }
}
