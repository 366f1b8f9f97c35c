import Bluejay
import Foundation
import Synchronization

/// Counts the background tasks of one instance that run at the same time.
final class RunningTasks: Swift.Sendable {
    private let count = Atomic(0)

    /// Returns the number of running tasks, including this one.
    func start() -> Int { count.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue }

    func end() { count.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
}

private struct OwnFailure: Error {}

extension Player {
    func run(_ calls: [TaskCall], on bluejay: Bluejay) {
        let isBounded = !calls.contains {
            if case .listen(_, _, nil) = $0 { true } else { false }
        }
        let what = "\(name) task \(calls)"
        let number = ledger.start("task", what, isBounded: isBounded)
        let (tasks, ledger, name) = (tasks, ledger, name)
        let weakly = WeakInstance(bluejay, cancellations)
        bluejay.run { (peripheral: SynchronizedPeripheral) in
            if tasks.start() > 1 { ledger.violate("two tasks at once", what) }
            defer { tasks.end() }
            if ledger.hasEnded(number) { ledger.violate("task: begins after its end", what) }
            for call in calls {
                ledger.record("\(name) in a task: \(call)")
                try make(call, peripheral, weakly)
            }
        } completionOnMainThread: { [self] (result: RunResult<Void>) in
            switch result {
            case .success: completed(number, "ok")
            case .failure(let error): completed(number, "\(error)")
            }
        }
    }
}

/// A weak reference to an instance, for a task.
// A task calls `cancelEverything` only, which may be called from any thread.
private final class WeakInstance: @unchecked Swift.Sendable {
    private weak var instance: Bluejay?
    private let cancellations: Cancellations

    init(_ instance: Bluejay, _ cancellations: Cancellations) {
        self.instance = instance
        self.cancellations = cancellations
    }

    func cancelEverything(_ disconnects: Bool) {
        if !disconnects { cancellations.cancellationReceived() }
        instance?.cancelEverything(shouldDisconnect: disconnects)
    }
}

private func make(
    _ call: TaskCall,
    _ peripheral: SynchronizedPeripheral,
    _ instance: WeakInstance
) throws {
    let (numbers, echo) = (Attribute.numbers.identifier, Attribute.echo.identifier)
    let location = Attribute.location.identifier
    switch call {
    case .read(let attribute): _ = try peripheral.read(from: attribute.identifier) as Data
    case .write(let attribute, let type):
        try peripheral.write(to: attribute.identifier, value: Numbers.next(), type: type)
    case .writeAndRead:
        let _: Data = try peripheral.writeAndRead(
            writeTo: Attribute.control.identifier,
            value: Numbers.next(),
            readFrom: location
        )
    case .listen(let attribute, let values, let limit):
        var receivedCount = 0
        let timeout: Timeout = limit.map { .seconds(Double($0) / 1_000) } ?? .none
        try peripheral.listen(to: attribute.identifier, timeout: timeout) { (_: Data) in
            receivedCount += 1
            return receivedCount < values ? .keepListening : .done
        }
    case .endListen(let attribute): try peripheral.endListen(to: attribute.identifier)
    case .flush: try peripheral.flushListen(to: numbers, nonZeroTimeout: .seconds(0.02)) {}
    case .writeAndListen(let limit):
        try peripheral.writeAndListen(
            writeTo: echo,
            value: Numbers.next(),
            listenTo: echo,
            timeoutInSeconds: .seconds(Double(limit) / 1_000)
        ) { (_: Data) in .done }
    case .writeAndAssemble(let limit):
        try peripheral.writeAndAssemble(
            writeTo: echo,
            value: Numbers.next(),
            listenTo: echo,
            expectedLength: 4,
            timeoutInSeconds: .seconds(Double(limit) / 1_000)
        ) { (_: Data) in .done }
    case .maximumLength: _ = peripheral.maximumWriteValueLength(for: .withoutResponse)
    case .cancelEverything(let disconnects): instance.cancelEverything(disconnects)
    case .fail: throw OwnFailure()
    }
}
