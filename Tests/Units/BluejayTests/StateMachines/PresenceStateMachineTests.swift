import TestSupport
import Testing

@testable import Bluejay

@Suite("Appearing and disappearing peripherals")
struct PresenceStateMachineTests {
    private typealias Machine = PresenceStateMachine<Int>

    @Test("A sighted peripheral appears once, and expires after its timeout")
    func comesAndGoes() {
        var machine = Machine(timeout: .seconds(10))
        #expect(machine.nextExpiry == nil)
        #expect(machine.sighted(1, now: .seconds(0)) == true)
        #expect(machine.sighted(2, now: .seconds(3)) == true)
        #expect(machine.sighted(1, now: .seconds(5)) == false)
        #expect(machine.nextExpiry == .seconds(13))
        #expect(machine.expire(now: .seconds(12)) == [])
        #expect(machine.expire(now: .seconds(15)) == [2, 1])
        #expect(machine.nextExpiry == nil)
        #expect(machine.sighted(1, now: .seconds(16)) == true)
    }

    @Test("A connected peripheral stays until the connection ends, which is reported once")
    func connected() {
        var machine = Machine(timeout: .seconds(10))
        #expect(machine.sighted(1, isConnected: true, now: .zero) == true)
        #expect(machine.expire(now: .seconds(600)) == [])
        #expect(machine.disconnected(1, now: .seconds(605)) == true)
        #expect(machine.disconnected(1, now: .seconds(606)) == false)
        #expect(machine.disconnected(2, now: .seconds(606)) == false)
        #expect(machine.expire(now: .seconds(614)) == [])
        #expect(machine.expire(now: .seconds(615)) == [1])
    }

    @Test("A reported loss removes a peripheral that is present")
    func lost() {
        var machine = Machine(timeout: .seconds(10))
        _ = machine.sighted(1, now: .zero)
        #expect(machine.expired(1) == true)
        #expect(machine.expired(1) == false)
        #expect(machine.expired(2) == false)
        #expect(machine.expire(now: .seconds(10)) == [])
    }

    @Test("All peripherals expire together in the order of their last sighting")
    func loseAll() {
        var machine = Machine(timeout: .seconds(10))
        for key in [3, 1, 2, 3] { _ = machine.sighted(key, now: .zero) }
        #expect(machine.removeAll() == [1, 2, 3])
        #expect(machine.removeAll() == [])
    }

    @Test("Ignored peripherals are not reported, and the last 10,000 of them are remembered")
    func ignored() {
        var machine = Machine(timeout: .seconds(10))
        _ = machine.sighted(1, now: .zero)
        machine.ignore(1)
        #expect(machine.sighted(1, now: .seconds(1)) == nil)
        #expect(machine.expire(now: .seconds(20)) == [])
        for key in 2...10_001 { machine.ignore(key) }
        #expect(machine.sighted(1, now: .seconds(30)) == true)
        #expect(machine.sighted(2, now: .seconds(30)) == nil)
    }

    @Test("Each peripheral that appeared disappears once in random sequences", arguments: 0..<100)
    func conservation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = Machine(timeout: .seconds(5))
        var present: Set<Int> = []
        var now = Duration.zero
        for _ in 0..<300 {
            now += .milliseconds(Int.random(in: 0..<2_000, using: &random))
            let key = Int.random(in: 0..<8, using: &random)
            var gone: [Int] = []
            switch Int.random(in: 0..<8, using: &random) {
            case 0: gone = machine.expire(now: now)
            case 1 where Bool.random(using: &random): gone = machine.removeAll()
            case 2: if machine.expired(key) { gone = [key] }
            default:
                let isNew = machine.sighted(key, now: now)
                #expect(isNew == present.insert(key).inserted, "seed \(seed)")
            }
            for key in gone { #expect(present.remove(key) != nil, "seed \(seed)") }
        }
        #expect(Set(machine.removeAll()) == present, "seed \(seed)")
    }
}
