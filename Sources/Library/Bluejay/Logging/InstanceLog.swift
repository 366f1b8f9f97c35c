internal import BluejayBlueZ
internal import BluejayGLib
internal import FoundationEssentials

/// The logs of one instance, by label.
struct InstanceLog {
    /// Calls, and the start and end of their operations.
    let queue: Log
    /// Bluetooth and the connection.
    let connection: Log
    /// The restoration of an earlier run.
    let restoration: Log
    /// The observers of the log text, which outlive the instance.
    let observers: LogObservers

    init(_ observers: LogObservers, instance: UUID = UUID()) {
        // Enough to distinguish the instances of a program.
        let instance = String(instance.uuidString.prefix(8))
        func log(_ label: String) -> Log { Log(label, to: observers, ["instance": instance]) }
        queue = log("bluejay.queue")
        connection = log("bluejay.connection")
        restoration = log("bluejay.restoration")
        self.observers = observers
    }
}

/// The log observers of one instance.
final class LogObservers: LogSink {
    var list = WeakObservers<any LogObserver>()
    /// The line that takes the place of discarded ones.
    private static let gap = "log: lines discarded, because the observer is slow"

    private let context: MainContext
    /// The dispatcher of lines that belong to no single instance.
    private weak var dispatcher: LogDispatcher?

    init(_ context: MainContext) {
        self.context = context
    }

    var subscribers: [LogSubscriber] {
        list.snapshot().map { [context] observer in
            LogSubscriber(observer.observer) { line in
                observer.isolation.performLimited(on: context) {
                    observer.observer.debug(line)
                } onOverflow: {
                    observer.notify(on: context) { $0.debug(Self.gap) }
                }
            }
        }
    }

    /// Starts or stops following the lines that all instances on a bus connection share.
    func follow(_ new: LogDispatcher?) {
        dispatcher?.remove(self)
        dispatcher = new
        new?.add(self)
    }

    func write(_ line: String) {
        if let dispatcher, dispatcher.enqueueIfBusy(line, for: self) { return }
        for subscriber in subscribers { subscriber.write(line) }
    }
}
