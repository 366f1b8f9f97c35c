import TestTraits
import Testing

@testable import Bluejay

extension QueueStateMachine {
    /// Returns a queue with Bluetooth on and no connection.
    static func poweredOn() -> QueueStateMachine {
        var queue = QueueStateMachine()
        _ = queue.becameAvailable()
        return queue
    }

    /// Returns a queue that operation 0 has connected.
    static func connected() -> QueueStateMachine {
        var queue = poweredOn()
        _ = queue.enqueue(0, .connect)
        _ = queue.finished(0)
        return queue
    }
}

@Suite("The operation queue")
struct QueueStateMachineTests {
    @Test("A call waits until the state of Bluetooth is known")
    func waitsForBluetooth() {
        var queue = QueueStateMachine()
        #expect(queue.enqueue(1, .scan) == [])
        #expect(queue.becameAvailable() == [.start(1), .announceAvailability(true)])
    }

    @Test("Waiting calls fail when Bluetooth turns out to be off, and later calls fail at once")
    func failsWhenOff() {
        var queue = QueueStateMachine()
        _ = queue.enqueue(1, .scan)
        let off = BluejayError.bluetoothUnavailable(.poweredOff)
        #expect(
            queue.becameUnavailable(.poweredOff)
                == [.complete(1, off), .announceAvailability(false)]
        )
        #expect(queue.enqueue(2, .scan) == [.complete(2, off)])
    }

    @Test("Reads run one at a time, in the order of the calls")
    func firstInFirstOut() {
        var queue = QueueStateMachine.connected()
        #expect(queue.enqueue(1, .characteristic) == [.start(1)])
        #expect(queue.enqueue(2, .characteristic) == [])
        #expect(queue.enqueue(3, .characteristic) == [])
        #expect(queue.finished(1) == [.complete(1, nil), .start(2)])
        #expect(queue.finished(2, error: .notPaired) == [.complete(2, .notPaired), .start(3)])
        #expect(queue.finished(3) == [.complete(3, nil)])
    }

    @Test("The end of an operation that has already completed is ignored")
    func lateEnd() {
        var queue = QueueStateMachine.connected()
        _ = queue.enqueue(1, .characteristic)
        #expect(queue.cancelAll(.cancelled) == [.abort(1), .complete(1, .cancelled)])
        #expect(queue.finished(1) == [])
    }

    @Test("A connect completes before the next call starts and before the observers are notified")
    func orderOfConnection() {
        var queue = QueueStateMachine.poweredOn()
        #expect(queue.enqueue(1, .connect) == [.start(1)])
        #expect(queue.enqueue(2, .disconnect) == [])
        let ended = QueueStateMachine.Action.endListens(.explicitDisconnect, mayReconnect: false)
        #expect(queue.finished(1) == [.complete(1, nil), ended, .start(2), .announceConnected])
    }

    @Test("A connect ends a running scan")
    func connectEndsScan() {
        var queue = QueueStateMachine.poweredOn()
        _ = queue.enqueue(1, .scan)
        #expect(queue.enqueue(2, .connect) == [.stopScan(1)])
        #expect(queue.finished(1) == [.complete(1, nil), .start(2)])
    }

    @Test("A second scan is refused, and the first one continues")
    func secondScan() {
        var queue = QueueStateMachine.poweredOn()
        _ = queue.enqueue(1, .scan)
        #expect(queue.enqueue(2, .scan) == [.complete(2, .multipleScanNotSupported)])
        #expect(queue.scan == 1)
    }

    @Test(
        "A second connect is refused",
        arguments: [QueueStateMachine.connected(), .connecting()]
    )
    func secondConnect(_ queue: QueueStateMachine) {
        var queue = queue
        #expect(queue.enqueue(9, .connect) == [.complete(9, .multipleConnectNotSupported)])
    }

    @Test("A queued disconnect waits for the earlier reads, and completes after the observers")
    func queuedDisconnect() {
        var queue = QueueStateMachine.connected()
        _ = queue.enqueue(1, .characteristic)
        _ = queue.enqueue(2, .disconnect)
        #expect(queue.enqueue(3, .characteristic) == [.complete(3, .disconnectQueued)])
        #expect(
            queue.finished(1) == [
                .complete(1, nil), .endListens(.explicitDisconnect, mayReconnect: false), .start(2),
            ]
        )
        #expect(queue.finished(2) == [.announceDisconnected(.requested), .complete(2, nil)])
        #expect(!queue.isConnected)
    }

    @Test("A connect and a scan after a queued disconnect wait for it")
    func behindDisconnect() {
        var queue = QueueStateMachine.connected()
        _ = queue.enqueue(1, .disconnect)
        #expect(queue.enqueue(2, .connect) == [])
        #expect(
            queue.finished(1)
                == [.announceDisconnected(.requested), .complete(1, nil), .start(2)]
        )
    }

    @Test("A read after a disconnect and a connect waits for the connection")
    func readBehindConnection() {
        var queue = QueueStateMachine.connected()
        _ = queue.enqueue(1, .disconnect)
        #expect(queue.enqueue(2, .connect) == [])
        #expect(queue.enqueue(3, .characteristic) == [])
        _ = queue.finished(1)
        #expect(queue.finished(2) == [.complete(2, nil), .start(3), .announceConnected])
    }

    @Test("A read after a disconnect and a cancelled connect is refused")
    func readBehindSecondDisconnect() {
        var queue = QueueStateMachine.connected()
        _ = queue.enqueue(1, .disconnect)
        _ = queue.enqueue(2, .connect)
        #expect(queue.cancel(2, .cancelled) == [.complete(2, .cancelled)])
        #expect(queue.enqueue(3, .characteristic) == [.complete(3, .disconnectQueued)])
    }

    @Test("An immediate disconnect fails all operations first")
    func immediateDisconnect() {
        var queue = QueueStateMachine.connected()
        _ = queue.enqueue(1, .characteristic)
        _ = queue.enqueue(2, .characteristic)
        #expect(
            queue.disconnectImmediately(3) == [
                .endListens(.explicitDisconnect, mayReconnect: false),
                .abort(1), .complete(1, .explicitDisconnect), .complete(2, .explicitDisconnect),
                .endListens(.explicitDisconnect, mayReconnect: false), .start(3),
            ]
        )
    }

    @Test("An immediate disconnect ends a connection attempt, and both complete")
    func immediateDisconnectOfAttempt() {
        var queue = QueueStateMachine.connecting()
        #expect(queue.disconnectImmediately(2) == [.abort(1)])
        #expect(queue.isDisconnecting)
        #expect(
            queue.finished(1, error: .cancelled)
                == [
                    .announceDisconnected(.requested), .complete(2, nil),
                    .complete(1, .explicitDisconnect),
                ]
        )
        #expect(!queue.isConnecting)
    }

    @Test("A lost link fails the operations that need it, then the observers are notified")
    func lostLink() {
        var queue = QueueStateMachine.connected()
        _ = queue.enqueue(1, .characteristic)
        _ = queue.enqueue(2, .characteristic)
        #expect(
            queue.connectionLost() == [
                .endListens(.notConnected, mayReconnect: true),
                .abort(1), .complete(1, .notConnected), .complete(2, .notConnected),
                .announceDisconnected(.lost),
            ]
        )
    }

    @Test("A lost link completes a queued disconnect, and the later operations continue")
    func lostLinkBeforeDisconnect() {
        var queue = QueueStateMachine.connected()
        _ = queue.enqueue(1, .characteristic)
        _ = queue.enqueue(2, .disconnect)
        _ = queue.enqueue(3, .connect)
        #expect(
            queue.connectionLost() == [
                .endListens(.notConnected, mayReconnect: false),
                .abort(1), .complete(1, .notConnected), .announceDisconnected(.requested),
                .complete(2, nil), .start(3),
            ]
        )
    }

    @Test("A connect that times out fails the operations after it, up to a disconnect")
    func timedOutAttempt() {
        var queue = QueueStateMachine.connecting()
        _ = queue.enqueue(2, .scan)
        _ = queue.enqueue(3, .disconnect)
        #expect(
            queue.finished(1, error: .connectionTimedOut) == [
                .complete(2, .connectionTimedOut),
                .announceDisconnected(.attempt(.connectionTimedOut)),
                .complete(1, .connectionTimedOut), .complete(3, nil),
            ]
        )
    }

    @Test("A disconnect ends a reconnection attempt")
    func disconnectDuringReconnect() {
        var queue = QueueStateMachine.poweredOn()
        _ = queue.enqueue(1, .reconnect)
        #expect(queue.enqueue(3, .disconnect) == [.abort(1)])
        #expect(
            queue.finished(1, error: .cancelled) == [
                .announceDisconnected(.requested), .complete(3, nil),
                .complete(1, .explicitDisconnect),
            ]
        )
    }

    @Test("Calls wait for an adopted connection, whose failure is not announced")
    func adopting() {
        var queue = QueueStateMachine()
        _ = queue.enqueue(1, .adopt)
        #expect(queue.enqueue(2, .characteristic) == [])
        #expect(queue.becameAvailable() == [.start(1), .announceAvailability(true)])
        #expect(
            queue.finished(1, error: .notConnected)
                == [.complete(1, .notConnected), .complete(2, .notConnected)]
        )
    }

    @Test("A single call can be cancelled, and the next one starts; a disconnect continues")
    func cancelOne() {
        var queue = QueueStateMachine.connected()
        for id in 1...3 { _ = queue.enqueue(id, .characteristic) }
        _ = queue.enqueue(4, .disconnect)
        #expect(queue.cancel(2, .cancelled) == [.complete(2, .cancelled)])
        #expect(
            queue.cancel(1, .operationTimedOut)
                == [.abort(1), .complete(1, .operationTimedOut)]
        )
        #expect(queue.finished(1) == [.start(3)])
        _ = queue.finished(3)
        #expect(queue.cancel(4, .cancelled) == [])
        #expect(queue.isDisconnecting)
    }

    @Test("A stop fails all operations and announces no disconnection")
    func stop() {
        var queue = QueueStateMachine.connected()
        _ = queue.enqueue(1, .characteristic)
        _ = queue.enqueue(2, .disconnect)
        #expect(
            queue.stop() == [
                .endListens(.stopped, mayReconnect: false), .abort(1), .complete(1, .stopped),
                .complete(2, .stopped),
            ]
        )
        #expect(queue == QueueStateMachine())
    }

    @Test("Switching off fails all operations, and announces this before the end of the connection")
    func switchedOff() {
        var queue = QueueStateMachine.connected()
        _ = queue.enqueue(1, .characteristic)
        #expect(
            queue.becameUnavailable(.poweredOff) == [
                .endListens(.bluetoothUnavailable(.poweredOff), mayReconnect: true), .abort(1),
                .complete(1, .bluetoothUnavailable(.poweredOff)), .announceAvailability(false),
                .announceDisconnected(.unavailable(.poweredOff)),
            ]
        )
    }

    @Test("A read without a connection fails at once")
    func readWithoutConnection() {
        var queue = QueueStateMachine.poweredOn()
        #expect(queue.enqueue(1, .characteristic) == [.complete(1, .notConnected)])
    }

    @Test("Twenty thousand waiting writes are served one at a time")
    func manyWrites() {
        var queue = QueueStateMachine.connected()
        for id in 1...20_000 { _ = queue.enqueue(id, .characteristic) }
        let wrong = (1..<20_000).filter { id in
            queue.finished(id) != [.complete(id, nil), .start(id + 1)]
        }
        #expect(wrong == [])
    }
}

