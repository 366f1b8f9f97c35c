import Testing

@testable import BluejayBlueZ

@Suite("Closed notify sockets")
struct SocketClosureStateMachineTests {
    private typealias Machine = SocketClosureStateMachine<String>

    @Test("Without another subscriber, a closed socket is an unsubscription")
    func alone() {
        var machine = Machine()
        #expect(machine.closed("A", subscribers: ["A"], open: ["A"], now: .zero) == .unsubscribed)
    }

    @Test("A subscriber that has lost its socket may leave, too")
    func withoutSocket() {
        var machine = Machine()
        #expect(
            machine.closed("A", subscribers: ["A", "B"], open: ["A"], now: .zero) == .undecided
        )
    }

    @Test("Only the first socket can be closed by mistake")
    func second() {
        var machine = Machine()
        #expect(
            machine.closed("B", subscribers: ["A", "B"], open: ["A", "B"], now: .zero)
                == .unsubscribed
        )
        #expect(machine.closed("A", subscribers: ["A"], open: ["A"], now: .zero) == .undecided)
    }

    @Test(
        "The end of another link within 5 s shows a mistake",
        arguments: [(0, true), (4, true), (5, false)]
    )
    func departure(seconds: Int, isMistake: Bool) {
        var machine = Machine()
        #expect(
            machine.closed("A", subscribers: ["A", "B"], open: ["A", "B"], now: .zero) == .undecided
        )
        #expect(machine.deadline == .seconds(5))
        let expired = machine.expire(now: .seconds(seconds))
        #expect(expired == (isMistake ? [] : ["A"]))
        let mistaken = machine.centralsDisconnected(
            ["B"],
            subscribers: ["B"],
            open: ["B"],
            now: .seconds(seconds)
        )
        #expect(mistaken == (isMistake ? ["A"] : []))
        #expect(machine.deadline == nil)
    }

    @Test("After the end of a link, the first socket closes by mistake once, within 5 s")
    func departureBefore() {
        for (seconds, verdict) in [(5, Machine.Verdict.mistake), (6, .undecided)] {
            var machine = Machine()
            let mistaken = machine.centralsDisconnected(
                ["C"],
                subscribers: ["A", "B", "C"],
                open: ["A", "B", "C"],
                now: .zero
            )
            #expect(mistaken.isEmpty)
            let time = Duration.seconds(seconds)
            #expect(
                machine.closed("A", subscribers: ["A", "B"], open: ["A", "B"], now: time) == verdict
            )
            #expect(
                machine.closed("A", subscribers: ["A", "B"], open: ["A", "B"], now: time)
                    == .undecided
            )
        }
    }

    @Test("Each departure explains one closed socket")
    func departures() {
        var machine = Machine()
        #expect(
            machine.closed("A", subscribers: ["A", "B", "C"], open: ["A", "B", "C"], now: .zero)
                == .undecided
        )
        #expect(
            machine.closed("B", subscribers: ["B", "C"], open: ["B", "C"], now: .zero) == .undecided
        )
        let mistaken = machine.centralsDisconnected(
            ["C"],
            subscribers: ["C"],
            open: ["C"],
            now: .seconds(1)
        )
        #expect(mistaken == ["A"])
        #expect(machine.expire(now: .seconds(5)) == ["B"])
    }
}
