import TestSupport
import TestTraits
import Testing

@testable import MeshPeer

@Suite("Random events of peers")
struct PeerPlayTests {
    @Test(
        "Peers are never too many, never dialled twice at once or too soon, and end once",
        .computing
    )
    func play() {
        for seed in 1...300 as ClosedRange<UInt64> {
            var play = PeerPlay(seed)
            for _ in 0..<600 { play.step() }
            play.end()
            #expect(play.faults == [], "seed \(seed)")
        }
    }
}

/// Plays nodes, links and a clock against a `PeerStateMachine` and records violations.
private struct PeerPlay {
    private(set) var faults: [String] = []
    private var dice: SeededGenerator
    private var machine: PeerStateMachine<Int>
    private let maximum: Int
    private var now = Duration.zero
    private var timer: Duration?
    private var held: Set<Int> = []
    private var connected: [Int: [UInt8]] = [:]
    private var attempts: [Int: Duration] = [:]
    private var strangers: [Int: Duration] = [:]

    init(_ seed: UInt64) {
        dice = SeededGenerator(seed: seed)
        maximum = Int(dice.next() % 6)
        var settings = BLECentralManager.Settings()
        settings.maximumPeers = maximum
        machine = PeerStateMachine(settings, maximumIdentity: 4)
    }

    mutating func step() {
        now += .milliseconds(Int64(dice.next() % 700))
        let peer = Int(dice.next() % 12)
        switch dice.next() % 24 {
        case 0: machine.start()
        case 1: if dice.next() % 8 == 0 { stop() }
        case 2: machine.windowStarted()
        case 3: take(machine.windowEnded())
        case 4: if dice.next() % 6 == 0 { take(machine.becameUnavailable()) }
        case 5...10: take(machine.seen(peer, now: now))
        case 11 where dice.next() % 2 == 0: take(machine.attemptStarted(peer, now: now))
        case 11: take(machine.linkUp(peer, isNode: dice.next() % 5 != 0, now: now))
        case 12...13: take(machine.linkUp(peer, isNode: true, now: now))
        case 14...16: take(machine.subscribed(peer))
        case 17...19:
            let identity = [UInt8](repeating: UInt8(dice.next() % 6), count: Int(dice.next() % 6))
            take(machine.identityRead(peer, identity, now: now))
        case 20 where dice.next() % 2 == 0: take(machine.serviceRemoved(peer, now: now))
        case 20:
            take(machine.linkFailed(peer, isInRange: dice.next() % 2 == 0, now: now))
        case 21: take(machine.linkEnded(peer, reason: nil, now: now))
        case 22: if dice.next() % 5 == 0 { take(machine.restore(peer, now: now)) }
        default: fire()
        }
    }

    mutating func end() {
        stop()
        expect(held.isEmpty && connected.isEmpty && timer == nil, "a peer or a timer remains")
    }

    private mutating func stop() {
        take(machine.stop())
        strangers = [:]
        attempts = [:]
    }

    private mutating func fire() {
        guard let instant = timer else { return }
        now = max(now, instant)
        timer = nil
        take(machine.timerFired(now: now))
    }

    private mutating func take(_ actions: [PeerStateMachine<Int>.Action]) {
        for action in actions { take(action) }
        expect(held.count <= maximum, "too many are held")
        expect(Set(machine.connectedPeers) == Set(connected.keys), "the peers differ")
    }

    private mutating func take(_ action: PeerStateMachine<Int>.Action) {
        switch action {
        case .connect(let peer):
            expect(held.insert(peer).inserted, "\(peer) is dialled twice at once")
            if let instant = strangers[peer] {
                expect(now - instant >= .seconds(30), "the stranger \(peer) is dialled")
            }
            if let last = attempts[peer] {
                expect(now - last >= .seconds(5), "\(peer) is dialled too soon")
            }
            attempts[peer] = now
        case .subscribe(let peer), .readIdentity(let peer):
            expect(held.contains(peer), "\(peer) has no link")
        case .release(let peer): expect(held.remove(peer) != nil, "\(peer) was not held")
        case .connected(let peer, let identity):
            expect(connected.updateValue(identity, forKey: peer) == nil, "\(peer) was connected")
        case .lost(let peer, _):
            expect(connected.removeValue(forKey: peer) != nil, "\(peer) was not connected")
            attempts[peer] = nil
        case .notAPeer(let peer): strangers[peer] = now
        case .setTimer(let instant): timer = instant
        }
    }

    private mutating func expect(_ isSo: Bool, _ fault: String) {
        if !isSo { faults.append("\(fault), at \(now)") }
    }
}
