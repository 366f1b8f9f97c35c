import Testing

@testable import Bluejay

@Suite("Concurrent scans")
struct ConcurrentScansTests {
    private func available() -> QueueStateMachine {
        var queue = QueueStateMachine()
        _ = queue.becameAvailable()
        return queue
    }

    @Test("A concurrent scan starts at once beside any operation, and blocks none")
    func beside() {
        var queue = available()
        #expect(queue.enqueue(1, .scan) == [.start(1)])
        #expect(queue.enqueue(2, .concurrentScan) == [.start(2)])
        #expect(queue.enqueue(3, .concurrentScan) == [.start(3)])
        #expect(queue.finished(1) == [.complete(1, nil)])
        #expect(queue.enqueue(4, .connect) == [.start(4)])
        #expect(queue.finished(4) == [.complete(4, nil), .announceConnected])
        #expect(queue.enqueue(5, .characteristic) == [.start(5)])
        #expect(queue.finished(2) == [.complete(2, nil)])
        #expect(queue.isScanning)
        #expect(queue.finished(3, error: .cancelled) == [.complete(3, .cancelled)])
        #expect(!queue.isScanning)
    }

    @Test("A concurrent scan waits for Bluetooth, and fails if Bluetooth is unavailable")
    func waits() {
        var queue = QueueStateMachine()
        #expect(queue.enqueue(1, .concurrentScan) == [])
        #expect(queue.isScanning)
        #expect(queue.becameAvailable() == [.start(1), .announceAvailability(true)])
        _ = queue.becameUnavailable(.poweredOff)
        #expect(
            queue.enqueue(2, .concurrentScan) == [.complete(2, .bluetoothUnavailable(.poweredOff))]
        )
    }

    @Test(
        "A concurrent scan fails when Bluetooth becomes unavailable, before the observers are notified"
    )
    func off() {
        var queue = available()
        _ = queue.enqueue(1, .concurrentScan)
        let error = BluejayError.bluetoothUnavailable(.poweredOff)
        #expect(
            queue.becameUnavailable(.poweredOff)
                == [.abort(1), .complete(1, error), .announceAvailability(false)]
        )
        #expect(queue.finished(1) == [])
    }

    @Test("A watch waits for Bluetooth to return, and starts again each time")
    func watch() {
        var queue = available()
        #expect(queue.enqueue(1, .watch) == [.start(1)])
        for _ in 1...3 {
            #expect(
                queue.becameUnavailable(.poweredOff)
                    == [.interrupt(1), .announceAvailability(false)]
            )
            #expect(queue.isScanning)
            #expect(queue.becameUnavailable(.poweredOff) == [.announceAvailability(false)])
            #expect(queue.becameAvailable() == [.start(1), .announceAvailability(true)])
        }
        _ = queue.becameUnavailable(.poweredOff)
        #expect(queue.stopScanning() == [.complete(1, nil)])
        #expect(queue.finished(1) == [])
    }

    @Test("A watch that has not started fails without Bluetooth, like any call")
    func earlyWatch() {
        var queue = QueueStateMachine()
        #expect(queue.enqueue(1, .watch) == [])
        let error = BluejayError.bluetoothUnavailable(.noAdapter)
        #expect(
            queue.becameUnavailable(.noAdapter)
                == [.complete(1, error), .announceAvailability(false)]
        )
        #expect(queue.enqueue(2, .watch) == [.complete(2, error)])
    }

    @Test("The user can end an interrupted watch")
    func interruptedWatch() {
        var queue = available()
        _ = queue.enqueue(1, .watch)
        _ = queue.enqueue(2, .watch)
        _ = queue.becameUnavailable(.poweredOff)
        #expect(queue.finished(1) == [.complete(1, nil)])
        #expect(queue.cancel(2, .cancelled) == [.complete(2, .cancelled)])
        #expect(queue.becameAvailable() == [.announceAvailability(true)])
    }

    @Test("stopScanning stops all concurrent scans and the queued one")
    func stopAll() {
        var queue = available()
        _ = queue.enqueue(1, .scan)
        _ = queue.enqueue(2, .concurrentScan)
        _ = queue.enqueue(3, .concurrentScan)
        #expect(queue.stopScanning() == [.stopScan(1), .stopScan(2), .stopScan(3)])
        #expect(queue.finished(2) == [.complete(2, nil)])
        #expect(queue.finished(2) == [])
        var waiting = QueueStateMachine()
        _ = waiting.enqueue(1, .concurrentScan)
        #expect(waiting.stopScanning() == [.complete(1, nil)])
    }

    @Test("A connect, a disconnect and a lost link do not affect a concurrent scan")
    func connections() {
        var queue = available()
        _ = queue.enqueue(1, .concurrentScan)
        #expect(queue.enqueue(2, .connect) == [.start(2)])
        _ = queue.finished(2)
        let lost = queue.connectionLost()
        #expect(!lost.contains(.abort(1)))
        _ = queue.enqueue(3, .connect)
        _ = queue.finished(3)
        #expect(!queue.disconnectImmediately(4).contains(.abort(1)))
        #expect(queue.isScanning)
    }

    @Test("A concurrent scan can be cancelled, and all end with the instance")
    func cancelled() {
        var queue = available()
        _ = queue.enqueue(1, .concurrentScan)
        _ = queue.enqueue(2, .concurrentScan)
        #expect(queue.cancel(1, .cancelled) == [.abort(1), .complete(1, .cancelled)])
        #expect(queue.cancel(1, .cancelled) == [])
        #expect(queue.stop() == [.abort(2), .complete(2, .stopped)])
        #expect(!queue.isScanning)
    }
}
