import Bluejay
import Synchronization

/// Counts the calls of `cancelEverything` that leave the connection up.
final class Cancellations: Swift.Sendable {
    private let total = Atomic(0)

    var count: Int { total.load(ordering: .sequentiallyConsistent) }

    /// Counts one more, right before the call.
    func cancellationReceived() { total.wrappingAdd(1, ordering: .sequentiallyConsistent) }
}

/// One listen of a player: every value once and in order, nothing after the end.
final class PlayedListen {
    let characteristic: CharacteristicIdentifier
    let isKept: Bool
    /// Whether it has begun; before that, it may belong to a connection that waits after a disconnect.
    var isInstalled = false
    private let what: String
    private let ledger: Ledger
    private let cancellations: Cancellations
    /// The number of cancellations before the listen.
    private let before: Int
    private var notices = 0
    private var last: UInt32?
    private var received: [UInt32: Int] = [:]
    private var failures = 0
    private var closed: String?
    /// The value that arrived while the listen was being ended.
    private var receivedWhileEnding: UInt32?
    private var isEnding = false

    init(
        _ characteristic: CharacteristicIdentifier,
        isKept: Bool,
        _ what: String,
        _ cancellations: Cancellations,
        _ ledger: Ledger
    ) {
        self.cancellations = cancellations
        before = cancellations.count
        self.characteristic = characteristic
        self.isKept = isKept
        self.what = what
        self.ledger = ledger
        ledger.record(what)
    }

    /// Whether it may receive values after the end of a connection.
    var outlivesConnection: Bool { isKept || !isInstalled }

    var isOpen: Bool { closed == nil && failures == 0 }

    /// Ends the listen: it must not receive anything afterwards.
    func close(_ reason: String) {
        if closed == nil { closed = reason }
    }

    /// Records that the listen is being ended; the result is known later.
    func endRequested() {
        isEnding = true
    }

    func endingSucceeded() {
        if let receivedWhileEnding {
            ledger.violate(
                "listen: a value after endListen",
                "\(what) heard \(receivedWhileEnding)"
            )
        }
        close("endListen")
    }

    func endingFailed() {
        isEnding = false
        receivedWhileEnding = nil
    }

    func received(_ value: UInt32) {
        ledger.record("\(what) heard \(value)")
        if let closed {
            ledger.violate("listen: a value after \(closed)", "\(what) heard \(value)")
        } else if failures > 0, !isKept {
            ledger.violate("listen: a value after its failure", "\(what) heard \(value)")
        } else if isEnding, receivedWhileEnding == nil {
            receivedWhileEnding = value
        }
        // Values written by two instances return in the order of the writes, not of the numbers.
        let isOrdered = characteristic == Attribute.numbers.identifier
        received[value, default: 0] += 1
        // bluetoothd signals a value once for each listening client, and each client receives all signals.
        if received[value, default: 0] > ledger.clientCount {
            ledger.violate("listen: a value twice", "\(what) heard \(value)")
        } else if isOrdered, let last, value < last {
            ledger.violate("listen: values out of order", "\(what) heard \(value) after \(last)")
        }
        last = value
    }

    func failed(_ error: any Error) {
        ledger.record("\(what) failed: \(error)")
        // With broadcast errors, a listen that continues may receive each of them.
        if case .cancelled? = error as? BluejayError, notices < cancellations.count - before {
            notices += 1
            return
        }
        // bluetoothd signals a read of another instance, and the first value of the echo has one byte. A value
        // that cannot be decoded does not end a listen.
        let isFirstEcho =
            error as? BluejayError == .dataOutOfBounds(start: 0, length: 4, count: 1)
        if isFirstEcho, characteristic == Attribute.echo.identifier { return }
        failures += 1
        // With broadcast errors, a kept listen receives every loss.
        if failures > 1, !isKept {
            ledger.violate("listen: ended \(failures) times", "\(what): \(error)")
        }
    }
}
