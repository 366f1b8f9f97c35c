import Testing

@testable import Bluejay

@Suite("Connects that share an attempt", .timeLimit(.minutes(15)))
struct SharedAttemptsTests {
    private func queue(isSame: Bool = true) -> QueueStateMachine {
        var queue = QueueStateMachine.poweredOn()
        _ = queue.enqueue(1, .connect)
        #expect(queue.attempt == 1)
        #expect(queue.share(2, attempt: 1, isSame: isSame) == [.attemptStarted(2)])
        #expect(queue.share(3, attempt: 1, isSame: isSame) == [.attemptStarted(3)])
        return queue
    }

    @Test("Connects that share an attempt complete with its result")
    func ends() {
        var queue = queue()
        _ = queue.finished(1)
        #expect(queue.attemptEnded(1, nil) == [.complete(2, nil), .complete(3, nil)])
        #expect(queue.attemptEnded(1, nil) == [])
        queue = self.queue()
        _ = queue.finished(1, error: .pairingRejected)
        #expect(
            queue.attemptEnded(1, .pairingRejected)
                == [.complete(2, .pairingRejected), .complete(3, .pairingRejected)]
        )
    }

    @Test(
        "An error that concerns one call starts the next call, and the others share its attempt",
        arguments: [BluejayError.cancelled, .connectionTimedOut, .noPeripheralFound("")]
    )
    func ownEnd(_ error: BluejayError) {
        var queue = queue()
        _ = queue.finished(1, error: error)
        #expect(queue.attemptEnded(1, error) == [.start(2), .attemptStarted(3)])
        #expect(queue.attempt == 2)
        _ = queue.finished(2)
        #expect(queue.attemptEnded(2, nil) == [.complete(3, nil)])
    }

    @Test("A failed attempt to a possibly different peripheral fails no other call")
    func perhapsAnother() {
        var queue = queue(isSame: false)
        _ = queue.finished(1, error: .unexpectedDisconnect)
        #expect(
            queue.attemptEnded(1, .unexpectedDisconnect) == [.start(2), .attemptStarted(3)]
        )
    }

    @Test("A sharing connect is cancelled individually, and all are cancelled together")
    func cancelled() {
        var queue = queue()
        #expect(queue.cancel(2, .cancelled) == [.complete(2, .cancelled)])
        #expect(queue.cancelAll(.stopped) == [.abort(1), .complete(3, .stopped)])
        queue = self.queue()
        #expect(queue.stop().suffix(2) == [.complete(2, .stopped), .complete(3, .stopped)])
    }

    @Test("A waiting attempt can be shared, and its timeout begins with its start")
    func waiting() {
        var queue = QueueStateMachine.connected()
        _ = queue.enqueue(1, .disconnect)
        #expect(queue.attempt == nil)
        _ = queue.enqueue(2, .connect)
        #expect(queue.attempt == 2)
        #expect(queue.share(3, attempt: 2, isSame: true) == [])
        #expect(
            queue.finished(1) == [
                .announceDisconnected(.requested), .complete(1, nil), .start(2), .attemptStarted(3),
            ]
        )
    }

    @Test("A reconnection can be shared, and is replaced if another operation ends it")
    func reconnection() {
        var queue = QueueStateMachine.poweredOn()
        _ = queue.enqueue(1, .reconnect)
        #expect(queue.attempt == 1)
        _ = queue.share(2, attempt: 1, isSame: true)
        _ = queue.enqueue(3, .scan)
        #expect(queue.attempt == nil)
        #expect(queue.finished(1).first == .complete(1, .cancelled))
        #expect(queue.attemptEnded(1, .cancelled) == [.stopScan(3)])
    }
}
