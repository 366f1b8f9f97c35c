import TestSupport

@testable import PocketMesh

/// Plays random events against a `WriteStateMachine`, as users, a link and a clock would cause them, and
/// records violations.
struct WritePlay {
    private(set) var faults: [String] = []
    private var dice: SeededGenerator
    private var machine: WriteStateMachine
    private let pacing: Duration
    private var now = Duration.zero
    private var timer: Duration?
    private var isOpen = false
    private var lastWrite = 0
    private var waiting: Set<Int> = []
    private var outstanding: (write: Int, since: Duration)?
    /// Whether a cancellation is the reason for a withdrawal.
    private var isCancelling = false
    private var lastSent = 0
    private var lastEnd: Duration?
    /// The latest write that was sent or failed.
    private var lastTold = 0

    init(_ seed: UInt64) {
        dice = SeededGenerator(seed: seed)
        pacing = seed % 2 == 0 ? .zero : .milliseconds(300)
        machine = WriteStateMachine(RadioSettings(writePacingDelay: pacing))
    }

    private mutating func expect(_ isSo: Bool, _ fault: String) {
        if !isSo { faults.append("\(fault), at \(now)") }
    }

    // MARK: Steps

    mutating func step() {
        switch dice.next() % 20 {
        case 0: if isOpen { if dice.next() % 3 == 0 { close() } } else { open() }
        case 1...7:
            lastWrite += 1
            waiting.insert(lastWrite)
            take(machine.enqueue(lastWrite, now: now))
        case 8, 9:
            guard lastWrite > 0 else { return }
            let write = Int.random(in: max(1, lastWrite - 5)...lastWrite, using: &dice)
            isCancelling = true
            take(machine.cancel(write))
            isCancelling = false
            expect(!waiting.contains(write), "a cancelled write is still waiting")
        case 10...14: if let (write, _) = outstanding { answer(write) }
        case 15: beLate()
        default: passTime()
        }
    }

    /// Answers all writes or lets their time limits pass.
    mutating func end() {
        for _ in 0..<(2 * lastWrite + 2) {
            if let (write, _) = outstanding, dice.next() % 2 == 0 { answer(write) } else { fire() }
        }
        expect(waiting.isEmpty && outstanding == nil && timer == nil, "not over")
        expect(machine.isIdle, "not idle")
        close()
    }

    private mutating func open() {
        machine.open()
        isOpen = true
        lastEnd = nil
    }

    private mutating func close() {
        isOpen = false
        take(machine.close())
        expect(waiting.isEmpty && outstanding == nil && timer == nil, "a write or a timer remains")
    }

    private mutating func answer(_ write: Int) {
        outstanding = nil
        lastEnd = now
        let error = dice.next() % 5 == 0 ? BLEError.writeError("no") : nil
        take(machine.replied(write, error, now: now))
    }

    private mutating func beLate() {
        guard lastSent > 0 else { return }
        let write = Int.random(in: 1...lastSent, using: &dice)
        guard write != outstanding?.write else { return }
        let before = machine
        let actions = machine.replied(write, nil, now: now)
        expect(actions.isEmpty && machine == before, "a late reply had an effect")
    }

    private mutating func passTime() {
        let time = Duration.milliseconds(Int.random(in: 0...2_000, using: &dice))
        if let timer, timer <= now + time { fire() } else { now += time }
    }

    private mutating func fire() {
        guard let due = timer else { return }
        now = max(now, due)
        timer = nil
        take(machine.timerFired(now: now))
    }

    // MARK: Actions of the machine

    private mutating func take(_ actions: [WriteStateMachine.Action]) {
        for action in actions {
            switch action {
            case .send(let write): send(write)
            case .cancel(let write):
                expect(outstanding?.write == write, "\(write) was not sent")
                // A cancelled write keeps its turn.
                guard !isCancelling else { continue }
                if isOpen, let since = outstanding?.since {
                    expect(now == since + .seconds(5), "withdrawn behind \(now - since)")
                }
                outstanding = nil
                lastEnd = now
            case .complete(let write, let outcome): complete(write, outcome)
            case .setTimer(let instant):
                expect(instant != timer, "the timer was set twice")
                timer = instant
            }
        }
        expect(outstanding == nil || timer != nil, "a write has no timeout")
        expect(isOpen || waiting.isEmpty, "a write waits without a connection")
        let isPacing = pacing > .zero && timer != nil
        expect(waiting.isEmpty || outstanding != nil || isPacing, "no write is in progress")
    }

    private mutating func send(_ write: Int) {
        expect(isOpen, "sent without a connection")
        expect(outstanding == nil, "two writes are in progress")
        expect(write > lastSent, "a write was repeated or reordered")
        expect(waiting.contains(write), "a write without a caller was sent")
        if let lastEnd { expect(now >= lastEnd + pacing, "sent without a pause") }
        outstanding = (write, now)
        lastSent = write
    }

    private mutating func complete(_ write: Int, _ outcome: WriteStateMachine.Outcome) {
        expect(waiting.remove(write) != nil, "\(write) ended twice")
        switch outcome {
        case .cancelled: return
        case .sent: expect(write == lastSent, "completed a write that was not sent")
        case .failed(.operationTimeout), .failed(.writeError):
            expect(write == lastSent, "failed a write that was not sent")
        case .failed(let error):
            expect(error == .notConnected && !isOpen, "\(error)")
        }
        expect(write > lastTold, "completed out of order")
        lastTold = write
    }
}