extension QueueStateMachine {
    /// Returns a queue in which operation 1 is connecting.
    static func connecting() -> QueueStateMachine {
        var queue = poweredOn()
        _ = queue.enqueue(1, .connect)
        return queue
    }

    @Test(
        "A scan defers a reconnection attempt, and the queue reports when it is idle"
    )
    func scanBeforeReconnect() {
        var queue = QueueStateMachine.poweredOn()
        #expect(queue.enqueue(1, .reconnect) == [.start(1)])
        #expect(queue.enqueue(2, .scan) == [.abort(1)])
        #expect(queue.finished(1) == [.complete(1, .cancelled), .reconnectDeferred, .start(2)])
        #expect(queue.finished(2) == [.complete(2, nil), .idle])
        #expect(queue.enqueue(3, .reconnect) == [.start(3)])
    }

    @Test("A connect replaces a reconnection attempt")
    func connectBeforeReconnect() {
        var queue = QueueStateMachine.poweredOn()
        _ = queue.enqueue(1, .reconnect)
        #expect(queue.enqueue(2, .connect) == [.abort(1)])
        #expect(
            queue.finished(1, error: .cancelled)
                == [.complete(1, .cancelled), .reconnectDeferred, .start(2)]
        )
        #expect(queue.finished(2) == [.complete(2, nil), .announceConnected])
    }

    @Test("A reconnection attempt waits for the end of a running scan")
    func reconnectBehindScan() {
        var queue = QueueStateMachine.poweredOn()
        _ = queue.enqueue(1, .scan)
        #expect(queue.enqueue(2, .reconnect) == [.complete(2, .cancelled), .reconnectDeferred])
        #expect(queue.finished(1) == [.complete(1, nil), .idle])
    }

    @Test("A reconnection attempt that waits for Bluetooth is deferred by a scan")
    func reconnectBeforeBluetooth() {
        var queue = QueueStateMachine()
        _ = queue.enqueue(1, .reconnect)
        #expect(queue.enqueue(2, .scan) == [.complete(1, .cancelled), .reconnectDeferred])
        #expect(queue.becameAvailable() == [.start(2), .announceAvailability(true)])
        #expect(queue.finished(2) == [.complete(2, nil), .idle])
    }

    @Test(
        "After a timeout the next request waits for the reply to the abandoned one",
        .pitfall(.attributeTimeoutEndsLink)
    )
    func unanswered() {
        var queue = QueueStateMachine.connected()
        _ = queue.enqueue(1, .characteristic)
        _ = queue.enqueue(2, .characteristic)
        let late = BluejayError.operationTimedOut
        #expect(queue.cancel(1, late) == [.abort(1), .complete(1, late)])
        #expect(queue.finished(1) == [.start(2)])
        #expect(queue.finished(2) == [.complete(2, nil)])
    }

    @Test("An abandoned request blocks no end of a listen, no scan and no disconnect")
    func besideUnanswered() {
        var queue = QueueStateMachine.connected()
        _ = queue.enqueue(1, .characteristic)
        _ = queue.cancelAll(.cancelled)
        #expect(queue.enqueue(2, .endOfListen) == [.start(2)])
        _ = queue.finished(2)
        #expect(queue.enqueue(3, .scan) == [.start(3)])
        _ = queue.finished(3)
        #expect(
            queue.enqueue(4, .disconnect)
                == [.endListens(.explicitDisconnect, mayReconnect: false), .start(4)]
        )
    }

    @Test("The end of the link discards abandoned requests")
    func linkWithoutAnswer() {
        var queue = QueueStateMachine.connected()
        _ = queue.enqueue(1, .characteristic)
        _ = queue.cancel(1, .cancelled)
        _ = queue.connectionLost()
        _ = queue.enqueue(2, .connect)
        _ = queue.finished(2)
        #expect(queue.enqueue(3, .characteristic) == [.start(3)])
        // The answer is late, and belongs to no operation.
        #expect(queue.finished(1) == [])
    }
}
