import Testing

@testable import Bluejay

@Suite("Kept listens whose characteristics were removed", .timeLimit(.minutes(15)))
struct MovedListensTests {
    private typealias Machine = MovedListens<String>

    @Test("A characteristic that returns in time is reported once and does not expire")
    func returned() {
        var machine = Machine()
        machine.characteristicRemoved("a", now: .seconds(10))
        machine.characteristicRemoved("b", now: .seconds(11))
        #expect(machine.deadline == .seconds(12))
        #expect(machine.removeReturned { _ in false } == [])
        #expect(machine.removeReturned { $0 == "a" } == ["a"])
        #expect(machine.removeReturned { $0 == "a" } == [])
        #expect(machine.deadline == .seconds(13))
        #expect(machine.removeExpired(now: .seconds(12)) == [])
    }

    @Test("A characteristic that does not return expires 2 s after its removal, in order")
    func expired() {
        var machine = Machine()
        machine.characteristicRemoved("b", now: .zero)
        machine.characteristicRemoved("a", now: .zero)
        machine.characteristicRemoved("c", now: .milliseconds(1))
        // A second removal does not restart the wait.
        machine.characteristicRemoved("b", now: .seconds(1))
        #expect(machine.removeExpired(now: .milliseconds(1999)) == [])
        #expect(machine.removeExpired(now: .seconds(2)) == ["b", "a"])
        #expect(machine.removeExpired(now: .seconds(3)) == ["c"])
        #expect(machine.deadline == nil)
    }
}
