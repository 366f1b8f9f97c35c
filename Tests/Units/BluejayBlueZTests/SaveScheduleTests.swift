import TestSupport
import Testing

@testable import BluejayBlueZ

@Suite("The saves of a state")
struct SaveScheduleTests {
    private final class Saves {
        let clock = ManualClock()
        var instants: [Duration] = []
        lazy var schedule = SaveSchedule(clock) { [unowned self] in instants.append(clock.now) }
    }

    @Test("Changes are saved at once, then at most once in 10 s")
    func changes() {
        let saves = Saves()
        for _ in 0..<100 {
            saves.schedule.stateChanged()
            saves.clock.advance(by: .milliseconds(250))
        }
        #expect(saves.instants == [.zero, .seconds(10), .seconds(20)])
    }

    @Test("Eight gains in a row are saved at once, then one in 10 s")
    func gains() {
        let saves = Saves()
        for _ in 0..<100 {
            saves.schedule.stateGained()
            saves.clock.advance(by: .milliseconds(250))
        }
        let first = (0..<8).map { Duration.milliseconds(250 * $0) }
        #expect(saves.instants == first + [.seconds(10), .seconds(20)])
    }

    @Test("A gain is saved at once although an earlier change waits, and only once")
    func gainAfterChange() {
        let saves = Saves()
        saves.schedule.stateChanged()
        saves.clock.advance(by: .seconds(1))
        saves.schedule.stateChanged()
        saves.schedule.stateGained()
        #expect(saves.instants == [.zero, .seconds(1)])
        saves.clock.advance(by: .seconds(60))
        #expect(saves.instants == [.zero, .seconds(1)])
    }

    @Test("A waiting change is saved at the end of its owner")
    func end() {
        let saves = Saves()
        saves.schedule.stateChanged()
        saves.schedule.flush()
        #expect(saves.instants == [.zero])
        saves.clock.advance(by: .seconds(1))
        saves.schedule.stateChanged()
        saves.schedule.flush()
        #expect(saves.instants == [.zero, .seconds(1)])
    }
}
