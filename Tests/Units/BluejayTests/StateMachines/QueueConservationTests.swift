import TestSupport
import Testing

@testable import Bluejay

/// Performs the actions of a queue as the runner does, and records every broken rule.
private struct QueueModel {
    var queue = QueueStateMachine()
    var enqueued: [Int] = []
    var completed: [Int] = []
    var running: [Int: QueueStateMachine.Kind] = [:]
    var aborted: Set<Int> = []
    var kinds: [Int: QueueStateMachine.Kind] = [:]
    var started: [Int] = []
    /// Whether the observers were notified of a connection.
    var isTold = false
    var faults: [String] = []

    mutating func perform(_ actions: [QueueStateMachine.Action]) {
        // The actions at the end of an attempt are performed after the others.
        var following: [QueueStateMachine.Action] = []
        for action in actions {
            switch action {
            case .start(let id):
                if kinds[id]?.isConcurrent == false, !isFree {
                    faults.append("\(id) started beside \(running.keys.sorted())")
                }
                if completed.contains(id) { faults.append("\(id) started after its completion") }
                running[id] = kinds[id]
                started.append(id)
            case .abort(let id):
                if running[id] == nil { faults.append("\(id) aborted without running") }
                aborted.insert(id)
            case .interrupt(let id):
                if running[id] != .watch { faults.append("\(id) is not a running watch") }
                running[id] = nil
            case .stopScan(let id):
                if running[id]?.isScan != true { faults.append("\(id) is not a running scan") }
                perform(queue.finished(id))
            case .complete(let id, let error):
                if completed.contains(id) { faults.append("\(id) completed twice") }
                if kinds[id]?.createsLink == true { following += queue.attemptEnded(id, error) }
                completed.append(id)
                running[id] = nil
            case .announceConnected:
                if isTold { faults.append("a connection was announced twice") }
                isTold = true
            case .announceDisconnected(let end):
                if case .attempt = end {
                    if isTold { faults.append("an attempt failed during a connection") }
                } else if end != .requested, !isTold {
                    faults.append("\(end) was announced without a connection")
                }
                isTold = false
            case .idle:
                if !isFree { faults.append("idle beside \(running.keys.sorted())") }
            case .attemptStarted(let id):
                if completed.contains(id) { faults.append("\(id) began after its completion") }
            case .announceAvailability, .endListens, .reconnectSuspended, .reconnectDeferred: break
            }
        }
        if !following.isEmpty { perform(following) }
    }

    /// Whether no operation that blocks the others is running.
    private var isFree: Bool {
        running.allSatisfy { aborted.contains($0.key) || $0.value.isConcurrent }
    }

    mutating func enqueue(_ id: Int, _ kind: QueueStateMachine.Kind, immediately: Bool) {
        enqueued.append(id)
        kinds[id] = kind
        perform(immediately ? queue.disconnectImmediately(id) : queue.enqueue(id, kind))
    }

    /// Connects, or uses the result of the attempt that rejects it.
    mutating func connect(_ id: Int, isSame: Bool) {
        guard let attempt = queue.attempt else {
            return enqueue(id, .connect, immediately: false)
        }
        enqueued.append(id)
        kinds[id] = .connect
        perform(queue.share(id, attempt: attempt, isSame: isSame))
    }

    /// Ends all running operations, and fails the others.
    mutating func drain() {
        perform(queue.becameUnavailable(.poweredOff))
        perform(queue.concurrentScans.cancelAll(.cancelled))
        for id in running.keys.sorted() { perform(queue.finished(id, error: .cancelled)) }
    }
}

@Suite("Conservation of operations")
struct QueueConservationTests {
    @Test(
        "Each call completes exactly once, and calls of one kind start in order",
        arguments: 0..<300
    )
    func conservation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = QueueModel()
        for id in 1...200 { step(&model, id, &random) }
        model.drain()
        #expect(model.faults == [], "seed \(seed)")
        #expect(model.completed.sorted() == model.enqueued, "seed \(seed)")
        let reads = model.started.filter { model.kinds[$0] == .characteristic }
        #expect(reads == reads.sorted(), "seed \(seed)")
    }

    private func step(_ model: inout QueueModel, _ id: Int, _ random: inout SeededGenerator) {
        let runningID = model.running.keys.randomElement(using: &random)
        switch Int.random(in: 0..<30, using: &random) {
        case 0: model.enqueue(id, .connect, immediately: false)
        case 27..<30: model.connect(id, isSame: Bool.random(using: &random))
        case 1: model.enqueue(id, .reconnect, immediately: false)
        case 2: model.enqueue(id, .adopt, immediately: false)
        case 3: model.enqueue(id, .scan, immediately: false)
        case 4: model.enqueue(id, .disconnect, immediately: Bool.random(using: &random))
        case 5..<10: model.enqueue(id, .characteristic, immediately: false)
        case 10..<15:
            guard let runningID else { return }
            let error: BluejayError? = Bool.random(using: &random) ? nil : .cancelled
            model.perform(model.queue.finished(runningID, error: error))
        case 15: model.perform(model.queue.finished(Int.random(in: 1...id, using: &random)))
        case 16: model.perform(model.queue.connectionLost())
        case 17: model.perform(model.queue.becameUnavailable(.poweredOff))
        case 18: model.perform(model.queue.cancelAll(.cancelled))
        case 19:
            model.enqueued.append(id)
            model.kinds[id] = .disconnect
            model.perform(model.queue.cancelAll(.cancelled, disconnecting: id))
        case 20:
            let other = Int.random(in: 1...id, using: &random)
            model.perform(model.queue.cancel(other, .operationTimedOut))
        case 21 where Int.random(in: 0..<10, using: &random) == 0:
            model.perform(model.queue.stop())
            model.isTold = false
        case 22:
            let isWatch = Bool.random(using: &random)
            model.enqueue(id, isWatch ? .watch : .concurrentScan, immediately: false)
        case 23: model.perform(model.queue.stopScanning())
        case 24 where Bool.random(using: &random):
            model.perform(model.queue.concurrentScans.cancelAll(.cancelled))
        default: model.perform(model.queue.becameAvailable())
        }
    }
}
