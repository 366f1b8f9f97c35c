import Testing

@testable import PocketMesh

@Suite("The queue of writes")
struct WriteStateMachineTests {
    private func open(pacing: Duration = .zero) -> WriteStateMachine {
        var machine = WriteStateMachine(RadioSettings(writePacingDelay: pacing))
        machine.open()
        return machine
    }

    /// Write 1 is in transit until 5 s; 2 and 3 wait.
    private func three(pacing: Duration = .zero) -> WriteStateMachine {
        var machine = open(pacing: pacing)
        for write in 1...3 { _ = machine.enqueue(write, now: .zero) }
        return machine
    }

    @Test("Writes are sent in order, one at a time, each with a timeout of five seconds")
    func order() {
        var machine = open()
        #expect(machine.isIdle)
        #expect(machine.enqueue(1, now: .zero) == [.send(1), .setTimer(.seconds(5))])
        #expect(machine.enqueue(2, now: .seconds(1)).isEmpty)
        #expect(machine.enqueue(3, now: .seconds(1)).isEmpty)
        #expect(!machine.isIdle)
        #expect(
            machine.replied(1, nil, now: .seconds(4))
                == [.complete(1, .sent), .send(2), .setTimer(.seconds(9))]
        )
        #expect(
            machine.replied(2, .writeError("no"), now: .seconds(5)) == [
                .complete(2, .failed(.writeError("no"))), .send(3), .setTimer(.seconds(10)),
            ]
        )
        #expect(
            machine.replied(3, nil, now: .seconds(6)) == [.complete(3, .sent), .setTimer(nil)]
        )
        #expect(machine.isIdle)
    }

    @Test("No write is sent without a connection")
    func closed() {
        var machine = WriteStateMachine()
        #expect(machine.enqueue(1, now: .zero) == [.complete(1, .failed(.notConnected))])
        #expect(machine.close().isEmpty)
        #expect(machine.replied(1, nil, now: .zero).isEmpty)
        #expect(machine.timerFired(now: .seconds(9)).isEmpty)
        #expect(machine.isIdle)
    }

    @Test("An unanswered write times out, the next is sent, and a late reply is ignored")
    func limit() {
        var machine = three()
        #expect(
            machine.timerFired(now: .seconds(5)) == [
                .cancel(1), .complete(1, .failed(.operationTimeout)), .send(2),
                .setTimer(.seconds(10)),
            ]
        )
        let before = machine
        #expect(machine.replied(1, nil, now: .seconds(6)).isEmpty)
        #expect(machine == before)
    }

    @Test("A timer that fires early is set again")
    func early() {
        var machine = three()
        #expect(machine.timerFired(now: .seconds(4)) == [.setTimer(.seconds(5))])
        machine = three(pacing: .seconds(2))
        _ = machine.replied(1, nil, now: .seconds(1))
        #expect(machine.timerFired(now: .seconds(2)) == [.setTimer(.seconds(3))])
    }

    @Test("The end of the connection fails all writes, in order")
    func lost() {
        var machine = three()
        #expect(
            machine.close() == [
                .cancel(1), .complete(1, .failed(.notConnected)),
                .complete(2, .failed(.notConnected)), .complete(3, .failed(.notConnected)),
                .setTimer(nil),
            ]
        )
        machine.open()
        #expect(machine.replied(1, nil, now: .seconds(1)).isEmpty)
        #expect(machine.enqueue(4, now: .seconds(1)) == [.send(4), .setTimer(.seconds(6))])
    }

    @Test("A cancelled write completes at once; one already sent still blocks the next")
    func cancelled() {
        var machine = three()
        #expect(machine.cancel(2) == [.complete(2, .cancelled)])
        #expect(machine.cancel(2).isEmpty)
        // The engine may not have started the write.
        #expect(machine.cancel(1) == [.cancel(1), .complete(1, .cancelled)])
        #expect(machine.cancel(1).isEmpty)
        #expect(machine.replied(1, nil, now: .seconds(2)) == [.send(3), .setTimer(.seconds(7))])
        #expect(
            machine.replied(3, nil, now: .seconds(3)) == [.complete(3, .sent), .setTimer(nil)]
        )
        #expect(machine.cancel(3).isEmpty)
    }

    @Test("A cancelled write without a reply times out silently")
    func cancelledAndSilent() {
        var machine = three()
        _ = machine.cancel(1)
        #expect(
            machine.timerFired(now: .seconds(5))
                == [.cancel(1), .send(2), .setTimer(.seconds(10))]
        )
        _ = machine.cancel(2)
        #expect(
            machine.close()
                == [.cancel(2), .complete(3, .failed(.notConnected)), .setTimer(nil)]
        )
    }

    @Test("The configured pause separates the end of a write from the next write")
    func pacing() {
        var machine = three(pacing: .seconds(2))
        #expect(
            machine.replied(1, nil, now: .seconds(1))
                == [.complete(1, .sent), .setTimer(.seconds(3))]
        )
        #expect(!machine.isIdle)
        #expect(machine.enqueue(4, now: .seconds(2)).isEmpty)
        #expect(machine.timerFired(now: .seconds(3)) == [.send(2), .setTimer(.seconds(8))])
        #expect(
            machine.timerFired(now: .seconds(8)) == [
                .cancel(2), .complete(2, .failed(.operationTimeout)), .setTimer(.seconds(10)),
            ]
        )
        #expect(
            machine.close() == [
                .complete(3, .failed(.notConnected)), .complete(4, .failed(.notConnected)),
                .setTimer(nil),
            ]
        )
    }

    @Test("A pause without a queued write ends silently")
    func pause() {
        var machine = open(pacing: .seconds(2))
        _ = machine.enqueue(1, now: .zero)
        _ = machine.replied(1, nil, now: .zero)
        #expect(machine.timerFired(now: .seconds(2)).isEmpty)
        #expect(machine.isIdle)
        #expect(machine.enqueue(2, now: .seconds(2)) == [.send(2), .setTimer(.seconds(7))])
    }

    @Test("In random sequences, writes end once, in order, and one at a time")
    func random() {
        let seed = UInt64.random(in: 0...UInt64(UInt32.max))
        for round in UInt64(0)..<1_000 {
            var play = WritePlay(seed &+ round)
            for _ in 0..<200 { play.step() }
            play.end()
            #expect(play.faults.isEmpty, "seed \(seed), round \(round)")
        }
    }
}
