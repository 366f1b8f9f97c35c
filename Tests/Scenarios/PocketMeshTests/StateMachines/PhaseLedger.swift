@testable import PocketMesh

/// Tracks the requests of a `PhaseStateMachine` and records violations.
struct PhaseLedger {
    typealias Action = PhaseStateMachine.Action
    typealias Attempt = PhaseStateMachine.AttemptID
    typealias Device = PhaseStateMachine.Device

    enum Cause {
        case loss
        case restored, moved, anything
    }

    private(set) var faults: [String] = []
    private(set) var arrows: Set<Arrow> = []

    var now = Duration.zero
    var isOn = false
    var timer: Duration?
    private(set) var phase = BLEPhase.idle
    private(set) var dialled: Attempt?
    private(set) var lastAttempt = 0
    var cutting: Attempt?
    var awaited: Attempt?
    /// The attempt whose wait for Bluetooth has ended.
    var answered: Attempt?
    private(set) var isStreamOpen = false
    var requests: [Action] = []
    private(set) var calls: Set<Int> = []
    private(set) var reconnectTarget: Device?
    private(set) var remembered: Device?
    private var waiters = 0
    private var isReturn = false
    /// A loss was reported, and its outcome must be reported, too.
    private var isOwed = false
    /// A loss has happened and is not reported yet.
    private var isLossOpen = false

    init(remembered: Device?) {
        self.remembered = remembered
    }

    mutating func expect(_ isSo: Bool, _ fault: @autoclosure () -> String) {
        if !isSo { faults.append("\(fault()), at \(now) in \(phase.name)") }
    }

    // MARK: Users

    mutating func called(_ caller: Int, _ device: Device) {
        calls.insert(caller)
        if phase == .idle, device != remembered { reconnectTarget = nil }
    }

    mutating func disconnects() {
        waiters += 1
        reconnectTarget = nil
        isOwed = false
        isLossOpen = false
    }

    mutating func bluetoothGoes() {
        isOn = false
        let comesBack =
            switch phase.name {
            case "connected": true
            case "restoringState", "waitingForBluetooth", "disconnecting", "idle": false
            default: isReturn
            }
        if comesBack { reconnectTarget = phase.deviceID }
    }

    // MARK: Actions of the machine

    mutating func take(_ actions: [Action], _ cause: Cause = .anything) {
        let wasOwed = isOwed
        var reportCount = 0
        for action in actions {
            switch action {
            case .reportReconnecting(let device):
                reportCount += 1
                expect(isLossOpen || cause == .restored, "a loss was reported without a connection")
                isLossOpen = false
                expect(device == phase.deviceID, "a loss of another radio was reported")
                isOwed = true
            case .reportDisconnected:
                reportCount += 1
                expect(
                    cause == .loss || isLossOpen || isOwed,
                    "the end of a reconnection was reported without a loss"
                )
                isOwed = false
                isLossOpen = false
            case .complete(let caller, let outcome): complete(caller, outcome)
            case .enter(let new): enter(new, cause)
            default: perform(action)
            }
        }
        if cause == .loss {
            isLossOpen = reportCount == 0
            expect(reportCount == 1 || phase.name == "autoReconnecting", "a loss was not reported")
        }
        if isLossOpen {
            expect(phase.name == "autoReconnecting" && timer != nil, "a loss is unreported")
        }
        expect(reportCount <= 1, "reported \(reportCount) times")
        if phase == .idle {
            // The caller that took over receives the result instead.
            let isReported = reportCount == 1 || actions.contains(where: \.isCompletion)
            expect(!wasOwed || isReported, "the end of a loss was not reported")
            isOwed = false
        }
        settle()
    }

    private mutating func complete(_ caller: Int, _ outcome: PhaseStateMachine.Outcome) {
        expect(calls.remove(caller) != nil, "\(caller) was completed twice")
        guard outcome == .connected else { return }
        expect(isStreamOpen && phase.name == "connected", "connected without a stream")
        isOwed = false
    }

    private mutating func enter(_ new: BLEPhase, _ cause: Cause) {
        if new.name == phase.name {
            expect(cause == .moved && new != phase, "the same phase was entered twice")
        } else {
            let arrow = Arrow(phase.name, new.name)
            expect(Arrow.allowed.contains(arrow), "\(arrow)")
            arrows.insert(arrow)
            if let old = phase.deviceID, let new = new.deviceID {
                expect(old == new, "another radio")
            }
        }
        phase = new
        switch new.name {
        case "autoReconnecting": isReturn = true
        case "idle", "connecting", "connected": isReturn = false
        default: break
        }
    }

