import TestSupport
import TestTraits
import Testing

@testable import BluejayBlueZ

@Suite("Pauses of discovery for connection attempts")
struct DiscoveryPauseStateMachineTests {
    @Test("A quick attempt pauses discovery for its duration", .pitfall(.scanSlowsConnect))
    func quick() {
        var machine = DiscoveryPauseStateMachine()
        #expect(machine.attemptStarted(now: .zero) == [.pause, .setTimer(.seconds(2))])
        #expect(machine.attemptEnded() == [.setTimer(nil), .resume])
    }

    @Test("A long attempt pauses discovery for two seconds, and the next pause starts 10 s later")
    func absent() {
        var machine = DiscoveryPauseStateMachine()
        _ = machine.attemptStarted(now: .zero)
        #expect(machine.timerFired(now: .seconds(2)) == [.resume, .setTimer(.seconds(12))])
        #expect(machine.attemptEnded() == [])
        #expect(machine.attemptStarted(now: .seconds(3)) == [])
        #expect(machine.timerFired(now: .seconds(12)) == [.setTimer(nil)])
        #expect(machine.attemptEnded() == [])
        #expect(machine.attemptStarted(now: .seconds(13)) == [.pause, .setTimer(.seconds(15))])
    }

    @Test("During ten minutes of consecutive attempts, discovery runs for five sixths of the time")
    func manyAttempts() {
        var machine = DiscoveryPauseStateMachine()
        var paused = 0
        var isPaused = false
        var timer: Duration?
        for second in 0..<600 {
            let now = Duration.seconds(second)
            var actions = second % 3 == 0 ? machine.attemptStarted(now: now) : []
            if let due = timer, due <= now { actions += machine.timerFired(now: now) }
            if second % 3 == 2, second > 2 { actions += machine.attemptEnded() }
            for action in actions {
                switch action {
                case .pause: isPaused = true
                case .resume: isPaused = false
                case .setTimer(let instant): timer = instant
                }
            }
            paused += isPaused ? 1 : 0
        }
        #expect(paused <= 110)
    }

    @Test(
        "Pauses and resumptions alternate; no pause is too long or follows too soon",
        arguments: 0..<200
    )
    func conservation(seed: Int) {
        var dice = SeededGenerator(seed: UInt64(seed))
        var machine = DiscoveryPauseStateMachine()
        var (attempts, now) = (0, Duration.zero)
        var (timer, pausedSince, forcedAt): (Duration?, Duration?, Duration?)
        func perform(_ actions: [DiscoveryPauseStateMachine.Action], isTimer: Bool = false) {
            for action in actions {
                switch action {
                case .pause:
                    #expect(pausedSince == nil && attempts > 0, "seed \(seed)")
                    if let forcedAt { #expect(now - forcedAt >= .seconds(10), "seed \(seed)") }
                    pausedSince = now
                case .resume:
                    #expect(pausedSince != nil, "seed \(seed)")
                    if isTimer { forcedAt = now }
                    pausedSince = nil
                case .setTimer(let instant): timer = instant
                }
            }
        }
        func fireTimer(until limit: Duration) {
            while let instant = timer, instant <= limit {
                now = instant
                timer = nil
                perform(machine.timerFired(now: now), isTimer: true)
            }
            now = limit
        }
        for _ in 0..<60 {
            fireTimer(until: now + .milliseconds(Int.random(in: 0...4000, using: &dice)))
            if Bool.random(using: &dice) {
                attempts += 1
                perform(machine.attemptStarted(now: now))
            } else if attempts > 0 {
                attempts -= 1
                perform(machine.attemptEnded())
            }
            if let pausedSince { #expect(now - pausedSince <= .seconds(2), "seed \(seed)") }
        }
        while attempts > 0 {
            attempts -= 1
            perform(machine.attemptEnded())
        }
        fireTimer(until: now + .seconds(12))
        #expect(pausedSince == nil && machine == DiscoveryPauseStateMachine(), "seed \(seed)")
    }
}
