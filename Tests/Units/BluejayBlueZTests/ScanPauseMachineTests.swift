import Testing

@testable import BluejayBlueZ

@Suite("Pauses of discovery for connection attempts")
struct ScanPauseMachineTests {
    @Test("A quick attempt pauses discovery as long as it takes")
    func quick() {
        var machine = ScanPauseMachine()
        #expect(machine.attemptBegan(now: .zero) == [.pause, .setTimer(.seconds(2))])
        #expect(machine.attemptEnded() == [.setTimer(nil), .resume])
    }

    @Test("An attempt that goes on pauses for two seconds, and not again for ten")
    func absent() {
        var machine = ScanPauseMachine()
        _ = machine.attemptBegan(now: .zero)
        #expect(machine.timerFired(now: .seconds(2)) == [.resume, .setTimer(.seconds(12))])
        #expect(machine.attemptEnded() == [])
        #expect(machine.attemptBegan(now: .seconds(3)) == [])
        #expect(machine.timerFired(now: .seconds(12)) == [.setTimer(nil)])
        #expect(machine.attemptEnded() == [])
        #expect(machine.attemptBegan(now: .seconds(13)) == [.pause, .setTimer(.seconds(15))])
    }

    @Test("Of ten minutes of attempts one after the other, discovery has five sixths")
    func manyAttempts() {
        var machine = ScanPauseMachine()
        var paused = 0
        var isPaused = false
        var timer: Duration?
        for second in 0..<600 {
            let now = Duration.seconds(second)
            var actions = second % 3 == 0 ? machine.attemptBegan(now: now) : []
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
}