    private mutating func perform(_ action: Action) {
        switch action {
        case .awaitBluetooth(let attempt):
            expect(awaited == nil, "waits twice")
            awaited = attempt
        case .stopAwaiting(let attempt):
            expect(awaited == attempt || answered == attempt, "stopped waiting without a wait")
            awaited = nil
        case .connect(let attempt, let device): dial(attempt, device)
        case .findService(let attempt): ask(action, attempt, "discoveringServices")
        case .findCharacteristics(let attempt): ask(action, attempt, "discoveringCharacteristics")
        case .subscribe(let attempt): ask(action, attempt, "subscribingToNotifications")
        case .openStream(let attempt, let device):
            expect(!isStreamOpen, "a stream was opened during another")
            expect(
                dialled == attempt && phase == .discoveryComplete(device),
                "a stream was opened in the wrong phase"
            )
            isStreamOpen = true
        case .closeStream:
            expect(isStreamOpen, "a stream was closed twice")
            isStreamOpen = false
        case .releaseLink(let attempt): give(attempt)
        case .disconnect(let attempt):
            give(attempt)
            cutting = attempt
        case .setTimer(let instant):
            expect(instant.map { $0 >= now } ?? true, "a timer is in the past")
            timer = instant
        case .pause(let failures):
            expect(failures > 0, "a delay was requested without a failure")
            timer = now + .seconds(failures)
        case .reportReconnected(let device):
            expect(
                isStreamOpen && phase == .discoveryComplete(device),
                "a reconnection was reported without a stream"
            )
            isOwed = false
        case .remember(let device):
            expect(device != remembered, "the same device was saved twice")
            remembered = device
        case .disconnected:
            expect(waiters > 0, "a disconnect completed without a caller")
            waiters = 0
        case .enter, .complete, .reportReconnecting, .reportDisconnected: break
        }
    }

    private mutating func dial(_ attempt: Attempt, _ device: Device) {
        expect(isOn, "connects without Bluetooth")
        expect(dialled == nil && cutting == nil, "connects before the earlier link is released")
        expect(attempt > lastAttempt, "attempt \(attempt) was repeated")
        expect(phase.deviceID == device, "connects to another radio")
        dialled = attempt
        lastAttempt = attempt
        reconnectTarget = nil
    }

    private mutating func ask(_ action: Action, _ attempt: Attempt, _ name: String) {
        expect(dialled == attempt && phase.name == name, "\(action)")
        requests.append(action)
    }

    private mutating func give(_ attempt: Attempt) {
        expect(dialled == attempt, "\(attempt) was released and is not current")
        dialled = nil
    }

    // MARK: Invariants

    /// Verifies that each phase holds exactly its own resources.
    private mutating func settle() {
        let hasTimer = timer != nil
        let hasCaller = !calls.isEmpty
        // The device that the next run would reconnect to.
        let isKept = remembered == phase.deviceID
        expect(calls.count <= 1, "two callers")
        expect(isStreamOpen == (phase.name == "connected"), "the stream")
        expect((cutting != nil) == (phase.name == "disconnecting"), "cutting")
        expect((waiters > 0) == (phase.name == "disconnecting"), "waiters outside a disconnect")
        let isRight =
            switch phase.name {
            case "idle", "disconnecting":
                !hasTimer && !hasCaller && dialled == nil && awaited == nil
            case "waitingForBluetooth":
                !hasTimer && hasCaller && dialled == nil && awaited != nil
            case "restoringState":
                !hasTimer && hasCaller == (awaited != nil) && dialled == nil
            case "connecting": hasTimer && hasCaller && dialled != nil && awaited == nil
            case "discoveringServices", "discoveringCharacteristics",
                "subscribingToNotifications":
                hasTimer && (isReturn ? isKept : hasCaller) && dialled != nil && awaited == nil
            case "connected":
                !hasTimer && !hasCaller && dialled != nil && awaited == nil && isKept
            case "autoReconnecting":
                (hasTimer || dialled != nil) && awaited == nil && isKept
                    && (!hasCaller || hasTimer && dialled != nil)
            default: false
            }
        let (dialled, awaited) = (dialled ?? 0, awaited ?? 0)
        expect(
            isRight,
            "timer \(hasTimer), caller \(hasCaller), dialled \(dialled), awaits \(awaited)"
        )
    }
}

extension PhaseStateMachine.Action {
    fileprivate var isCompletion: Bool {
        if case .complete = self { true } else { false }
    }
}
